/** Where the next page is, and whether we may go there. */
import { Failure } from '../../errors.ts'
import { shownUrl } from './answers.ts'

type From = {
  /** The configured one. */
  readonly address: string
  /** Of the page that links, after redirects. */
  readonly url: string
  readonly brokenHydra: boolean
}

/** The address of the next page. Throws `next-crosses-origin` and `source-malformed`. */
export function nextPage(link: string, { address, url, brokenHydra }: From): string {
  const target = URL.canParse(link, url) ? new URL(link, url) : undefined
  if (!target || !/^https?:$/.test(target.protocol))
    throw new Failure('source-malformed', `The next page is no address: ${link.slice(0, 200)}`)
  const home = new URL(address)
  if (brokenHydra) {
    home.search = target.search
    return home.href
  }
  if (
    target.protocol === 'http:' &&
    home.protocol === 'https:' &&
    target.hostname === home.hostname
  ) {
    target.protocol = 'https:'
  }
  const from = new URL(url)
  if (target.origin === home.origin || target.origin === from.origin) return target.href
  throw new Failure(
    'next-crosses-origin',
    `The next page is on another host (${shownUrl(target.href)}). If that is the inner name of a proxy, set brokenHydra.`,
  )
}

/** The target of `rel="next"` in a `Link` header (RFC 8288). */
export function linkedNext(header: string | null): string | undefined {
  for (const [, target = '', parameters = ''] of (header ?? '').matchAll(
    /<([^>]*)>((?:\s*;\s*[^\s=;,]+\s*(?:=\s*(?:"[^"]*"|[^",;\s]*))?)*)/g,
  )) {
    const relations = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters)
    const names = (relations?.[1] ?? relations?.[2] ?? '').toLowerCase().split(/\s+/)
    if (names.includes('next')) return target
  }
  return undefined
}
