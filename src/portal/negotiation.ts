/** What a client wants: a page or data, and in which language. */

import { parseAccept } from 'hono/utils/accept'
import type { PortalConfig } from '../config/portal.ts'
import type { AppContext } from '../http/context.ts'

/** Clients before browsers: HTML has to be named, and wanted more than JSON. */
export function prefersPage(accept: string | undefined): boolean {
  const ranges = parseAccept(accept ?? '')
  const quality = (wanted: string) =>
    ranges.find(({ type }) => type.toLowerCase() === wanted)?.q ?? 0
  return quality('text/html') > quality('application/json')
}

/** The language of the portal that a client wants most (`Accept-Language`, RFC 9110 12.5.4), else the default one. */
export function preferredLanguage(
  c: AppContext,
  { languages, defaultLanguage }: PortalConfig,
): string {
  const wanted = parseAccept(c.req.header('Accept-Language') ?? '')
    .filter(({ q }) => q > 0)
    .map(({ type }) => type.split('-')[0]?.toLowerCase())
  return wanted.find((one) => languages.some((own) => own === one)) ?? defaultLanguage
}
