/** What Node says about a broken connection, in the words of the harvest vocabulary. */

import { Failure } from '../errors.ts'

/** While connecting or waiting for the head of the answer. */
export function connectionFault(cause: unknown, host: string): Failure {
  if (cause instanceof Failure) return cause
  const code = codeOf(cause)
  if (code.startsWith('HPE_')) {
    return new Failure('source-malformed', `${host} does not answer in HTTP`, { cause })
  }
  if (code === 'ERR_INVALID_CHAR' || code === 'ERR_INVALID_HTTP_TOKEN') {
    return new Failure('invalid-parameter', 'a request header is not valid', { cause })
  }
  return new Failure('source-unreachable', `${host} ${words[code] ?? 'cannot be reached'}`, {
    cause,
  })
}

/** While the body comes in. */
export function bodyFault(cause: unknown): Failure {
  if (cause instanceof Failure) return cause
  const code = codeOf(cause)
  const early = 'the answer ended before it was whole'
  if (code === 'Z_BUF_ERROR') return new Failure('source-truncated', early, { cause })
  if (/^(?:Z_|ERR_?_?BROTLI|ERR__ERROR)/.test(code)) {
    return new Failure('source-malformed', 'the answer is not compressed as it says', { cause })
  }
  if (code.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE') {
    return new Failure('source-malformed', 'the answer breaks the rules of HTTP', { cause })
  }
  return new Failure('source-truncated', early, { cause })
}

const codeOf = (cause: unknown): string =>
  cause instanceof Error && 'code' in cause ? String(cause.code) : ''

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections',
  ECONNRESET: 'closed the connection without an answer',
  ETIMEDOUT: 'does not answer',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
  CERT_HAS_EXPIRED: 'shows a certificate that has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'shows a certificate that nobody vouches for',
  SELF_SIGNED_CERT_IN_CHAIN: 'shows a certificate that nobody vouches for',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'shows a certificate that nobody vouches for',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'shows a certificate that nobody vouches for',
  ERR_TLS_CERT_ALTNAME_INVALID: 'shows the certificate of another host',
}
