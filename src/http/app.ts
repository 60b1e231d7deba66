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
import { pathOf, type App, type AppContext, type AppEnv, type LongAnswers } from './context.ts'
import type { Cors } from './headers.ts'
import { defaultLimits } from './limits.ts'
import { longAnswers } from './long-answers.ts'
import type { Metrics } from './metrics.ts'
import type { PublicAddress } from './peer.ts'
import { invalidRequest, problemOf, type ProblemAnswer } from './problem.ts'
import { requestMiddleware } from './request.ts'

export type { App, AppContext } from './context.ts'

/** Options of the base application that all services of a platform share; all but `log` have defaults that fit a test. */
export type SharedAppOptions = {
  readonly log: Log
  /** Path in front of all routes, without a slash at its end: `/api/hub/repo`; nothing on a port of its own. */
  readonly base?: string
  /** The path that routes know for a path; by default the path itself. An alias meets the same routes and permissions. */
  readonly alias?: (path: string) => string
  readonly metrics?: Metrics
  /** Milliseconds for one request; routes that need longer call `c.var.deadline.extend`. */
  readonly requestMs?: number
  /** Who may write and what counts as reading for pages of other origins; by default nobody, GET and HEAD. */
  readonly cors?: Partial<Cors>
  /** Addresses and ranges of proxies whose `Forwarded` headers are believed. */
  readonly trustedProxies?: readonly string[]
  /** Where clients reach the platform; what a request came by where nothing is known. */
  readonly publicAddress?: PublicAddress
  /** The name of the portal, which stands in the titles of pages; by default `Cartulary`. */
  readonly siteName?: string
  /** Slots of answers that can be long, for all services together. */
  readonly longAnswers?: LongAnswers
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number
  /** The page of a problem for whoever wants to read one; `undefined` leaves it to the problem document. */
  readonly problemPage?: (c: AppContext, problem: ProblemAnswer) => Promise<Response | undefined>
  /** Members of every problem beside those of RFC 9457. */
  readonly problemMembers?: Readonly<Record<string, unknown>>
  readonly makeId?: () => string
}

/** Options of one service's application; `name` is its name in log lines and metrics. */
export type AppOptions = SharedAppOptions & { readonly name: string }

/**
 * An empty service: request id, deadline, problems for every error, 404 and 405, CORS, security headers, gzip, HEAD for
 * every GET, and a trailing slash that means nothing for reads.
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
        name,
        cors,
        requestMs: options.requestMs ?? 60_000,
        trustedProxies: options.trustedProxies ?? [],
        publicAddress: options.publicAddress,
        base,
        siteName: options.siteName ?? 'Cartulary',
        longAnswers: options.longAnswers ?? longAnswers(defaultLimits),
        metrics: options.metrics,
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

/** The validator hands over what it parsed as `data`, also when parsing failed; its type does not say so. */
const rawValue = (result: object): unknown => ('data' in result ? result.data : undefined)

/** Path below `base`, decoded; reads may end in a slash that no route knows. */
function localPath(request: Request, base: string): string {
  const full = getPath(request)
  const path = base !== '' && isBelow(full, base) ? full.slice(base.length) || '/' : full
  if (path.length < 2 || !path.endsWith('/')) return path
  return slashMethods.has(request.method) ? path.replace(/\/$/, '') : path
}

const slashMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

const isBelow = (path: string, base: string): boolean =>
  path.startsWith(base) && (path.length === base.length || path[base.length] === '/')

type ErrorHandler = (error: unknown, c: AppContext) => Promise<Response>

/** Where all errors are answered: known ones are told, unknown ones are logged whole and answered as a bare 500. */
function errorHandler(
  log: Log,
  { problemMembers = {}, problemPage }: Pick<AppOptions, 'problemMembers' | 'problemPage'>,
): ErrorHandler {
  return async (error, c) => {
    const failure = failureFor(error, c)
    const problem = problemOf(failure, pathOf(c.req.url))
    const { status, body, headers } = problem
    if (!(failure instanceof Failure)) {
      log.error({ err: error, requestId: c.get('requestId') }, 'request.failed')
    } else if (status >= 500) {
      log.warn({ err: failure, requestId: c.get('requestId') }, 'request.refused')
    }
    const page = await problemPage?.(c, problem)
    return page ?? c.body(JSON.stringify({ ...body, ...problemMembers }), status, headers)
  }
}

function failureFor(error: unknown, c: AppContext): unknown {
  if (error instanceof Failure) return error
  if (error instanceof HTTPException && error.status === 400) {
    return new Failure('malformed-json', 'the body is not valid JSON', { cause: error })
  }
  // Whoever obeyed the signal throws some AbortError; the signal knows why.
  const signal = c.get('signal')
  if (signal?.aborted && error instanceof Error && error.name === 'AbortError') return signal.reason
  return error
}

/** The answer to a method that no route knows for a path that some route knows. */
function answerOtherMethod(
  c: AppContext,
  known: readonly string[],
  refuse: ErrorHandler,
): Response | Promise<Response> {
  const headers = { Allow: [...known, 'OPTIONS'].sort().join(', ') }
  if (c.req.method === 'OPTIONS') return c.body(null, 204, headers)
  const detail = `${c.req.method} is not possible here, only ${headers.Allow}`
  return refuse(new Failure('method-not-allowed', detail, { headers }), c)
}

// Several services behind one address.

/** Handler of requests, as `serve` takes it; every app is one. */
export type FetchHandler = {
  fetch(request: Request, env?: AppEnv['Bindings']): Response | Promise<Response>
}

/** An app and the path in front of its routes: the `base` that it was made with, `''` for the root. */
export type MountedApp = { readonly base: string; readonly app: FetchHandler }

/**
 * Sends each request to the app with the longest base that its path starts with; 404 where none fits. Apps get the
 * request as it is and cut off their base themselves.
 */
export function gateway(mounted: readonly MountedApp[]): FetchHandler {
  const ordered = mounted.toSorted((a, b) => b.base.length - a.base.length)
  return {
    fetch: (request, env) => {
      const path = pathOf(request.url)
      const match = ordered.find(({ base }) => isBelow(path, base))
      const failure = new Failure('not-found', `there is nothing at ${path}`)
      return match ? match.app.fetch(request, env) : problemResponse(failure, path)
    },
  }
}

/** The answer to a request that reaches no service. */
export function problemResponse(failure: Failure, path: string): Response {
  const { status, body, headers } = problemOf(failure, path)
  return new Response(JSON.stringify(body), { status, headers })
}
