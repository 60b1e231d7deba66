/**
 * Quality metrics as one service: the segments that measure, the feed of datasets, validation, expected scores and the figures.
 */

import { join } from 'node:path'
import type { MetricsConfig } from '../config/metrics.ts'
import type { Outbound } from '../client/outbound.ts'
import type { JobRunner } from '../jobs/job-runner.ts'
import type { Log } from '../log.ts'
import type { MetricsExport } from '../pipe/message.ts'
import type { Feed, Run } from '../pipe/runs/run.ts'
import type { SegmentFunction, SegmentKind } from '../pipe/segment.ts'
import type { Names } from '../rdf/names.ts'
import type { GraphStore } from '../store/graph-store.ts'
import { openCache, type Cache } from './figures/metrics-cache.ts'
import type { ScheduleReader } from './figures/refresh-schedules.ts'
import type { ScoreBand } from './figures/figures.ts'
import { feedSegment } from './pipe/dataset-feed.ts'
import { expectedScores, type ScoreExpectation } from './measure/expected-score.ts'
import { annotatorSegment } from './measure/annotator-segment.ts'
import { loadValueTests, type ValueTests } from './measure/measured-values.ts'
import { openReach, type UrlReach } from './reach/url-reach.ts'
import { urlStatusSegment } from './reach/reach-segment.ts'
import { scoringSegment } from './measure/scoring-segment.ts'
import { loadWeights, type Weights } from './measure/weights.ts'
import { metricsExport, type MetricsRepository } from './pipe/metrics-repository.ts'
import { validatingSegment } from './validate/validating-segment.ts'
import { openValidation, type Validation } from './validate/validation.ts'
import type { Pause } from '../workers/pause.ts'

type MetricsOptions = {
  readonly config: MetricsConfig
  /** Directory of the data files. */
  readonly directory: string
  /** Directory of the shipped shapes, weights and vocabularies. */
  readonly shapes: string
  readonly store: GraphStore
  readonly names: Names
  readonly outbound: Outbound
  /** Repository whose datasets are measured; without one the segments serve other platforms only. */
  readonly repository: MetricsRepository | undefined
  /** Bands by which scored datasets are counted. */
  readonly bands: readonly ScoreBand[]
  /** Reads the times of refreshes. */
  readonly schedules: ScheduleReader
  /** Runs refreshes. */
  readonly jobs: JobRunner
  readonly log: Log
  readonly now: () => number
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number
  readonly random: () => number
  readonly pause: Pause
}

/** Parts of the metrics that other services use. */
export type MetricsService = {
  /** Kinds of the segments that measure. */
  readonly kinds: readonly SegmentKind[]
  /** Makes the first step of a run over datasets of the repository; absent without one. */
  readonly feeds: ((feed: Feed) => SegmentFunction) | undefined
  /** Export of the metrics of messages. */
  readonly metricsExport: MetricsExport
  readonly validation: Validation
  /** Expected scores of datasets that are not published. */
  readonly expected: ScoreExpectation
  readonly weights: Weights
  readonly cache: Cache
  /**
   * Notes that a run has ended; when it wrote metrics, a refresh of the figures begins within a minute or after one that runs.
   */
  readonly runEnded: (run: Pick<Run, 'catalogue' | 'counts'>) => void
  /** Ends all of it. Call it when no run is under way any more. */
  readonly stop: () => Promise<void>
}

/**
 * Opens the metrics. Rejects when a shipped vocabulary or a data file cannot be read; faults of weights and of shapes are logged.
 */
export async function openMetrics(options: MetricsOptions): Promise<MetricsService> {
  const { config, directory, shapes, repository, log } = options
  const shippedWeights = join(shapes, 'metrics/weights.ttl')
  const { weights, problems } = await loadWeights(
    ...[shippedWeights, config.weights].filter((file) => file !== undefined),
  )
  for (const problem of problems) log.warn({ problem }, 'metrics.weights')
  const validation = await openValidation({
    directory: join(shapes, 'dcat-ap'),
    institutionModels: config.shapeModels,
    workers: config.workers,
    log,
  })
  for (const problem of validation.problems()) log.warn({ problem }, 'metrics.shapes')
  const reach = openReach({ ...options, ...config, path: join(directory, 'verdicts.sqlite') })
  const cache = openCache({ ...options, weights, path: join(directory, 'metrics.sqlite') })
  schedule(cache, config.refresh)
  const values = await loadValueTests({
    licenceSchemes: config.licenceSchemes,
    literalFormats: config.literalFormats,
    read: (graph, signal) => options.store.read(graph, {}, signal),
  })
  return {
    kinds: metricsKinds(options, { validation, weights, reach, values }),
    feeds: repository && feedSegment({ ...options, repository }),
    metricsExport: metricsExport(repository),
    validation,
    expected: async (record, isCompliant, signal) =>
      expectedScores(record, { isCompliant, values: await values(signal), weights }),
    weights,
    cache,
    runEnded: ({ catalogue, counts: { created, updated } }) => {
      if (created + updated > 0) {
        const scope = catalogue === undefined ? 'all' : [catalogue]
        cache.refreshes.requestSoon(scope, 'metrics')
      }
    },
    stop: async () => {
      await cache.stop()
      await reach.stop()
      await validation.stop()
    },
  }
}

type SegmentDeps = {
  readonly validation: Validation
  readonly weights: Weights
  readonly reach: UrlReach
  readonly values: (signal: AbortSignal) => Promise<ValueTests>
}

/** Makes the kinds of segments that measure. Checks of configurations need nothing but the names of the shape models. */
export function metricsKinds(
  { config, now }: Pick<MetricsOptions, 'config' | 'now'>,
  { validation, weights, reach, values }: SegmentDeps,
): readonly SegmentKind[] {
  const statusSegment = urlStatusSegment({ reach })
  return [
    validatingSegment({ validation, now }),
    annotatorSegment({ values, now }),
    config.urlChecks ? statusSegment : switchedOff(statusSegment),
    scoringSegment({ weights, now }),
  ]
}

/** Id of the schedule that the configuration sets, and most schedules. */
const configuredScheduleId = 'configuration'
const maxSchedules = 100

/**
 * Sets the schedule of the configuration, which replaces that of an earlier configuration; without one, the earlier one is
 * disabled.
 */
function schedule({ schedules }: Cache, cron: string | undefined): void {
  const isStored = schedules.all().some(({ id }) => id === configuredScheduleId)
  if (cron === undefined && !isStored) return
  const status = cron === undefined ? 'disabled' : 'enabled'
  schedules.set({ id: configuredScheduleId, status, cron: cron ?? '0 0 1 1 *' }, maxSchedules)
}

/** Segment that the operator has switched off: all messages pass. */
const switchedOff = (kind: SegmentKind): SegmentKind => ({
  ...kind,
  open: (config, place) => kind.open({ ...config, skip: true }, place),
})
