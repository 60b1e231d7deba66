/** Headers of every answer for browsers and caches, and gzip for clients that accept it. */

import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { createGzip, gzip } from 'node:zlib'
import type { MiddlewareHandler } from 'hono'
import { parseAccept } from 'hono/utils/accept'
import { Failure } from '../errors.ts'
import type { AppContext, AppEnv } from './context.ts'

/** Rules for requests from pages of other origins (CORS). */
export type Cors = {
  /** Origins whose pages may write; pages of all origins may read. */
  readonly origins: readonly string[]
  /** Further methods that only read, such as POST at a search. */
  readonly reads: readonly string[]
}

const exposedHeaders =
  'Location, Content-Location, ETag, Link, Retry-After, Index-Status, Preference-Applied, Results-Cut, Wildcards-Shortened, X-Request-Id, traceparent'
const acceptedHeaders =
  'Accept, Authorization, Content-Encoding, Content-Type, If-Match, If-None-Match, Prefer, X-API-Key, X-Request-Id'
const oneDay = '86400'

/** Headers by which proxies name the client; pages of other sites may not send them. */
const proxyHeaders = /^(?:forwarded|x-forwarded-.*|x-real-ip|via)$/i
const token = /^[\w!#$%&'*+.^`|~-]{1,64}$/
const mostNames = 20

/** Headers that a page of another site may send: those of the API, and harmless ones that it asks for (Fetch Standard 3.2.2). */
function allowedHeaders(c: AppContext): string {
  const alwaysAllowed = new Set(acceptedHeaders.toLowerCase().split(', '))
  const requested = (c.req.header('Access-Control-Request-Headers') ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(
      (name) =>
        token.test(name) && !proxyHeaders.test(name) && !alwaysAllowed.has(name.toLowerCase()),
    )
  return [acceptedHeaders, ...new Set(requested.slice(0, mostNames))].join(', ')
}

/** Content security policy of HTML pages: no resources of other hosts except images, no inline scripts. */
export const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https: data:; connect-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/** Adds security and caching headers that the route did not set, and CORS headers. */
export function addHeaders(c: AppContext, cors: Cors): void {
  const { headers } = c.res
  const { method } = c.req
  const isReading = isRead(method, cors)
  const isChanging = c.get('changes') === true
  const setDefault = (name: string, value: string) => {
    if (!headers.has(name)) headers.set(name, value)
  }
  headers.set('X-Content-Type-Options', 'nosniff')
  headers.set('X-Request-Id', c.get('requestId'))
  setDefault('Cross-Origin-Resource-Policy', isChanging ? 'same-origin' : 'cross-origin')
  setDefault('Cache-Control', isReading && !isChanging && !c.get('key') ? 'no-cache' : 'no-store')
  if (headers.get('Content-Type')?.startsWith('text/html')) {
    setDefault('Referrer-Policy', 'no-referrer')
    setDefault('Content-Security-Policy', pagePolicy)
  }
  if (method !== 'OPTIONS' && !isChanging) allowOrigin(c, isReading, cors)
}

/** Answers a CORS preflight (Fetch Standard 3.2) in the headers of an OPTIONS answer. */
export function addPreflight(c: AppContext, cors: Cors): void {
  const requestedMethod = c.req.header('Access-Control-Request-Method')
  if (requestedMethod === undefined || c.get('changes') === true) return
  const isReading = isRead(requestedMethod.toUpperCase(), cors)
  allowOrigin(c, isReading, cors)
  const { headers } = c.res
  if (!headers.has('Access-Control-Allow-Origin')) return
  // Browsers cache the list of methods, so the answer to a reading preflight must not contain writing ones.
  const methods = (headers.get('Allow') ?? '').split(', ')
  const allowedMethods = methods.filter((method) => !isReading || isRead(method, cors))
  headers.set('Access-Control-Allow-Methods', allowedMethods.join(', '))
  headers.set('Access-Control-Allow-Headers', allowedHeaders(c))
  addVary(headers, 'Access-Control-Request-Headers')
  headers.set('Access-Control-Max-Age', oneDay)
}

/** Adds a request header to `Vary` unless it is there. */
export function addVary(headers: Headers, name: string): void {
  const names = headers.get('Vary')?.split(/\s*,\s*/) ?? []
  if (names.some((present) => present.toLowerCase() === name.toLowerCase())) return
  headers.set('Vary', [...names, name].join(', '))
}

const isRead = (method: string, cors: Cors): boolean =>
  method === 'GET' || method === 'HEAD' || method === 'OPTIONS' || cors.reads.includes(method)

function allowOrigin(c: AppContext, isReading: boolean, { origins }: Cors): void {
  const { headers } = c.res
  if (!isReading && origins.length === 0) return
  if (!isReading) addVary(headers, 'Origin')
  const origin = isReading ? '*' : origins.find((allowed) => allowed === c.req.header('Origin'))
  if (origin === undefined) return
  headers.set('Access-Control-Allow-Origin', origin)
  headers.set('Access-Control-Expose-Headers', exposedHeaders)
}

/**
 * Middleware for a GET that changes something, which older clients send: refuses pages of other sites and prefetches of browsers
 * (Fetch Metadata; `Purpose`, `X-Purpose` and `X-Moz` of older browsers), HEAD, and methods that the path does not have; answers
 * OPTIONS. `methods` are all methods of the path. It has to be the first middleware of the path, so that no answer to such a GET,
 * not even an error, has CORS headers.
 */
export function changingGet(methods: readonly string[]): MiddlewareHandler<AppEnv> {
  const headers = { Allow: [...methods, 'OPTIONS'].sort().join(', ') }
  return async (c, next) => {
    const { method } = c.req
    const requested = method === 'OPTIONS' ? c.req.header('Access-Control-Request-Method') : method
    if (requested === 'GET' || requested === 'HEAD') c.set('changes', true)
    if (method === 'OPTIONS') return c.body(null, 204, headers)
    if (!methods.includes(method))
      throw new Failure(
        'method-not-allowed',
        `${method} is not possible here, only ${headers.Allow}`,
        {
          headers,
        },
      )
    if (method !== 'GET') return next()
    if (c.req.header('Sec-Fetch-Site')?.trim().toLowerCase() === 'cross-site')
      throw new Failure('forbidden', 'a page of another site may not do this')
    refusePrefetch(c)
    return next()
  }
}

/**
 * Whether a form was sent by a page of this host or by the user, by Fetch Metadata, else by `Origin`. Schemes are not compared,
 * because an unlisted proxy may terminate TLS. A request without both headers, as programs send it, counts as one of this host.
 */
export function isSameHostForm(c: AppContext): boolean {
  const site = c.req.header('Sec-Fetch-Site')?.trim().toLowerCase()
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const origin = c.req.header('Origin')
  if (origin === undefined) return true
  return URL.canParse(origin) && new URL(origin).host === new URL(c.get('root')).host
}

/** Throws `forbidden` for a prefetch of a browser; for requests that only a user may cause. */
export function refusePrefetch(c: AppContext): undefined {
  const purposes = ['Sec-Purpose', 'Purpose', 'X-Purpose', 'X-Moz'].map((name) =>
    c.req.header(name),
  )
  if (purposes.some((purpose) => /prefetch|prerender|preview/i.test(purpose ?? '')))
    throw new Failure('forbidden', 'this is not done ahead of time')
}

// gzip. The middleware of Hono has only one level and also compresses very small answers.

/** Least bytes of an answer that is compressed: about one packet. */
const smallest = 1400
/** Compression level; level 6 takes twice the time for about 8 % fewer bytes of JSON and Turtle. */
const level = 3

const compress = promisify<Uint8Array, { level: number }, Buffer<ArrayBuffer>>(gzip)

/** Media types that are compressed; streams of events and of NDJSON are not, because a compressor would delay their lines. */
const compressible =
  /^(text\/(?!event-stream)|application\/(?!x-ndjson)(?:[\w.+-]*(?:json|xml|yaml)|javascript|trig|n-triples|n-quads|sparql-\w+)|image\/svg)/i

/**
 * Compresses the body with gzip where the client accepts it and the body is suitable: text, not tiny, not compressed already,
 * not marked `no-transform`, no partial content, no HEAD request. A body in pieces is compressed as a stream. Returns the size
 * of the body if known.
 */
export async function compressAnswer(c: AppContext): Promise<number | undefined> {
  const { headers, status } = c.res
  const length = headers.get('Content-Length')
  const size = length === null ? undefined : Number(length)
  if (!compressible.test(headers.get('Content-Type') ?? '') || headers.has('Content-Encoding'))
    return size
  if (headers.get('Cache-Control')?.includes('no-transform') === true) return size
  addVary(headers, 'Accept-Encoding')
  const isEmpty = c.req.method === 'HEAD' || status === 204 || status === 206 || status === 304
  if (isEmpty || !acceptsGzip(c.req.header('Accept-Encoding'))) return size
  if (size !== undefined && size < smallest) return size
  const reader = c.res.body?.getReader()
  if (!reader) return size
  const first = await reader.read()
  const second = first.done ? first : await reader.read()
  if (!second.done) {
    const head = Buffer.concat([first.value ?? new Uint8Array(), second.value])
    return replaceBody(c, gzipStream(head, reader), 'gzip')
  }
  const body = first.value ?? new Uint8Array()
  return body.byteLength < smallest
    ? replaceBody(c, body)
    : replaceBody(c, await compress(body, { level }), 'gzip')
}

/** Whether `Accept-Encoding` (RFC 9110 12.5.3) has gzip with a weight above 0. */
export function acceptsGzip(accept: string | undefined): boolean {
  const codings = accept === undefined ? [] : parseAccept(accept)
  const isGzip = ({ type }: { readonly type: string }) => /^(?:x-)?gzip$/i.test(type)
  const coding = codings.find(isGzip) ?? codings.find(({ type }) => type === '*')
  return (coding?.q ?? 0) > 0
}

type Reader = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>

/** Compresses `head`, the beginning of a body, and the rest of it as a stream. */
function gzipStream(head: Uint8Array, reader: Reader): ReadableStream {
  async function* pieces() {
    try {
      yield head
      for (let result = await reader.read(); !result.done; result = await reader.read())
        yield result.value
    } finally {
      // Cancels the source when the client disconnects.
      await reader.cancel()
    }
  }
  const coder = createGzip({ level })
  const source = Readable.from(pieces(), { objectMode: false })
  source.on('error', (error) => coder.destroy(error))
  coder.on('close', () => source.destroy())
  return Readable.toWeb(source.pipe(coder)) as ReadableStream
}

/** Replaces the body of the answer; returns its size if known. */
function replaceBody(
  c: AppContext,
  body: Uint8Array<ArrayBuffer> | ReadableStream,
  coding?: string,
): number | undefined {
  const headers = new Headers(c.res.headers)
  const size = body instanceof Uint8Array ? body.byteLength : undefined
  if (coding !== undefined) headers.set('Content-Encoding', coding)
  if (size === undefined) headers.delete('Content-Length')
  else headers.set('Content-Length', String(size))
  const { status } = c.res
  c.res = undefined
  c.res = new Response(body, { status, headers })
  return size
}
