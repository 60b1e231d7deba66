/** The metrics cache: figures in a file, computed from the metrics graphs of the store, by which they can always be made again. */

import type { Log } from '../../log.ts'
import type { Names } from '../../rdf/names.ts'
import { openSqlite } from '../../sqlite.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import { maximaOf, type Points } from './counting/aggregate.ts'
import type { Figures, ScoreBand } from './figures.ts'
import { lists } from './file/lists.ts'
import { figuresFormat, schema } from './file/schema.ts'
import { scopes } from './file/scopes.ts'
import { clear, wholeAt } from './file/state.ts'
import { swapIn } from './file/swap.ts'
import { refresh, type Extent, type Progress } from './refreshing/refresh.ts'
import { turns } from './refreshing/turns.ts'
import { startClock } from './scheduling/clock.ts'
import { refreshQueue } from './scheduling/queue.ts'
import { scheduleTable, type Scheduled, type Schedules } from './scheduling/schedules.ts'

export type CacheOptions = {
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
   * Reads all metrics graphs, or those of some catalogues, and makes their figures, and those of the countries, publishers and
   * the portal that they are part of, anew. Of an empty file always all. Joins a refresh that runs and covers it. Resolves with the number of the refresh;
   * rejects with a `Failure` of the store, or the reason of the signal.
   */
  refresh(extent: Extent, signal?: AbortSignal): Promise<number>
  /** Of a catalogue, or of all: within a minute, together with what else is wanted by then. */
  refreshSoon(catalogue?: string): void
  /** Of the refresh that runs. */
  progress(): Progress | undefined
  /** Removes all figures and the history. */
  clear(): Promise<void>
  /** Removes the figures and the history of a catalogue. */
  forget(catalogue: string): Promise<void>
  readonly schedules: {
    all(): readonly Scheduled[]
    /** In place of the one with that id, which is the answer; no more than `most`. Throws `invalid-parameter`. */
    set(body: unknown, most: number): string
  }
  stop(): Promise<void>
}

export function openCache(options: CacheOptions): Cache {
  const { path, names, bands, now } = options
  const file = openSqlite({ path, schema, format: figuresFormat })
  const alone = oneAfterTheOther()
  const turn = turns(options.elapsed)
  let progress: Progress | undefined
  const queue = refreshQueue(async (extent, signal) => {
    try {
      const tell = (told: Progress) => void (progress = told)
      return await refresh({ ...options, file, alone }, extent, tell, signal)
    } finally {
      progress = undefined
    }
  })
  const schedules = scheduleTable(file, options.schedules)
  const clock = startClock({ ...options, schedules, queue, whole: () => wholeAt(file) })
  const change = async (work: () => Promise<unknown>) => void (await alone(work))
  return {
    figures: {
      ...scopes(file, { maxima: maximaOf(options.points), bands }),
      ...lists(file, names),
    },
    refresh: (extent, signal) => queue.request({ extent }, signal),
    refreshSoon: (catalogue) => clock.soon(catalogue === undefined ? 'all' : [catalogue]),
    progress: () => progress,
    clear: () => change(() => Promise.resolve(clear(file, now()))),
    forget: (id) => {
      const gone = { staged: [], hidden: [], gone: [id], isWhole: false }
      return change(() => swapIn(file, { ...gone, at: now() }, turn))
    },
    schedules: {
      all: () => schedules.all(),
      set: (body, most) => {
        const schedule = options.schedules.read(body, now())
        schedules.set(schedule, now(), most)
        clock.wake()
        return schedule.id
      },
    },
    stop: async () => {
      await clock.stop()
      await queue.stop()
      await alone(() => Promise.resolve(file.close()))
    },
  }
}

function oneAfterTheOther(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const next = last.then(work)
    last = next.catch(() => undefined)
    return next
  }
}
