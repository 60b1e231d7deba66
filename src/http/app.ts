/**
 * Base Hono application shared by all services: request ids, deadlines, problem responses, CORS, compression; and a gateway that
 * mounts several services on one port.
 */

import { randomUUID } from 'node:crypto'
import { OpenAPIHono } from '@hono/zod-openapi'
import { HTTPException } from 'hono/http-exception'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { getPath } from 'hono/utils/url'
import { Failure } from '../errors.ts'
import type { Log } from '../log.ts'
import { currentTraceId } from '../trace.ts'
import { reportNumber } from '../workers/numbers.ts'
import type { Activity } from './activity.ts'
import { pathOf, type App, type AppContext, type AppEnv, type LongAnswers } from './context.ts'
import type { Cors } from './headers.ts'
import { defaultLimits, limitNames } from './limits.ts'
import { longAnswers } from './long-answers.ts'
import type { Metrics } from './metrics.ts'
import type { PublicAddress } from './peer.ts'
import { invalidRequest, problemOf, type ProblemAnswer } from './problem.ts'
import { requestMiddleware, type RequestLog } from './request.ts'

export type { App, AppContext } from './context.ts'

/** Options of the base application that all services of a platform share. Only `log` is required; the defaults suit tests. */
export type SharedAppOptions = {
  readonly log: Log
  /** Path before all routes, without a slash at its end: `/api/hub/repo`; by default empty. */
  readonly base?: string
  /** Maps the path of a request to the path that routes match; by default the same. Aliases have the same permissions. */
  readonly alias?: (path: string) => string
  /** Which requests are logged; by default all. */
  readonly logRequests?: RequestLog
  readonly metrics?: Metrics
  /** Record of the answered writes; by default none. */
  readonly activity?: Pick<Activity, 'recordRequest'>
  /** Time limit of a request in milliseconds, by default 60,000; a route extends it with `c.var.deadline.extend`. */
  readonly requestMs?: number
  /** Origins whose pages may write, and methods beside GET, HEAD and OPTIONS that only read; by default none of both. */
  readonly cors?: Partial<Cors>
  /** Addresses and CIDR ranges of proxies whose `Forwarded` headers are trusted. */
  readonly trustedProxies?: readonly string[]
  /** Public address of the platform; by default that of each request. */
  readonly publicAddress?: PublicAddress
  /** Name of the portal for the titles of pages; by default `Cartulary`. */
  readonly siteName?: string
  /** Slots of long answers, which all services share. */
  readonly longAnswers?: LongAnswers
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number
  /** Makes the HTML page of a problem; `undefined` where the client should get the problem document. */
  readonly problemPage?: (c: AppContext, problem: ProblemAnswer) => Promise<Response | undefined>
  /** Further members of every problem document. */
  readonly problemMembers?: Readonly<Record<string, unknown>>
  /** Makes the ids of requests; by default random UUIDs. */
  readonly makeId?: () => string
}

/** Options of one service's application; `name` is its name in log lines and metrics. */
export type AppOptions = SharedAppOptions & { readonly name: string }

/**
 * Makes an app without routes: request id, deadline, problem responses for every error, 404 and 405, CORS, security headers,
 * gzip, HEAD for every GET. Reads and OPTIONS ignore a trailing slash.
 */
export function newApp(options: AppOptions): App {
  const { log, name, base = '', alias = (path: string) => path } = options
  const cors: Cors = { origins: [], reads: [], ...options.cors }
  const app = new OpenAPIHono<AppEnv>({
    getPath: (request) => alias(localPath(request, base)),
    defaultHook: (result) => {
      if (!result.success)
        throw invalidRequest(result.error.issues, result.target, rawValue(result))
    },
  })
  const refuse = errorHandler(log, options)

  app.onError(refuse)
  app.notFound((c) =>
    refuse(new Failure('not-found', `there is nothing at ${pathOf(c.req.url)}`), c),
  )
  app.use(
    requestMiddleware(
      {
        log,
        logRequests: options.logRequests ?? 'all',
        name,
        cors,
        requestMs: options.requestMs ?? 60_000,
        trustedProxies: options.trustedProxies ?? [],
        publicAddress: options.publicAddress,
        base,
        siteName: options.siteName ?? 'Cartulary',
        longAnswers: options.longAnswers ?? longAnswers(defaultLimits),
        metrics: options.metrics,
        activity: options.activity,
        now: options.now ?? (() => performance.now()),
        makeId: options.makeId ?? randomUUID,
      },
      refuse,
    ),
    methodNotAllowed({
      app,
      onMethodNotAllowed: (c, methods) => answerOtherMethod(c, methods, refuse),
    }),
  )
  return app
}

/** Parsed input of the validator, which its result also has after a failure, although its type does not say so. */
const rawValue = (result: object): unknown => ('data' in result ? result.data : undefined)

