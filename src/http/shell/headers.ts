/** Headers of every answer: what a browser may do with it, who may read it, how long it keeps. */

import type { AppContext } from './context.ts'

export type Cors = {
  /** Origins whose pages may write; everyone may read. */
  readonly origins: readonly string[]
  /** Methods that only read, such as POST at a search. GET, HEAD and OPTIONS always do. */
  readonly reads: readonly string[]
}

const exposed =
  'Location, Content-Location, ETag, Link, Retry-After, Index-Status, Preference-Applied, Results-Cut, Wildcards-Shortened, X-Request-Id'
const accepted =
  'Accept, Authorization, Content-Encoding, Content-Type, If-Match, If-None-Match, Prefer, X-API-Key, X-Request-Id'
const oneDay = '86400'

/** Policy of HTML pages: nothing from elsewhere, no inline scripts. */
export const pagePolicy = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `img-src 'self' https: data:`,
  `connect-src 'self'`,
  `form-action 'self'`,
  `base-uri 'none'`,
  `frame-ancestors 'none'`,
].join('; ')

/** Adds to the answer what its route did not set itself. */
export function addHeaders(c: AppContext, cors: Cors): void {
  const { headers } = c.res
  const method = c.req.method
  const reads = isRead(method, cors)
  headers.set('X-Content-Type-Options', 'nosniff')
  headers.set('X-Request-Id', c.get('requestId'))
  const changes = c.get('changes') === true
  if (!headers.has('Cross-Origin-Resource-Policy')) {
    headers.set('Cross-Origin-Resource-Policy', changes ? 'same-origin' : 'cross-origin')
  }
  if (!headers.has('Cache-Control')) {
    const mayBeKept = reads && !changes && !c.get('key')
    headers.set('Cache-Control', mayBeKept ? 'no-cache' : 'no-store')
  }
  if (headers.get('Content-Type')?.startsWith('text/html')) {
    if (!headers.has('Referrer-Policy')) headers.set('Referrer-Policy', 'no-referrer')
    if (!headers.has('Content-Security-Policy')) headers.set('Content-Security-Policy', pagePolicy)
  }
  if (method !== 'OPTIONS' && !changes) allowOrigin(c, reads, cors)
}

/** Answers a CORS preflight (Fetch Standard 3.2) in the headers of an OPTIONS answer. */
export function addPreflight(c: AppContext, cors: Cors): void {
  const asked = c.req.header('Access-Control-Request-Method')
  if (asked === undefined || c.get('changes') === true) return
  const reads = isRead(asked.toUpperCase(), cors)
  allowOrigin(c, reads, cors)
  const { headers } = c.res
  if (!headers.has('Access-Control-Allow-Origin')) return
  // Browsers remember the whole list: everyone's permission to read must not become one to write.
  const methods = (headers.get('Allow') ?? '').split(', ')
  const allowed = methods.filter((method) => !reads || isRead(method, cors))
  headers.set('Access-Control-Allow-Methods', allowed.join(', '))
  headers.set('Access-Control-Allow-Headers', accepted)
  headers.set('Access-Control-Max-Age', oneDay)
}

/** Says that the answer depends on a request header, once. */
export function addVary(headers: Headers, name: string): void {
  const present = headers.get('Vary')
  if (present === null) headers.set('Vary', name)
  else if (
    !present
      .toLowerCase()
      .split(/\s*,\s*/)
      .includes(name.toLowerCase())
  ) {
    headers.set('Vary', `${present}, ${name}`)
  }
}

const isRead = (method: string, cors: Cors): boolean =>
  method === 'GET' || method === 'HEAD' || method === 'OPTIONS' || cors.reads.includes(method)

function allowOrigin(c: AppContext, reads: boolean, cors: Cors): void {
  const { headers } = c.res
  if (reads) {
    headers.set('Access-Control-Allow-Origin', '*')
    headers.set('Access-Control-Expose-Headers', exposed)
    return
  }
  if (cors.origins.length === 0) return
  addVary(headers, 'Origin')
  const origin = c.req.header('Origin')
  if (origin === undefined || !cors.origins.includes(origin)) return
  headers.set('Access-Control-Allow-Origin', origin)
  headers.set('Access-Control-Expose-Headers', exposed)
}
