/** Where the reports are, seen from one of them: relative, so that they work behind any proxy path. */

import { pathOf } from '../../http/shell/context.ts'
import type { Order } from './report.ts'

export type Form = 'html' | 'csv' | 'json'

export type Addresses = {
  /** This report in another form, the same part of it. */
  readonly form: (form: Form) => string
  readonly catalogue: (id: string) => string
  readonly portal: (part: {
    readonly order: Order
    readonly offset: number
    readonly limit: number
  }) => string
}

/** `own` is the path of the report below the service, without a suffix: `/catalogues/city`. */
export function addressesFrom(
  url: string,
  { own, locale }: { readonly own: string; readonly locale: string },
): Addresses {
  const steps = own.split('/').length - 2 + (pathOf(url).endsWith('/') ? 1 : 0)
  const root = steps === 0 ? './' : '../'.repeat(steps)
  const language = locale === 'en' ? {} : { locale }
  const { search } = new URL(url)
  return {
    form: (form) =>
      `${root}${own.slice(1).split('/').map(encodeURIComponent).join('/')}.${form}${search}`,
    catalogue: (id) => `${root}catalogues/${encodeURIComponent(id)}.html${query(language)}`,
    portal: ({ order, offset, limit }) =>
      `${root}portal.html${query({
        ...language,
        ...(order !== 'best' && { order }),
        ...(offset !== 0 && { offset: String(offset) }),
        limit: String(limit),
      })}#catalogues`,
  }
}

function query(parameters: Readonly<Record<string, string>>): string {
  const text = new URLSearchParams(parameters).toString()
  return text === '' ? '' : `?${text}`
}
