/**
 * Opens the service `metrics` between the repository whose datasets are measured and the runs that measure them; makes its apps,
 * its commands of the console and its trigger.
 */

import { resolve } from 'node:path'
import type { Outbound } from '../client/outbound.ts'
import type { MetricsPart, RepositoryPart } from '../console/console-parts.ts'
import { Failure, shown } from '../errors.ts'
import type { AppContext, MountedApp } from '../http/app.ts'
import type { JobRunner } from '../jobs/job-runner.ts'
import { invalidRequest } from '../http/problem.ts'
import { cacheApp } from '../metrics/figures/cache-app.ts'
import { readCatalogues, requireDatasetIds } from '../metrics/figures/catalogue-reader.ts'
import type { Schedule, ScheduleReader } from '../metrics/figures/refresh-schedules.ts'
import { startCollector, type Collector, datasetsIn } from '../metrics/pipe/collector.ts'
import type { MetricsRepository } from '../metrics/pipe/metrics-repository.ts'
import { reportsApp } from '../metrics/reports/report-app.ts'
import { type MetricsService, openMetrics } from '../metrics/metrics-service.ts'
import { validatedType } from '../metrics/validate/validating-segment.ts'
import { validationApp } from '../metrics/validate/validation-app.ts'
import type { Feed } from '../pipe/runs/run.ts'
import { pagePath } from '../portal/addresses.ts'
import { preferredLanguage } from '../portal/negotiation.ts'
import { fromLines } from '../rdf/lines.ts'
import { keyOf } from '../rdf/read.ts'
import type { RecordCheck } from '../repository/repository-context.ts'
import { rootPath } from '../portal/page-shell.ts'
import { defaultFacets } from '../projector/building/facets.ts'
import { triggerAnswer, triggerSchema } from '../scheduler/trigger-input.ts'
import { nextFiring, type Trigger } from '../scheduler/trigger.ts'
import type { CommittedMark } from '../store/marks.ts'
import { clock } from './clock.ts'
import { shipped } from './engines.ts'
import {
  furtherPaths,
  httpAt,
  type PlatformContext,
  servicePaths,
  siteNameOf,
  version,
} from './platform-context.ts'
import type { Harvesting } from './harvesting.ts'

type MeasuringOptions = {
  readonly repository: MetricsRepository | undefined
  readonly outbound: Outbound
  readonly jobs: JobRunner
}

/** Makes the check of drafts by validation and score; without the service it finds nothing. */
export const recordCheck =
  (
    { store, names }: Pick<PlatformContext, 'store' | 'names'>,
    measuring: () => MetricsService | undefined,
  ): RecordCheck =>
  async (lines, catalogue, signal) => {
    const service = measuring()
    if (!service) return { results: [] }
    const report = await service.validation.validate(lines, ['dcatap301level2'], signal)
    const stored = await readCatalogues({ store, names }, [catalogue], signal)
    const isCompliant =
      stored.get(catalogue)?.type?.toLowerCase() === validatedType &&
      !report.results.some(({ severity }) => severity === 'Violation')
    const [score] = await service.expected(fromLines(lines), isCompliant, signal)
    const results = report.results.map(({ focusNode, path, value, messages, ...result }) => ({
      ...result,
      node: focusNode && keyOf(focusNode),
      path: path && 'termType' in path ? path.value : undefined,
      value: value && keyOf(value),
      messages: Object.fromEntries(messages.map(({ language, value: text }) => [language, text])),
    }))
    return { results, score: score?.total, dimensions: score?.dimensions }
  }

/** Opens the service; stop it when no run is active. */
export function openMeasuring(
  context: PlatformContext,
  { repository, outbound, jobs }: MeasuringOptions,
): Promise<MetricsService> {
  const { config, store, names, log } = context
  return openMetrics({
    ...clock,
    elapsed: () => performance.now(),
    bands: bandsOf(context),
    schedules: cacheSchedules,
    config: config.metrics,
    directory: resolve(config.dataDir),
    shapes: shipped('shapes'),
    store,
    names,
    outbound,
    repository,
    jobs,
    log,
  })
}

/** Makes `launch <catalogue> <pipe>` of the console, which runs a pipe over the datasets of a catalogue. */
export function catalogueLaunch(
  { config, store, names }: PlatformContext,
  { pipes, launcher }: Harvesting,
): NonNullable<RepositoryPart['launch']> {
  return async ({ catalogue, pipe, pulseMs, withMetrics }, signal) => {
    if (!config.validator.enabled) throw new Failure('conflict', switchedOff)
    const entry = pipes.find(pipe)
    if (!entry) throw new Failure('unknown-pipe', `Pipe ${shown(pipe)} not available`)
    const ids = await requireDatasetIds({ store, names }, catalogue, signal)
    const launched = launcher.launch({
      pipe,
      startedBy: 'console',
      startMode: 'append',
      feed: {
        catalogue,
        ...(pulseMs > 0 && { pulseMs }),
        withMetrics,
      },
    })
    return {
      datasets: ids.length,
      run: 'run' in launched ? launched.run.id : launched.dropped.id,
    }
  }
}

