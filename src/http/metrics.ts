/** Metrics of the process in the Prometheus text format. */

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry, Summary } from 'prom-client'
import { cacheNames, lookupsOf } from '../workers/bounded-cache.ts'
import { anyone, pageEndpoint } from './endpoint.ts'

/** Answered request; `route` is the pattern of its path, which bounds the number of series. */
type Observation = {
  readonly service: string
  readonly method: string
  readonly route: string
  readonly status: number
  readonly seconds: number
}

/** Result of a comparison of search index and store, in numbers of records. */
type Comparison = {
  readonly compared: number
  readonly missing: number
  readonly stale: number
  readonly extra: number
  readonly repaired: number
}

/** Metrics of the process, as `metrics` makes them. */
export type Metrics = ReturnType<typeof metrics>

/** Makes the metrics; one instance for a process. `runtime` adds memory, event loop and garbage collection. */
export function metrics(options: { readonly runtime?: boolean } = {}) {
  /** Registry of all metrics, which `readMetrics` writes out; other folders add theirs by `gauge`. */
  const registry = new Registry()
  const registers = [registry]
  if (options.runtime) collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer.',
    labelNames: ['service', 'method', 'route', 'status'],
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 60],
    registers,
  })
  const counter = (name: string, help: string, ...labelNames: readonly string[]) =>
    new Counter({ name: `cartulary_${name}`, help, labelNames, registers })
  const leftOutHelp = 'Values that were left out of documents because they do not fit their field.'
  const leftOutCounter = counter('left_out_total', leftOutHelp, 'field', 'problem')
  const failureHelp = 'Writes that the store did not take.'
  const failures = counter('store_write_failures_total', failureHelp, 'reason')
  /** Adds a gauge whose value is read at each request of `/metrics`; `undefined` keeps the last value. */
  const gauge = (
    name: string,
    help: string,
    read: () => number | undefined | Promise<number | undefined>,
  ): void => {
    const collect = async () => {
      const value = await read()
      if (value !== undefined) metric.set(value)
    }
    const metric: Gauge = new Gauge({ name, help, registers, collect })
  }
  addCacheCounters(registry)
  // Cached, because the look-up of a series by its labels costs more than the observation.
  const series = new Map<string, { observe(value: number): void }>()
  return {
    registry,
    gauge,
    observe: ({ service, method, route, status, seconds }: Observation): void => {
      const name = `${service} ${method} ${route} ${status}`
      const cached = series.get(name)
      const labelled = cached ?? requests.labels({ service, method, route, status: String(status) })
      if (!cached) series.set(name, labelled)
      labelled.observe(seconds)
    },
    /**
     * Counts values that were left out of documents; `field` and `problem` come from the profile and the code, which bounds the
     * number of series.
     */
    leftOut: (values: readonly { readonly field: string; readonly problem: string }[]): void => {
      for (const { field, problem } of values) leftOutCounter.inc({ field, problem })
    },
    /** Counts a write that the store did not take. */
    writeFailed: (reason: string): void => failures.inc({ reason }),
    compared: comparisonGauges(registry),
    embedder: () => embedderMetrics(registry),
  }
}

/** Adds the counters of all caches; the hit rate is `rate(hits) / (rate(hits) + rate(misses))`. */
function addCacheCounters(registry: Registry): void {
  for (const result of ['hits', 'misses'] as const) {
    const counter: Counter = new Counter({
      name: `cartulary_cache_${result}_total`,
      help: `Lookups in a cache: ${result}.`,
      labelNames: ['cache'],
      registers: [registry],
      collect: () => {
        counter.reset()
        for (const cache of cacheNames) counter.inc({ cache }, lookupsOf(cache)[result])
      },
    })
  }
}

/**
 * Makes the function that sets the gauges of the last comparison of index and store; `endedAt` is its end in milliseconds since
 * 1970. The gauges exist from the first comparison on, because no comparison is not the same as no drift.
 */
function comparisonGauges(registry: Registry): (comparison: Comparison, endedAt: number) => void {
  const gauge = (name: string, help: string, ...labelNames: readonly string[]) =>
    new Gauge({ name: `cartulary_index_${name}`, help, labelNames, registers: [registry] })
  const makeGauges = () => ({
    drift: gauge('drift', 'Records in which the index differed, last time.', 'kind'),
    repaired: gauge('repaired', 'Records that were indexed again as they differed, last time.'),
    records: gauge('compared_records', 'Records that were compared last time.'),
    time: gauge('compared_timestamp_seconds', 'When index and store were compared last.'),
  })
  let gauges: ReturnType<typeof makeGauges> | undefined
  return ({ compared, repaired, ...drift }, endedAt) => {
    gauges ??= makeGauges()
    for (const kind of ['missing', 'stale', 'extra'] as const)
      gauges.drift.set({ kind }, drift[kind])
    gauges.repaired.set(repaired)
    gauges.records.set(compared)
    gauges.time.set(endedAt / 1000)
  }
}

/** Adds the metrics of an embedder; they exist only where one is configured. `queried` takes seconds. */
function embedderMetrics(registry: Registry) {
  const registers = [registry]
  const calls = new Counter({
    name: 'cartulary_embedder_calls_total',
    help: 'Calls for vectors; those of queries that were not kept and came too late or not at all have failed.',
    labelNames: ['purpose', 'outcome'],
    registers,
  })
  const seconds = new Summary({
    name: 'cartulary_embedder_query_seconds',
    help: 'Time that searches waited for the vectors of their queries, in the last ten minutes.',
    percentiles: [0.5, 0.95],
    maxAgeSeconds: 600,
    ageBuckets: 5,
    registers,
  })
  return {
    called: (purpose: 'records' | 'queries', isAnswered: boolean): void =>
      calls.inc({ purpose, outcome: isAnswered ? 'answered' : 'failed' }),
    queried: (waited: number): void => seconds.observe(waited),
  }
}

/** Endpoint `/metrics`: all metrics as text. */
export const readMetrics = pageEndpoint<{ readonly metrics: Pick<Metrics, 'registry'> }>({
  path: '/metrics',
  operation: 'getMetrics',
  summary: 'Numbers of this process for Prometheus',
  auth: anyone,
  page: async (c, { metrics: { registry } }) =>
    c.body(await registry.metrics(), 200, { 'Content-Type': registry.contentType }),
})
