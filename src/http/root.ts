/** Root app of the common port, in front of all services: health, metrics, and the list of addresses. */

import { Failure } from '../errors.ts'
import { newApp, type App, type AppContext, type AppOptions } from './app.ts'
import { serveMetrics, type Metrics } from './metrics.ts'
import { isLoopback } from './peer.ts'

/** `starting` and `waiting` come before the first answer of a service, `stopping` after the last one. */
type Status = 'starting' | 'waiting' | 'up' | 'degraded' | 'stopping'

export type Health = { readonly status: Status } & Readonly<Record<string, unknown>>

type RootOptions = {
  readonly http: Omit<AppOptions, 'name' | 'base'>
  readonly metrics: Metrics
  readonly version: string
  /** Service → path. */
  readonly services: Readonly<Record<string, string>>
  /** Body of `/health`; hosts and paths are named only to requests from this host or with a valid key. */
  readonly health: (isTrusted: boolean) => Promise<Health>
  /** Whether requests should be sent here; asked often, so it looks nothing up. */
  readonly isReady: () => boolean
  /** Says why no service answers yet; absent once they do. */
  readonly starting?: () => string
  /** Serves what the page of a start loads: without its style nobody can read it. */
  readonly files?: ((app: App) => void) | undefined
  /** Whether the request has a right key. */
  readonly hasKey?: (c: AppContext) => boolean
}

/** Seconds until who asks should ask again. */
const retryAfter = 5

/**
 * `GET /health` is 200 when the platform is up or degraded, `/health/ready` when it should get requests, `/health/live` as
 * long as the process answers at all; `GET /` lists the services. While the platform starts, every other address is 503:
 * a 404 would say that what stood there was deleted.
 */
export function rootApp(options: RootOptions): App {
  const { http, metrics, version, services, starting, files } = options
  const app = newApp({ ...http, name: 'root' })
  files?.(app)
  if (starting) {
    app.use(async (c, next) => {
      if (!isServed(c.req.path)) throw new Failure('starting', starting(), { retryAfter })
      return next()
    })
  }
  serveMetrics(app, metrics)
  serveHealth(app, options)
  app.get('/', (c) => {
    if (!starting) return c.json({ name: 'Cartulary', version, services, health: '/health' })
    if (isForPeople(c) && http.problemPage)
      throw new Failure('starting', starting(), { retryAfter })
    c.header('Retry-After', String(retryAfter))
    c.header('Refresh', String(retryAfter))
    return isForPeople(c)
      ? c.html(startingPage(starting()), 503)
      : c.json({ name: 'Cartulary', version, status: 'starting', health: '/health' }, 503)
  })
  return app
}

function serveHealth(app: App, { health, isReady, hasKey }: RootOptions): void {
  const answer = (c: AppContext, isGood: boolean, body: object) => {
    c.header('Cache-Control', 'no-store')
    return c.json(body, isGood ? 200 : 503)
  }
  app.get('/health', async (c) => {
    const state = await health(isNear(c) || hasKey?.(c) === true)
    return answer(c, state.status === 'up' || state.status === 'degraded', state)
  })
  app.get('/health/live', (c) => answer(c, true, { status: 'live' }))
  app.get('/health/ready', (c) => {
    const is = isReady()
    return answer(c, is, { status: is ? 'ready' : 'not-ready' })
  })
}

const isServed = (path: string): boolean =>
  path === '/' || path === '/metrics' || path === '/health' || path.startsWith('/health/')

/** From this host, and not through a proxy on it. */
const isNear = (c: AppContext): boolean =>
  isLoopback(c.get('client')) &&
  ['Forwarded', 'X-Forwarded-For'].every((name) => c.req.header(name) === undefined)

const isForPeople = (c: AppContext): boolean => (c.req.header('Accept') ?? '').includes('text/html')

/** `why` is a sentence of ours. */
const startingPage = (why: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Starting</title><h1>One moment, please</h1><p>${why} This page asks again every ${retryAfter} seconds.</p></html>`
