/** What stands in front of all services on the common port: health, numbers, and where everything is. */

import { newApp, type App, type AppOptions } from './app.ts'
import { serveMetrics, type Metrics } from './metrics.ts'

/** Without `ready` the process is still starting. */
type Health = { readonly ready: boolean } & Readonly<Record<string, unknown>>

export type RootOptions = {
  readonly http: Omit<AppOptions, 'name' | 'base'>
  readonly metrics: Metrics
  readonly version: string
  /** Service → path. */
  readonly services: Readonly<Record<string, string>>
  readonly health: () => Promise<Health>
}

/** `GET /health` is 503 until the platform is ready; `GET /` lists the services. */
export function rootApp({ http, metrics, version, services, health }: RootOptions): App {
  const app = newApp({ ...http, name: 'root' })
  serveMetrics(app, metrics)
  app.get('/health', async (c) => {
    const { ready, ...state } = await health()
    c.header('Cache-Control', 'no-store')
    return c.json({ status: ready ? 'up' : 'starting', ...state }, ready ? 200 : 503)
  })
  app.get('/', (c) => c.json({ name: 'Cartulary', version, services, health: '/health' }))
  return app
}
