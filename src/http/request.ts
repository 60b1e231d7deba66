/** Middleware of every request: its id and time limit, the headers of the answer, one log line, one measurement. */

import type { MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'
import { Failure } from '../errors.ts'
import type { Log } from '../log.ts'
import { shownUrl } from '../secrets.ts'
import { deadline, type AppContext, type AppEnv, type LongAnswers } from './context.ts'
import { addHeaders, addPreflight, compressAnswer, type Cors } from './headers.ts'
import type { Metrics } from './metrics.ts'
import { clientAddress, type PublicAddress, publicRoot } from './peer.ts'

type RequestOptions = {
  readonly log: Log
  readonly name: string
  readonly requestMs: number
  readonly cors: Cors
  readonly trustedProxies: readonly string[]
  readonly publicAddress: PublicAddress | undefined
  /** Path of the service, without a slash at its end. */
  readonly base: string
  readonly siteName: string
  readonly longAnswers: LongAnswers
  readonly metrics: Metrics | undefined
  readonly now: () => number
  readonly makeId: () => string
}

/**
 * The one middleware of the shell: one function instead of six, because each layer costs every request. `refuse` turns
 * an error of the shell itself, such as the time limit, into the answer.
 */
export function requestMiddleware(
  options: RequestOptions,
  refuse: (error: unknown, c: AppContext) => Response | Promise<Response>,
): MiddlewareHandler<AppEnv> {
  const addressOf = clientAddress(options.trustedProxies)
  const rootOf = publicRoot(options.publicAddress, options.trustedProxies)
  return async function request(c, next) {
    const started = options.now()
    const limit = deadline(c.req.raw.signal, options.requestMs)
    c.set('requestId', safeId(c.req.header('X-Request-Id')) ?? options.makeId())
    c.set('client', addressOf(c))
    const root = rootOf(c)
    c.set('root', root)
    c.set('address', root.slice(0, -1) + options.base)
    c.set('siteName', options.siteName)
    c.set('longAnswers', options.longAnswers)
    c.set('deadline', limit)
    c.set('signal', limit.signal)
    try {
      await limit.race(next())
      rethrowAbortReason(c.error, limit.signal)
    } catch (error) {
      c.res = undefined
      c.res = await refuse(error, c)
    }
    if (c.req.method === 'OPTIONS') addPreflight(c, options.cors)
    addHeaders(c, options.cors)
    const size = await compressAnswer(c)
    whenSent(c, (sent) => {
      limit.done()
      reportRequest(c, options, { started, bytes: sent ?? size })
    })
  }
}

/**
 * Throws the reason of an aborted signal in place of other errors, because aborted work may fail with anything. An error of the
 * reason's own kind stays: it may know better when to try again (`Retry-After`).
 */
function rethrowAbortReason(error: Error | undefined, { aborted, reason }: AbortSignal): void {
  if (!aborted || error === undefined) return
  const isSame = error instanceof Failure && reason instanceof Failure && error.kind === reason.kind
  if (!isSame) throw reason
}

const safeId = (id: string | undefined): string | undefined =>
  id !== undefined && /^[A-Za-z0-9._~:+/=-]{1,64}$/.test(id) ? id : undefined

/** Calls back when the last byte is out, with the bytes on the wire; at once when there is no socket. */
function whenSent(c: AppContext, then: (bytes: number | undefined) => void): void {
  const outgoing = c.env?.outgoing
  const socket = outgoing?.socket
  // A client that left during the work has closed the answer already, and nothing tells it again.
  if (!outgoing || !socket || outgoing.destroyed) {
    then(undefined)
    return
  }
  const before = socket.bytesWritten
  outgoing.once('close', () => then(socket.bytesWritten - before))
}

function reportRequest(
  c: AppContext,
  { log, name, metrics, now }: RequestOptions,
  { started, bytes }: { readonly started: number; readonly bytes: number | undefined },
): void {
  const { status } = c.res
  const { method } = c.req
  const milliseconds = now() - started
  metrics?.observe({
    service: name,
    method,
    route: routeOf(c),
    status,
    seconds: milliseconds / 1000,
  })
  const key = c.get('key')?.id
  log.info(
    {
      service: name,
      method,
      path: loggedUrl(c.req.url),
      status,
      ms: Math.round(milliseconds * 100) / 100,
      bytes,
      key,
      ...(c.env?.outgoing?.writableFinished === false && { aborted: true }),
      requestId: c.get('requestId'),
    },
    'request',
  )
}

/** The pattern that matched; requests that met no route share one name. */
function routeOf(c: AppContext): string {
  const path = routePath(c, -1)
  return path === '/*' || path === '*' ? 'none' : path
}

/** Parts of paths that give access by themselves (capability URLs): answers of segments, feeds of failures. */
const capability = /(\/segments\/r\/|\/harvest\/failures\/)[^/?#]+/

/** Path and query of a URL without capabilities and, as in `shownUrl`, without the values of parameters that carry secrets. */
export function loggedUrl(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  return shownUrl((start < 0 ? '/' : url.slice(start)).replace(capability, '$1•••'))
}