/** Decoded path below `base`, without a slash at its end for `slashMethods`. */
function localPath(request: Request, base: string): string {
  const requestPath = getPath(request)
  const path =
    base !== '' && isBelow(requestPath, base) ? requestPath.slice(base.length) || '/' : requestPath
  if (path.length < 2 || !path.endsWith('/')) return path
  return slashMethods.has(request.method) ? path.replace(/\/$/, '') : path
}

/** Methods whose paths may end in a slash. */
const slashMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

const isBelow = (path: string, base: string): boolean =>
  path.startsWith(base) && (path.length === base.length || path[base.length] === '/')

/** Answers an error. */
type ErrorHandler = (error: unknown, c: AppContext) => Promise<Response>

/**
 * Makes the handler of all errors: a `Failure` is answered with its details, and logged from status 500 on; any other error is
 * logged and answered as a 500 without details.
 */
function errorHandler(
  log: Log,
  { problemMembers = {}, problemPage }: Pick<AppOptions, 'problemMembers' | 'problemPage'>,
): ErrorHandler {
  return async (error, c) => {
    const failure = failureFor(error, c)
    const problem = problemOf(failure, pathOf(c.req.url))
    const { status, body, headers } = problem
    if (failure instanceof Failure) reportRefusal(failure, c)
    if (!(failure instanceof Failure)) {
      log.error({ err: error, requestId: c.get('requestId') }, 'request.failed')
    } else if (status >= 500) {
      log.warn({ err: failure, requestId: c.get('requestId') }, 'request.refused')
    }
    const page = await problemPage?.(c, problem)
    const members = { ...body, traceId: currentTraceId(), ...problemMembers }
    return page ?? c.body(JSON.stringify(members), status, headers)
  }
}

/** Refusals for a key in `/metrics`. */
const keyReasons: Partial<Record<Failure['kind'], string>> = {
  unauthorized: 'unknown',
  forbidden: 'forbidden',
}

/** Reports a refusal for a key, or for a limit, which its detail names. */
function reportRefusal({ kind, detail }: Failure, c: AppContext): void {
  const named = /\((?:limit )?([A-Za-z]+)\)/.exec(detail)?.[1]
  const limit = limitNames.find((name) => name === named)
  if (limit !== undefined) reportNumber('cartulary_refusals_total', [limit])
  const hasKey = ['X-API-Key', 'Authorization'].some((name) => c.req.header(name) !== undefined)
  const refused = kind === 'unauthorized' && !hasKey ? 'missing' : keyReasons[kind]
  const reason = limit === 'keyFailures' ? 'locked' : refused
  if (reason !== undefined) reportNumber('cartulary_key_failures_total', [reason])
}

/** Failure for an invalid body that Hono reports, or the signal's reason for aborted work; other errors stay as they are. */
function failureFor(error: unknown, c: AppContext): unknown {
  if (error instanceof Failure) return error
  if (error instanceof HTTPException && error.status === 400) {
    return new Failure('malformed-json', 'the body is not valid JSON', { cause: error })
  }
  // Aborted work throws any AbortError; the signal has the reason.
  const signal = c.get('signal')
  if (signal?.aborted && error instanceof Error && error.name === 'AbortError') return signal.reason
  return error
}

/** Answers a request with a method that no route of the path has: 405, or the methods for OPTIONS. */
function answerOtherMethod(
  c: AppContext,
  methods: readonly string[],
  refuse: ErrorHandler,
): Response | Promise<Response> {
  const headers = { Allow: [...methods, 'OPTIONS'].sort().join(', ') }
  if (c.req.method === 'OPTIONS') return c.body(null, 204, headers)
  const detail = `${c.req.method} is not possible here, only ${headers.Allow}`
  return refuse(new Failure('method-not-allowed', detail, { headers }), c)
}

// Gateway: several services on one port.

/** Handler of requests as `serve` takes it; every app is one. */
export type FetchHandler = {
  fetch(request: Request, env?: AppEnv['Bindings']): Response | Promise<Response>
}

/** App and the `base` that it was made with, `''` for the root. */
export type MountedApp = { readonly base: string; readonly app: FetchHandler }

/**
 * Makes a handler that passes each request to the app with the longest matching base; 404 without a match. Apps get the request
 * unchanged and remove their base themselves.
 */
export function gateway(mounted: readonly MountedApp[]): FetchHandler {
  const longestFirst = mounted.toSorted((a, b) => b.base.length - a.base.length)
  return {
    fetch: (request, env) => {
      const path = pathOf(request.url)
      const match = longestFirst.find(({ base }) => isBelow(path, base))
      if (match) return match.app.fetch(request, env)
      return problemResponse(new Failure('not-found', `there is nothing at ${path}`), path)
    },
  }
}

/** Problem response for a request that reaches no app. */
export function problemResponse(failure: Failure, path: string): Response {
  const { status, body, headers } = problemOf(failure, path)
  return new Response(JSON.stringify(body), { status, headers })
}
