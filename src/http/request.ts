/** Middleware of every request: request id, time limit, headers of the answer, log line and metrics. */

import type { MiddlewareHandler, Next } from 'hono'
import { routePath } from 'hono/route'
import { Failure } from '../errors.ts'
import type { Log } from '../log.ts'
import { shownUrl } from '../secrets.ts'
import { currentTraceId, inTrace, ownTraceparent } from '../trace.ts'
import { reportNumber } from '../workers/numbers.ts'
import type { Activity } from './activity.ts'
import { deadline, type AppContext, type AppEnv, type LongAnswers } from './context.ts'
import { addHeaders, addPreflight, compressAnswer, type Cors } from './headers.ts'
import type { Metrics } from './metrics.ts'
import { clientAddress, type PublicAddress, publicRoot } from './peer.ts'

/** Values of `PLATFORM_LOG_REQUESTS`. */
export const requestLogs = ['all', 'errors', 'slow', 'none'] as const

/** Which requests are logged: all, those that failed, those that took longer than a second, or none. */
export type RequestLog = (typeof requestLogs)[number]

/** Milliseconds from which on a request is slow. */
const slowMs = 1000

/** Paths that monitors ask for again and again. */
const polled = /^\/(?:health(?:\/\w+)?|metrics)$/

type RequestOptions = {
  readonly log: Log
  readonly logRequests: RequestLog
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
  readonly activity: Pick<Activity, 'recordRequest'> | undefined
  readonly now: () => number
  readonly makeId: () => string
}

/**
 * Makes the middleware; one function instead of six, because each layer costs time in every request. `refuse` answers errors such
 * as that of the time limit.
 */
export function requestMiddleware(
  options: RequestOptions,
  refuse: (error: unknown, c: AppContext) => Response | Promise<Response>,
): MiddlewareHandler<AppEnv> {
  const addressOf = clientAddress(options.trustedProxies)
  const rootOf = publicRoot(options.publicAddress, options.trustedProxies)
  async function request(c: AppContext, next: Next): Promise<void> {
    const startedAt = options.now()
    options.metrics?.inFlight(options.name, 1)
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
    const [traceparent, traceId] = [ownTraceparent(), currentTraceId()]
    if (traceparent !== undefined) c.header('traceparent', traceparent)
    if (c.req.method === 'OPTIONS') addPreflight(c, options.cors)
    addHeaders(c, options.cors)
    options.activity?.recordRequest(c, options.name)
    const size = await compressAnswer(c)
    whenSent(c, (sentBytes) => {
      limit.done()
      reportRequest(c, options, { startedAt, bytes: sentBytes ?? size, traceId })
    })
  }
  return (c, next) => {
    const traceparent = c.req.header('traceparent')
    return traceparent === undefined
      ? request(c, next)
      : inTrace(traceparent, () => request(c, next))
  }
}

/**
 * Throws the reason of an aborted signal in place of another error, because aborted work may fail with any error. An error of the
 * kind of the reason stays: its `Retry-After` may be more exact.
 */
function rethrowAbortReason(error: Error | undefined, { aborted, reason }: AbortSignal): void {
  if (!aborted || error === undefined) return
  const isSame = error instanceof Failure && reason instanceof Failure && error.kind === reason.kind
  if (!isSame) throw reason
}

/** Request id of a client, where it is short and harmless in logs. */
const safeId = (id: string | undefined): string | undefined =>
  id !== undefined && /^[A-Za-z0-9._~:+/=-]{1,64}$/.test(id) ? id : undefined

/** Calls `then` with the sent bytes when the answer has ended or broken off; at once, without a number, if there is no socket. */
function whenSent(c: AppContext, then: (bytes: number | undefined) => void): void {
  const outgoing = c.env?.outgoing
  const socket = outgoing?.socket
  // When the client disconnected during the work, the event `close` has passed already.
  if (!outgoing || !socket || outgoing.destroyed) {
    then(undefined)
    return
  }
  const bytesBefore = socket.bytesWritten
  outgoing.once('close', () => then(socket.bytesWritten - bytesBefore))
}

/** Start of a request in ms, bytes of its answer, and the id of its trace. */
type Sent = {
  readonly startedAt: number
  readonly bytes: number | undefined
  readonly traceId: string | undefined
}

function reportRequest(
  c: AppContext,
  { log, logRequests, name, metrics, now }: RequestOptions,
  { startedAt, bytes, traceId }: Sent,
): void {
  const { status } = c.res
  const { method } = c.req
  const milliseconds = now() - startedAt
  metrics?.observe({
    service: name,
    method,
    route: routeOf(c),
    status,
    seconds: milliseconds / 1000,
  })
  metrics?.inFlight(name, -1)
  reportWrite(c)
  const key = c.get('key')?.id
  const isAborted = c.env?.outgoing?.writableFinished === false
  const isSlow = milliseconds > slowMs
  const isPoll = name === 'root' && polled.test(c.req.path)
  const isError = isPoll ? status >= 500 : status >= 400 || isAborted
  if (logRequests === 'none' || (logRequests === 'slow' && !isSlow)) return
  if (logRequests === 'errors' && !isError) return
  const level = isPoll ? (isSlow || isError ? 'warn' : 'debug') : 'info'
  if (!log.isLevelEnabled(level)) return
  log[level](
    {
      service: name,
      method,
      path: loggedUrl(c.req.url),
      status,
      ms: Math.round(milliseconds * 100) / 100,
      bytes,
      key,
      ...(isAborted && { aborted: true }),
      requestId: c.get('requestId'),
      ...(traceId !== undefined && { traceId }),
    },
    'request',
  )
}

/** Kinds of written records in the names of operations; the first that fits. */
const writeKinds = ['draft', 'metrics', 'distribution', 'vocabular', 'dataset', 'catalogue']

/** Reports a write that a key was checked for; bulk requests report each of their datasets. */
function reportWrite(c: AppContext): void {
  const operation = c.get('write')?.operation.toLowerCase() ?? ''
  const kind = writeKinds.find((name) => operation.includes(name))
  if (kind === undefined || operation.endsWith('bulk')) return
  const { status } = c.res
  const done = c.req.method === 'DELETE' ? 'deleted' : 'updated'
  const outcome = status >= 400 ? 'refused' : (outcomes.get(status) ?? done)
  reportNumber('cartulary_writes_total', [kind === 'vocabular' ? 'vocabulary' : kind, outcome])
}

const outcomes = new Map([
  [201, 'created'],
  [304, 'unchanged'],
])

/** Pattern of the matching route; `none` without one. */
function routeOf(c: AppContext): string {
  const path = routePath(c, -1)
  return path === '/*' || path === '*' ? 'none' : path
}

/** Secret segments of paths (capability URLs): return addresses of pipe segments, feeds of failed runs, invitations. */
const capability = /(\/segments\/r\/|\/harvest\/failures\/|\/invitation\/)[^/?#]+/

/** Path and query of a URL for the log, without secret segments and without values of secret parameters. */
export function loggedUrl(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  return shownUrl((start < 0 ? '/' : url.slice(start)).replace(capability, '$1•••'))
}
