/** Where quality is measured: the room of metrics between the repository whose datasets it measures and the runs that do it. */

import { resolve } from 'node:path'
import type { Outbound } from '../client/outbound.ts'
import type { MetricsPart, RepositoryPart } from '../console/console-parts.ts'
import { Failure, shown } from '../errors.ts'
import type { Entrance } from '../http/app.ts'
import { invalid } from '../http/problem.ts'
import { cacheApp } from '../metrics/figures/cache-app.ts'
import { knownDatasetIds } from '../metrics/figures/catalogue-reader.ts'
import type { Schedule, Schedules } from '../metrics/figures/refresh-queue.ts'
import { collector, type Collector, datasetsIn } from '../metrics/pipe/collector.ts'
import type { MetricsRepository } from '../metrics/pipe/metrics-export.ts'
import { reportsApp } from '../metrics/reports/report-app.ts'
import { type MetricsStation, openMetrics } from '../metrics/station.ts'
import { validationApp } from '../metrics/validate/validation-app.ts'
import type { Feed } from '../pipe/runs/run.ts'
import { defaultFacets } from '../projector/building/facets.ts'
import { triggerAnswer, triggerSchema } from '../scheduler/trigger-input.ts'
import { nextFiring, type Trigger } from '../scheduler/trigger.ts'
import type { Landed } from '../store/marks.ts'
import { clock } from './clock.ts'
import { shipped } from './engines.ts'
import {
  doorAt,
  furtherPaths,
  type PlatformContext,
  servicePaths,
  version,
} from './platform-context.ts'
import type { Harvesting } from './harvesting.ts'

/** Opens the segments that measure; to be stopped when no run is under way. */
export function openMeasuring(
  context: PlatformContext,
  repository: MetricsRepository | undefined,
  outbound: Outbound,
): Promise<MetricsStation> {
  const { shell, engines } = context
  return openMetrics({
    ...clock,
    elapsed: () => performance.now(),
    bands: bandsOf(context),
    schedules: cacheSchedules,
    config: shell.config.metrics,
    directory: resolve(shell.config.dataDir),
    shapes: shipped('shapes'),
    store: engines.store,
    names: engines.names,
    outbound,
    repository,
    log: shell.log,
  })
}

/** `launch <catalogue> <pipe>` of the console; absent where nothing can be launched. */
export function catalogueLaunch(
  { shell, engines }: PlatformContext,
  { pipes, launcher }: Harvesting,
): NonNullable<RepositoryPart['launch']> {
  const { validator } = shell.config
  return async ({ catalogue, pipe, pulseMs, withMetrics }, signal) => {
    if (!validator.enabled) throw new Failure('conflict', switchedOff)
    const known = pipes.find(pipe)
    if (!known) throw new Failure('unknown-pipe', `Pipe ${shown(pipe)} not available`)
    const found = await knownDatasetIds(engines, catalogue, signal)
    const launched = launcher.launch({
      pipe,
      startedBy: 'console',
      startMode: 'append',
      feed: {
        catalogue,
        ...(pulseMs > 0 && { pulseMs }),
        ...(withMetrics && { withMetrics }),
      },
    })
    return { found: found.length, run: 'run' in launched ? launched.run.id : launched.dropped.id }
  }
}

const switchedOff =
  'nothing is launched over a catalogue: set PLATFORM_HUB_VALIDATOR={"enabled":true,"metricsPipeName":"metrics"}'

/** `refresh [catalogue]` of the console. */
export const refreshOf =
  ({ cache }: MetricsStation): MetricsPart['refresh'] =>
  async (catalogue, signal) =>
    void (await cache.refresh(catalogue === undefined ? 'all' : [catalogue], signal))

export type Automatic = {
  /** Datasets are among what has landed, as their writers hand them over. */
  readonly written: (landed: readonly Landed[]) => void
  /** What is written from now on is measured. */
  readonly begin: (harvesting: Harvesting) => void
  readonly stop: () => Promise<void>
}

/** Has measured what is written, by itself, where the configuration says so. */
export function automaticMetrics(context: PlatformContext): Automatic {
  const { names } = context.engines
  const self: { collector?: Collector } = {}
  return {
    written: (landed) => {
      for (const { catalogue, dataset } of self.collector ? datasetsIn(landed, names) : [])
        self.collector?.written(catalogue, dataset)
    },
    begin: (harvesting) => {
      const isOn = context.shell.config.validator.enabled && harvesting.measuring?.feeds
      if (isOn) self.collector = collecting(context, harvesting)
    },
    stop: async () => self.collector?.stop(),
  }
}

function collecting({ shell }: PlatformContext, { launcher }: Harvesting): Collector {
  const { validator, metrics } = shell.config
  const launch = (feed: Feed) =>
    launcher.launch({
      pipe: validator.metricsPipeName,
      startedBy: 'validator',
      startMode: 'append',
      feed,
    })
  return collector({
    ...clock,
    log: shell.log,
    collectMs: metrics.collectMinutes * 60_000,
    isBusy: () => launcher.active().some(({ startedBy }) => startedBy !== 'validator'),
    run: async (feed, signal) => {
      const launched = launch(feed)
      if ('run' in launched) await launcher.settled(launched.run.id, signal)
    },
    leave: (feed) => void launch(feed),
  })
}

/** The doors of the figures, of the reports and of the validation. */
export function metricsDoors(
  context: PlatformContext,
  station: MetricsStation,
): readonly Entrance[] {
  const { engines, keys } = context
  const { limits } = context.shell.config
  const { shapes, reports } = furtherPaths
  const { cache, validation, expected, weights } = station
  const { names, store } = engines
  const figures = cacheApp({
    cache,
    store,
    names,
    keys,
    now: clock.now,
    version,
    ...doorAt(context, servicePaths.metrics),
  })
  const told = { figures: cache.figures, bands: bandsOf(context), weights, version }
  const portal = new URL(names.base).host
  return [
    { base: servicePaths.metrics, app: figures },
    { base: reports, app: reportsApp({ ...told, portal, ...doorAt(context, reports) }) },
    {
      base: shapes,
      app: validationApp({
        validation,
        expected,
        version,
        limits,
        isOwn: (iri) => names.owns(iri),
        ...doorAt(context, shapes, ['POST']),
      }),
    },
  ]
}

/** As the facet of the search calls them. */
const bandsOf = ({ shell }: PlatformContext) =>
  [...(shell.config.search.facets ?? []), ...defaultFacets].find(({ id }) => id === 'scoring')
    ?.bands ?? []

// The scheduler's triggers as the schedules of the metrics cache: read, kept and told in the same words.

export const cacheSchedules: Schedules = {
  read: (body, now) => {
    const read = triggerSchema(now).safeParse(body)
    if (!read.success) throw invalid(read.error.issues, 'json', body)
    const { data } = read
    if (data.timing !== 'immediate') {
      const { id, status, timing } = data
      return scheduleOf({ id, status, timing })
    }
    const detail =
      'a schedule has one of cron, interval and specific; /admin/refresh starts at once'
    throw new Failure('invalid-parameter', detail, { errors: [{ detail }] })
  },
  revive: (kept) => scheduleOf(JSON.parse(kept)),
}

const scheduleOf = (trigger: Trigger): Schedule => ({
  id: trigger.id,
  isEnabled: trigger.status === 'enabled',
  kept: JSON.stringify(trigger),
  document: triggerAnswer({ ...trigger, pipe: '', since: 0 }),
  next: (after) => nextFiring(trigger.timing, after),
})
