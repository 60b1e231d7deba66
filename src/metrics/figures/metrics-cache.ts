/** The metrics cache: figures in a data file, counted from the metrics graphs of the store, by which they can always be counted again. */

import type { Log } from '../../log.ts'
import type { Names } from '../../rdf/names.ts'
import { openSqlite } from '../../sqlite.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import { maximaOf, type Points } from './counts.ts'
import type { Figures, ScoreBand } from './figures.ts'
import { clearFigures, figuresFormat, schema, serveEditions, figuresState } from './figures-file.ts'
import { figuresReader } from './figures-reader.ts'
import { refresh, type Extent, type RefreshProgress } from './refresh.ts'
import { refreshQueue, startRefreshTimer } from './refresh-queue.ts'
import { scheduleTable, type Scheduled, type Schedules } from './schedules.ts'

type CacheOptions = {
  /** Of the file. */
  readonly path: string
  readonly store: Pick<GraphStore, 'select' | 'readAll'>
  readonly names: Names
  readonly bands: readonly ScoreBand[]
  /** Of a true measurement, by indicator. */
  readonly points: Points
  readonly schedules: Schedules
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Milliseconds of a clock that only goes forward. */
  readonly elapsed: () => number
  /** Rejects when its signal is aborted. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  readonly log: Log
}

export type Cache = {
  readonly figures: Figures
  /**
   * Counts all metrics graphs, or those of some catalogues, again, and with them the figures of the countries, publishers and
   * the portal that they are part of. Of an empty file always all. Joins a refresh that runs and covers it. Resolves with the
   * number of the refresh; rejects with a `Failure` of the store, or the reason of the signal.
   */
  refresh(extent: Extent, signal?: AbortSignal): Promise<number>
  /** Of a catalogue, or of all: within a minute, together with whatever else changes by then. */
  refreshSoon(catalogue?: string): void
  /** Of the refresh that runs. */
  progress(): RefreshProgress | undefined
  /** Removes all figures and the history. */
  clear(): void
  /** Removes the figures and the history of a catalogue. */
  forget(catalogue: string): void
  readonly schedules: {
    all(): readonly Scheduled[]
    /** In place of the one with that id, which is the answer; no more than `most`. Throws `invalid-parameter`. */
    set(body: unknown, most: number): string
  }
  stop(): Promise<void>
}

export function openCache(options: CacheOptions): Cache {
  const { path, store, names, bands, now, elapsed, pause, log } = options
  const file = openSqlite({ path, schema, format: figuresFormat })
  const figures = figuresReader({ file, names, bands, maxima: maximaOf(options.points) })
  const schedules = scheduleTable(file, options.schedules)
  let progress: RefreshProgress | undefined
  const onProgress = (now: RefreshProgress) => void (progress = now)
  const context = { file, store, names, bands, now, elapsed, onProgress, log }
  const queue = refreshQueue(async (extent, signal) => {
    try {
      return await refresh(context, extent, signal)
    } finally {
      progress = undefined
    }
  })
  const completeAt = () => figuresState(file, 'complete')
  const timer = startRefreshTimer({ schedules, queue, completeAt, now, pause, log })
  return {
    figures,
    refresh: (extent, signal) => queue.request({ extent }, signal),
    refreshSoon: (catalogue) => timer.soon(catalogue === undefined ? 'all' : [catalogue]),
    progress: () => progress,
    clear: () => clearFigures(file, now()),
    forget: (id) => {
      serveEditions(file, { editions: [], hidden: [], gone: [id], isComplete: false, at: now() })
    },
    schedules: {
      all: () => schedules.all(),
      set: (body, most) => {
        const schedule = options.schedules.read(body, now())
        schedules.set(schedule, now(), most)
        return schedule.id
      },
    },
    stop: async () => {
      await timer.stop()
      await queue.stop()
      file.close()
    },
  }
}
