/** Asking a source whether a document has changed since the last complete run (RFC 9110, 13). */
import type { Validator } from '../../pipe/message.ts'

/** Headers of a conditional request. */
export const conditionsOf = ({ etag, lastModified }: Validator): Record<string, string> => ({
  ...(etag !== undefined && { 'If-None-Match': etag }),
  ...(lastModified !== undefined && { 'If-Modified-Since': lastModified }),
})

/** What an answer says about its version. */
export function validatorOf(url: string, headers: Headers, bodyHash: string): Validator {
  const [etag, lastModified] = [headers.get('etag'), headers.get('last-modified')]
  return {
    url,
    bodyHash,
    ...(etag !== null && { etag }),
    ...(lastModified !== null && { lastModified }),
  }
}
