/** Numbers for operators in the Prometheus text format. */

import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client'
import type { App } from './shell/context.ts'

/** One request that was answered; `route` is the pattern, so that the number of series stays small. */
type Observation = {
  readonly service: string
  readonly method: string
  readonly route: string
  readonly status: number
  readonly seconds: number
}

/** Values that did not fit their field. */
type LeftOut = { readonly field: string; readonly problem: string }

export type Metrics = {
  /** For numbers of other rooms: counters and gauges register themselves here. */
  readonly registry: Registry
  observe(request: Observation): void
  /** `field` and `problem` are names from the profile and the code, so that the number of series is bounded. */
  leftOut(values: readonly LeftOut[]): void
}

/** One registry per process; `runtime` adds memory, event loop and garbage collection. */
export function metrics(options: { readonly runtime?: boolean } = {}): Metrics {
  const registry = new Registry()
  if (options.runtime) collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to its answer.',
    labelNames: ['service', 'method', 'route', 'status'],
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 60],
    registers: [registry],
  })
  const left = new Counter({
    name: 'cartulary_left_out_total',
    help: 'Values that were left out of documents because they do not fit their field.',
    labelNames: ['field', 'problem'],
    registers: [registry],
  })
  // Looking a series up by its labels costs more than the observation itself.
  const series = new Map<string, { observe(value: number): void }>()
  return {
    registry,
    observe: ({ service, method, route, status, seconds }) => {
      const name = `${service} ${method} ${route} ${status}`
      const known = series.get(name)
      const found = known ?? requests.labels({ service, method, route, status: String(status) })
      if (!known) series.set(name, found)
      found.observe(seconds)
    },
    leftOut: (values) => {
      for (const { field, problem } of values) left.inc({ field, problem })
    },
  }
}

/** `GET /metrics`: everything in the registry as text. */
export function serveMetrics(app: App, { registry }: Metrics): void {
  app.get('/metrics', async (c) =>
    c.body(await registry.metrics(), 200, { 'Content-Type': registry.contentType }),
  )
}
