/** Metrics of the process in the Prometheus text format. */

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry, Summary } from 'prom-client'
import { cacheNames, lookupsOf } from '../workers/bounded-cache.ts'
import {
  type GaugeReader,
  levelOf,
  receiveNumbers,
  reportedNumbers,
  shownLevels,
} from '../workers/numbers.ts'
import { anyone, pageEndpoint } from './endpoint.ts'
import { keysOf } from '../text/records.ts'
import { limitNames } from './limits.ts'

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

/** Methods that have series of their own. */
const methods = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])

/**
 * Most routes, by method and class of status, whose times have series of their own, the first that are asked for; the times of the
 * rest have those of their service with the route `other`.
 */
const mostRoutes = 32

/** Makes the metrics; one instance for a process. `runtime` adds memory, event loop and garbage collection. */
export function metrics(options: { readonly runtime?: boolean } = {}) {
  /** Registry of all metrics, which `readMetrics` writes out; other folders add theirs by `gauge`. */
  const registry = new Registry()
  const registers = [registry]
  if (options.runtime) addRuntime(registry)
  const leftOutCounter = new Counter({
    name: 'cartulary_left_out_total',
    help: 'Values that were left out of documents because they do not fit their field.',
    labelNames: ['field', 'problem'],
    registers,
  })
  addCacheCounters(registry)
  addReportedNumbers(registry)
  const gauge = gaugeAdder(registry)
  for (const name of keysOf(shownLevels)) gauge(name, shownLevels[name], () => levelOf(name))
  return {
    registry,
    gauge,
    ...httpMetrics(registry),
    /**
     * Counts values that were left out of documents; `field` and `problem` come from the profile and the code, which bounds the
     * number of series.
     */
    leftOut: (values: readonly { readonly field: string; readonly problem: string }[]): void => {
      for (const { field, problem } of values) leftOutCounter.inc({ field, problem })
    },
    compared: comparisonGauges(registry),
    embedder: () => embedderMetrics(registry),
  }
}

/** Adds memory, event loop and garbage collection, without the spaces of the heap: 39 series that answer no question. */
function addRuntime(registry: Registry): void {
  collectDefaultMetrics({ register: registry, gcDurationBuckets: [0.01, 0.1, 1] })
  for (const part of ['total', 'used', 'available'])
    registry.removeSingleMetric(`nodejs_heap_space_size_${part}_bytes`)
}

/** Adds the metrics of requests. */
function httpMetrics(registry: Registry) {
  const registers = [registry]
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer.',
    labelNames: ['service', 'method', 'route', 'status'],
    buckets: [0.01, 0.05, 0.25, 1, 5, 30],
    registers,
  })
  const responses = new Counter({
    name: 'http_responses_total',
    help: 'Answers by status.',
    labelNames: ['service', 'status'],
    registers,
  })
  const inFlight = new Gauge({
    name: 'http_requests_in_flight',
    help: 'Requests whose answer has not ended.',
    labelNames: ['service'],
    registers,
  })
  // Cached, because the look-up of a series by its labels costs more than the observation.
  const series = new Map<string, { observe(value: number): void }>()
  return {
    observe: ({ service, method: sent, route, status, seconds }: Observation): void => {
      const method = methods.has(sent) ? sent : 'other'
      const statusClass = `${Math.floor(status / 100)}xx`
      const name = `${service} ${method} ${route} ${statusClass}`
      const cached = series.get(name)
      const own = series.size < mostRoutes ? { method, route } : { method: 'other', route: 'other' }
      const labelled = cached ?? requests.labels({ service, ...own, status: statusClass })
      if (!cached) series.set(name, labelled)
      labelled.observe(seconds)
      responses.inc({ service, status })
    },
    /** Adds a request that began, or removes one that ended. */
    inFlight: (service: string, by: 1 | -1): void => inFlight.inc({ service }, by),
  }
}

/** Makes the function that adds a gauge whose values are read from memory at each request of `/metrics`. */
function gaugeAdder(registry: Registry) {
  return (name: string, help: string, read: GaugeReader, ...labelNames: string[]): void => {
    const collect = () => {
      const found = read()
      if (found === undefined) return
      if (typeof found === 'number') return metric.set(found)
      metric.reset()
      for (const row of found) {
        const labels = labelNames.map((label, at) => [label, String(row[at])] as const)
        metric.set(Object.fromEntries(labels), Number(row.at(-1)))
      }
    }
    const metric: Gauge = new Gauge({ name, help, labelNames, registers: [registry], collect })
  }
}

/** Adds the numbers that other folders report, each series from the start; receives the reports from now on. */
function addReportedNumbers(registry: Registry): void {
  const adders = new Map<string, (values: readonly string[], value: number) => void>()
  const registers = [registry]
  for (const [name, { help, labels, buckets }] of Object.entries(reportedNumbers)) {
    const labelNames = Object.keys(labels)
    const known = Object.entries(labels).map(
      ([label, values]) => new Set<string>(label === 'limit' ? limitNames : values),
    )
    const labelsOf = (sent: readonly string[]) =>
      Object.fromEntries(
        labelNames.map((label, at) => [label, known[at]?.has(sent[at] ?? '') ? sent[at] : 'other']),
      )
    if (buckets) {
      const options = { name, help, labelNames, buckets: [...buckets], registers }
      const metric = new Histogram<string>(options)
      adders.set(name, (sent, seconds) => metric.observe(labelsOf(sent), seconds))
      continue
    }
    const metric = new Counter<string>({ name, help, labelNames, registers })
    adders.set(name, (sent, value) => metric.inc(labelsOf(sent), value))
    const [first = [], second = ['']] = Object.values(labels)
    for (const value of first) for (const last of second) metric.inc(labelsOf([value, last]), 0)
  }
  receiveNumbers((name, values, value) => adders.get(name)?.(values, value))
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
 * 1970. They have values from the first comparison on, because no comparison is not the same as no drift.
 */
function comparisonGauges(registry: Registry): (comparison: Comparison, endedAt: number) => void {
  const gauge = (name: string, help: string, ...labelNames: readonly string[]) =>
    new Gauge({ name: `cartulary_index_${name}`, help, labelNames, registers: [registry] })
  const driftGauge = gauge('drift', 'Records in which the index differed, last time.', 'kind')
  const makeGauges = () => ({
    drift: driftGauge,
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
