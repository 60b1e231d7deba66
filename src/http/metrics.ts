/** Numbers for operators in the Prometheus text format. */

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { cacheNames, lookupsOf } from '../workers/bounded-cache.ts'
import type { App } from './context.ts'

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

/** How the search index differed from the store, in records. */
type Comparison = {
  readonly compared: number
  readonly missing: number
  readonly stale: number
  readonly extra: number
  readonly repaired: number
}

/** Statements of the embedded store, and deleted ones that still take its memory. */
type StoreCounts = { readonly quads?: number; readonly dead?: number }

export type Metrics = {
  /** For numbers of other rooms: counters and gauges register themselves here. */
  readonly registry: Registry
  observe(request: Observation): void
  /** `field` and `problem` are names from the profile and the code, so that the number of series is bounded. */
  leftOut(values: readonly LeftOut[]): void
  /** A write that the store did not take. */
  writeFailed(reason: string): void
  /** A number of another room, read whenever somebody looks. */
  gauge(name: string, help: string, read: () => number): void
  /** What the last comparison of index and store found; `at` is when it ended, milliseconds since 1970. */
  compared(found: Comparison, at: number): void
  /** Asks at each scrape; what rejects or is absent leaves the last numbers. */
  store(counts: () => Promise<StoreCounts>): void
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
  const failures = new Counter({
    name: 'cartulary_store_write_failures_total',
    help: 'Writes that the store did not take.',
    labelNames: ['reason'],
    registers: [registry],
  })
  countCaches(registry)
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
    writeFailed: (reason) => failures.inc({ reason }),
    compared: comparing(registry),
    store: counting(registry),
    gauge: (name, help, read) => {
      const one: Gauge = new Gauge({
        name,
        help,
        registers: [registry],
        collect: () => one.set(read()),
      })
    },
  }
}

/** `rate(hits) / (rate(hits) + rate(misses))` is the hit rate of a cache. */
function countCaches(registry: Registry): void {
  for (const result of ['hits', 'misses'] as const) {
    const collect = () => {
      one.reset()
      for (const cache of cacheNames) one.inc({ cache }, lookupsOf(cache)[result])
    }
    const one: Counter = new Counter({
      name: `cartulary_cache_${result}_total`,
      help: `Lookups in a cache: ${result}.`,
      labelNames: ['cache'],
      registers: [registry],
      collect,
    })
  }
}

function counting(registry: Registry): Metrics['store'] {
  return (counts) => {
    const gauge = (name: 'quads' | 'dead', fullName: string, help: string) => {
      const collect = async () => {
        const found = (await counts().catch((): StoreCounts => ({})))[name]
        if (found !== undefined) one.set(found)
      }
      const one: Gauge = new Gauge({ name: fullName, help, registers: [registry], collect })
    }
    gauge('quads', 'cartulary_store_quads', 'Statements in the embedded store.')
    gauge(
      'dead',
      'cartulary_store_dead_quads',
      'Deleted statements that still take memory of the embedded store, until a copy without them takes over.',
    )
  }
}

/** The gauges are there from the first comparison on: none is not the same as no drift. */
function comparing(registry: Registry): Metrics['compared'] {
  const gauge = (name: string, help: string, ...labelNames: readonly string[]) =>
    new Gauge({ name: `cartulary_index_${name}`, help, labelNames, registers: [registry] })
  const made = () => ({
    drift: gauge('drift', 'Records in which the index differed, last time.', 'kind'),
    repaired: gauge(
      'repaired',
      'Records that were indexed again because they differed, last time.',
    ),
    records: gauge('compared_records', 'Records that were compared last time.'),
    time: gauge('compared_timestamp_seconds', 'When index and store were compared last.'),
  })
  let gauges: ReturnType<typeof made> | undefined
  return ({ compared, repaired, ...drift }, at) => {
    gauges ??= made()
    for (const kind of ['missing', 'stale', 'extra'] as const)
      gauges.drift.set({ kind }, drift[kind])
    gauges.repaired.set(repaired)
    gauges.records.set(compared)
    gauges.time.set(at / 1000)
  }
}

/** `GET /metrics`: everything in the registry as text. */
export function serveMetrics(app: App, { registry }: Metrics): void {
  app.get('/metrics', async (c) =>
    c.body(await registry.metrics(), 200, { 'Content-Type': registry.contentType }),
  )
}
