/** Content negotiation of the portal: page or data, and the language of the page. */

import { parseAccept } from 'hono/utils/accept'
import type { PortalConfig } from '../config/portal.ts'
import type { AppContext } from '../http/context.ts'

/** Whether an `Accept` header names HTML with a higher weight than JSON; a wildcard does not count as HTML. */
export function prefersPage(accept: string | undefined): boolean {
  const ranges = parseAccept(accept ?? '')
  const quality = (mediaType: string) =>
    ranges.find(({ type }) => type.toLowerCase() === mediaType)?.q ?? 0
  return quality('text/html') > quality('application/json')
}

/** Language of the portal with the highest weight in `Accept-Language` (RFC 9110 12.5.4), else the default language. */
export function preferredLanguage(
  c: AppContext,
  { languages, defaultLanguage }: PortalConfig,
): string {
  const accepted = parseAccept(c.req.header('Accept-Language') ?? '')
    .filter(({ q }) => q > 0)
    .map(({ type }) => type.split('-')[0]?.toLowerCase())
  return accepted.find((code) => languages.some((language) => language === code)) ?? defaultLanguage
}
