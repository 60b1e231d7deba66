/** The metrics cache: a data file with figures, which are counted from the metrics graphs of the store by refreshes. */

import type { JobRunner } from '../../jobs/job-runner.ts'
import { openSqlite } from '../../sqlite.ts'
import { dayMs } from '../../text/duration.ts'
import { backgroundLoop } from '../../workers/background-loop.ts'
import type { Pause } from '../../workers/pause.ts'
import type { Weights } from '../measure/weights.ts'
import { maximaOf } from './counts.ts'
import {
  clearFigures,
  figuresFormat,
  figuresState,
  figuresSchema,
  serveVersions,
} from './figures-file.ts'
import { figuresReader } from './figures-reader.ts'
import type { RefreshContext } from './refresh-figures.ts'
import { RefreshJobs, retryMs, soonMs } from './refresh-jobs.ts'
import { RefreshSchedules, type ScheduleReader } from './refresh-schedules.ts'

type CacheOptions = Omit<RefreshContext, 'file'> & {
  /** Path of the data file. */
  readonly path: string
  readonly weights: Weights
  readonly schedules: ScheduleReader
  readonly jobs: JobRunner
  readonly pause: Pause
}

/** The open metrics cache. */
export type Cache = ReturnType<typeof openCache>

/** Milliseconds between two checks whether a refresh is due. */
const checkMs = 5000

/**
 * Opens the file and runs waiting refreshes, and from then on those of the schedules and a daily one of all catalogues; `stop`
 * ends them and closes the file.
 */
export function openCache(options: CacheOptions) {
  const { path, names, bands, weights, now, log, pause } = options
  const file = openSqlite({ path, schema: figuresSchema, format: figuresFormat })
  const schedules = new RefreshSchedules({ file, reader: options.schedules, now })
  const refreshes = new RefreshJobs({ ...options, file }, options.jobs)
  const maxima = maximaOf(weights)
  // Earliest time of the next request of a daily refresh.
  let earliestDailyMs = now() + soonMs
  const check = () => {
    const refreshAll = () => refreshes.request('all', 'schedule')
    if (now() >= Math.max(earliestDailyMs, (figuresState(file, 'counted') ?? 0) + dayMs)) {
      refreshAll()
      earliestDailyMs = now() + retryMs
    }
    schedules.fire(refreshAll)
  }
  const loop = backgroundLoop('figures.schedule-failed', checkMs, check, { log, pause })
  loop.wake()
  return {
    maxima,
    weights,
    schedules,
    refreshes,
    figures: figuresReader({ file, names, bands, maxima }),
    /** Removes all figures and the history. */
    clear: () => clearFigures(file, now()),
    /** Removes the figures of a catalogue until it is counted again, and its history for good. */
    forget: (id: string): void => {
      const [newVersions, removedIds] = [new Map(), [id]]
      serveVersions(file, {
        newVersions,
        removedIds,
        forgottenIds: removedIds,
        isComplete: false,
        at: now(),
      })
    },
    stop: async () => {
      await loop.stop()
      await refreshes.stop()
      file.close()
    },
  }
}
