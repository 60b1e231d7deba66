/** Root app of the common port, for paths of no service: health, metrics, and the list of services; also while these start. */

import type { MiddlewareHandler } from 'hono'
import { Failure } from '../errors.ts'
import { newApp, type App, type AppContext, type AppOptions } from './app.ts'
import type { AppEnv } from './context.ts'
import { anyone, mount, pageEndpoint } from './endpoint.ts'
import { readMetrics, type Metrics } from './metrics.ts'
import { isLoopback } from './peer.ts'

/**
 * State of the platform; `starting` and `waiting` (for a lease or another server) precede answers of services, `stopping`
 * follows.
 */
type Status = 'starting' | 'waiting' | 'up' | 'degraded' | 'stopping'

/** Body of `/health`: the state, and members of the services. */
export type Health = { readonly status: Status } & Readonly<Record<string, unknown>>

/** Endpoints of an app: all, or with a port for administration only the list of services here and the others there. */
export type RootPart = 'all' | 'services' | 'administration'

type RootOptions = {
  readonly http: Omit<AppOptions, 'name' | 'base'>
  readonly metrics: Metrics
  readonly part: RootPart
  readonly version: string
  /** Service → its path. */
  readonly services: Readonly<Record<string, string>>
  /** Makes the body of `/health`; it may name hosts and paths only where `isTrusted`. */
  readonly health: (isTrusted: boolean) => Promise<Health>
  /** Whether load balancers should send requests; called often, so it must be cheap. */
  readonly isReady: () => boolean
  /** Says why the services do not answer yet; absent after the start. */
  readonly startupMessage?: () => string
  /** Mounts the files that the page shown during the start loads. */
  readonly mountFiles?: ((app: App) => void) | undefined
  /** Runs before the endpoints. */
  readonly middleware?: MiddlewareHandler<AppEnv> | undefined
  /** Whether a request has a valid key. */
  readonly hasKey?: (c: AppContext) => boolean
}

/** Seconds after which a client should try again during the start. */
const retryAfter = 5

/**
 * Makes the app. While the platform starts, all paths but those of its endpoints and files are answered with 503, because a 404
 * would mean that resources were deleted.
 */
export function rootApp(options: RootOptions): App {
  const { http, part, startupMessage, mountFiles, middleware } = options
  const app = newApp({ ...http, name: 'root' })
  mountFiles?.(app)
  if (middleware) app.use(middleware)
  if (startupMessage) {
    app.use(async (c, next) => {
      if (!isServedAtStart(c.req.path))
        throw new Failure('starting', startupMessage(), { retryAfter })
      return next()
    })
  }
  const isServed = {
    all: () => true,
    services: (endpoint: unknown) => endpoint === listServices,
    administration: (endpoint: unknown) => endpoint !== listServices,
  }[part]
  mount(app, rootEndpoints.filter(isServed), options)
  return app
}

/** Answers a state: 200 where it is good, else 503. */
const answerHealth = (c: AppContext, isOk: boolean, body: object) => {
  c.header('Cache-Control', 'no-store')
  return c.json(body, isOk ? 200 : 503)
}

const readHealth = pageEndpoint<RootOptions>({
  path: '/health',
  operation: 'getHealth',
  summary: '200 when the platform is up or degraded',
  auth: anyone,
  page: async (c, { health, hasKey }) => {
    const state = await health(isFromThisHost(c) || hasKey?.(c) === true)
    return answerHealth(c, state.status === 'up' || state.status === 'degraded', state)
  },
})

const readLiveness = pageEndpoint<RootOptions>({
  path: '/health/live',
  operation: 'getHealthLive',
  summary: '200 as long as the process answers at all',
  auth: anyone,
  page: (c) => answerHealth(c, true, { status: 'live' }),
})

const readReadiness = pageEndpoint<RootOptions>({
  path: '/health/ready',
  operation: 'getHealthReady',
  summary: '200 when the platform should get requests',
  auth: anyone,
  page: (c, { isReady }) => {
    const isGood = isReady()
    return answerHealth(c, isGood, { status: isGood ? 'ready' : 'not-ready' })
  },
})

const listServices = pageEndpoint<RootOptions>({
  path: '/',
  operation: 'listServices',
  summary: 'The services and their addresses; while the platform starts a page that asks again',
  auth: anyone,
  page: (c, { http, version, services, startupMessage }) => {
    if (!startupMessage) return c.json({ name: 'Cartulary', version, services, health: '/health' })
    if (wantsHtml(c) && http.problemPage)
      throw new Failure('starting', startupMessage(), { retryAfter })
    c.header('Retry-After', String(retryAfter))
    c.header('Refresh', String(retryAfter))
    return wantsHtml(c)
      ? c.html(startingPage(startupMessage()), 503)
      : c.json({ name: 'Cartulary', version, status: 'starting', health: '/health' }, 503)
  },
})

/** Endpoints of the root: health, metrics, the list of services. */
export const rootEndpoints = [readHealth, readLiveness, readReadiness, listServices, readMetrics]

const isServedAtStart = (path: string): boolean =>
  path === '/' || path === '/metrics' || path === '/health' || path.startsWith('/health/')

/** Whether a request comes from this host, and not through a proxy on it. */
const isFromThisHost = (c: AppContext): boolean =>
  isLoopback(c.get('client')) &&
  ['Forwarded', 'X-Forwarded-For'].every((name) => c.req.header(name) === undefined)

const wantsHtml = (c: AppContext): boolean => (c.req.header('Accept') ?? '').includes('text/html')

/** Page during the start; `reason` is a trusted sentence, which is not escaped. */
const startingPage = (reason: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Starting</title><h1>One moment, please</h1><p>${reason} This page asks again every ${retryAfter} seconds.</p></html>`