const switchedOff =
  'nothing is launched over a catalogue: set PLATFORM_HUB_VALIDATOR={"enabled":true,"metricsPipeName":"metrics"}'

/** Makes `refresh [catalogue]` of the console. */
export const refreshOf =
  ({ cache }: MetricsService): MetricsPart['refresh'] =>
  async (catalogue, signal) =>
    void (await cache.refreshes.refresh(
      catalogue === undefined ? 'all' : [catalogue],
      'console',
      signal,
    ))

/** Trigger that measures written datasets; without effect before `begin`. */
export type MetricsTrigger = {
  /** Notes the datasets among committed marks. */
  readonly written: (landed: readonly CommittedMark[]) => void
  /** Starts measuring what is written from now on, where that is enabled and this process has the repository. */
  readonly begin: (harvesting: Harvesting) => void
  /** Ends measuring and records runs for what was not measured yet. */
  readonly stop: () => Promise<void>
}

/** Makes the trigger that measures written datasets, where `PLATFORM_HUB_VALIDATOR` enables it. */
export function metricsTrigger(context: PlatformContext): MetricsTrigger {
  let collector: Collector | undefined
  return {
    written: (landed) => {
      for (const { catalogue, dataset } of collector ? datasetsIn(landed, context.names) : [])
        collector?.add(catalogue, dataset)
    },
    begin: (harvesting) => {
      const isEnabled = context.config.validator.enabled && harvesting.measuring?.feeds
      if (isEnabled) collector = collectorFor(context, harvesting)
    },
    stop: async () => collector?.stop(),
  }
}

function collectorFor({ config, log }: PlatformContext, { launcher }: Harvesting): Collector {
  const { validator, metrics } = config
  const launch = (feed: Feed) =>
    launcher.launch({
      pipe: validator.metricsPipeName,
      startedBy: 'validator',
      startMode: 'append',
      feed,
    })
  return startCollector({
    ...clock,
    log,
    collectMs: metrics.collectMinutes * 60_000,
    isBusy: () => launcher.active().some(({ startedBy }) => startedBy !== 'validator'),
    run: async (feed, signal) => {
      const launched = launch(feed)
      if ('run' in launched) await launcher.waitForEnd(launched.run.id, signal)
    },
    saveForRestart: (feed) => void launch(feed),
  })
}

/** Makes the apps for figures, reports and validation, each with its path. */
export function metricsApps(
  context: PlatformContext,
  { cache, validation, expected, weights }: MetricsService,
): readonly MountedApp[] {
  const { names, store, keys, config } = context
  const { shapes, reports } = furtherPaths
  const figures = cacheApp({
    cache,
    store,
    names,
    keys,
    now: clock.now,
    version,
    ...httpAt(context, servicePaths.metrics),
  })
  const pages = reportsApp({
    figures: cache.figures,
    bands: bandsOf(context),
    weights,
    version,
    portal: siteNameOf(config.portal),
    pageOf: reportPages(context),
    ...httpAt(context, reports),
  })
  const validations = validationApp({
    validation,
    expected,
    version,
    limits: config.limits,
    hasKey: (c) => keys.find(c) !== undefined,
    isPlatformIri: (iri) => names.owns(iri),
    ...httpAt(context, shapes, ['POST']),
  })
  return [
    { base: servicePaths.metrics, app: figures },
    { base: reports, app: pages },
    { base: shapes, app: validations },
  ]
}

/** Paths of the pages that show reports, in the language that is named or that the reader wants; absent without a portal. */
function reportPages({ config, pages }: PlatformContext) {
  if (!pages) return undefined
  const { languages } = config.portal
  return (c: AppContext, steps: readonly string[], locale?: string): string => {
    const named = languages.find((code) => code === locale?.toLowerCase().split('-')[0])
    const language = named ?? preferredLanguage(c, config.portal)
    return rootPath(c) + pagePath(language, 'quality', ...steps)
  }
}

/** Bands of scores as the facet `scoring` names them. */
const bandsOf = ({ config }: PlatformContext) =>
  [...(config.search.facets ?? []), ...defaultFacets].find(({ id }) => id === 'scoring')?.bands ??
  []

/** Reads and writes schedules of the metrics cache, which are triggers without a pipe. Throws `invalid-parameter`. */
export const cacheSchedules: ScheduleReader = {
  read: (body, now) => {
    const result = triggerSchema(now).safeParse(body)
    if (!result.success) throw invalidRequest(result.error.issues, 'json', body)
    const { data } = result
    if (data.timing !== 'immediate') {
      const { id, status, timing } = data
      return scheduleOf({ id, status, timing })
    }
    const detail =
      'a schedule has one of cron, interval and specific; /admin/refresh starts at once'
    throw new Failure('invalid-parameter', detail, { errors: [{ detail }] })
  },
  deserialize: (text) => scheduleOf(JSON.parse(text)),
}

const scheduleOf = (trigger: Trigger): Schedule => ({
  id: trigger.id,
  isEnabled: trigger.status === 'enabled',
  serialized: JSON.stringify(trigger),
  document: triggerAnswer({ ...trigger, pipe: '', since: 0 }),
  firingAfter: (moment) => nextFiring(trigger.timing, moment),
})
