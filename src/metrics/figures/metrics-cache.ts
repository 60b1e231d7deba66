/**
 * The metrics cache: figures in a data file, counted from the metrics graphs of the store, by which they can always be counted
 * again. A refresh counts page by page beside the figures that are served, and serves the new ones when they are complete.
 */

import type { Log } from '../../log.ts'
import { inOrder } from '../../pipe/ahead.ts'
import { openSqlite, type Sqlite } from '../../sqlite.ts'
import { unlessAborted } from '../../workers/condition.ts'
import { yielding, type YieldWhenDue } from '../../workers/event-loop.ts'
import type { Weights } from '../measure/weights.ts'
import { catalogueIds, datasetIds, type MetricsSource, readCatalogues } from './catalogue-reader.ts'
import { maximaOf } from './counts.ts'
import { countedDataset, readDatasets } from './dataset-reader.ts'
import {
  addDataset,
  beginEdition,
  clearFigures,
  deleteOldEditions,
  figuresFormat,
  figuresState,
  schema,
  serveEditions,
} from './figures-file.ts'
import { figuresReader } from './figures-reader.ts'
import type { CatalogueFigures, ScoreBand } from './figures.ts'
import {
  againMs,
  allSchedules,
  type Extent,
  RefreshQueue,
  type Schedules,
  setSchedule,
  soonMs,
  startTimer,
} from './refresh-queue.ts'
import type { Pause } from '../../workers/pause.ts'

type CacheOptions = MetricsSource & {
  /** Of the file. */
  readonly path: string
  readonly bands: readonly ScoreBand[]
  readonly weights: Weights
  readonly schedules: Schedules
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Milliseconds of a clock that only goes forward. */
  readonly elapsed: () => number
  /** Rejects when its signal is aborted. */
  readonly pause: Pause
  readonly log: Log
}

export type Cache = ReturnType<typeof openCache>

/** Opens the file and starts the timer; `stop` ends both. */
export function openCache(options: CacheOptions) {
  const { path, names, bands, now, schedules, log, pause } = options
  const file = openSqlite({ path, schema, format: figuresFormat })
  let progress: RefreshProgress | undefined
  const onProgress = (reached: RefreshProgress | undefined) => void (progress = reached)
  const context = { options, file, onProgress }
  const queue = new RefreshQueue({
    refresh: (extent, signal) =>
      refresh(context, extent, signal).finally(() => onProgress(undefined)),
    now,
    log,
  })
  const stopTimer = startTimer({ file, queue, schedules, now, pause, log })
  const soon = (extent: Extent, ms = soonMs): void =>
    void queue.request({ extent, at: now() + ms, isFresh: true }).catch(() => soon(extent, againMs))
  const maxima = maximaOf(options.weights)
  return {
    maxima,
    weights: options.weights,
    figures: figuresReader({ file, names, bands, maxima }),
    /**
     * Counts all metrics graphs, or those of some catalogues, again, and with them the figures of the countries, publishers and
     * the portal that they are part of. Resolves with the number of the refresh; rejects with a `Failure` of the store, or the
     * reason of the signal. Nobody has to wait: the refresh goes on, and a failure is logged.
     */
    refresh: (extent: Extent, signal?: AbortSignal): Promise<number> => {
      const number = queue.request({ extent, at: now() })
      return signal ? unlessAborted(number, signal) : number
    },
    /** Of a catalogue, or of all: within a minute, together with whatever else changes by then. */
    refreshSoon: (catalogue?: string) => soon(catalogue === undefined ? 'all' : [catalogue]),
    /** Of the refresh that runs. */
    progress: () => progress,
    /** Removes all figures and the history. */
    clear: () => clearFigures(file, now()),
    /** Removes the figures and the history of a catalogue. */
    forget: (id: string): void => {
      const [gone, forgotten] = [[id], [id]]
      serveEditions(file, { editions: [], gone, forgotten, isComplete: false, at: now() })
    },
    schedules: {
      /** By id. */
      all: () => allSchedules(file, schedules),
      /** Adds one or replaces that with its id. Throws `invalid-parameter`, also beyond `most`. */
      set: (body: unknown, most: number) =>
        setSchedule(file, schedules.read(body, now()), now(), most),
    },
    stop: async () => {
      await stopTimer()
      await queue.stop()
      file.close()
    },
  }
}

// One refresh: counts what was measured of some catalogues or of all, page by page, beside the figures that are
// served, and serves the new ones when they are complete.

export type RefreshProgress = {
  readonly extent: Extent
  /** Milliseconds since 1970. */
  readonly since: number
  readonly catalogues: { readonly done: number; readonly all: number }
  /** Datasets that were read. */
  readonly datasets: number
}

type RefreshContext = {
  readonly options: CacheOptions
  readonly file: Sqlite
  readonly onProgress: (progress: RefreshProgress | undefined) => void
}

/** Datasets of one page: readers wait for a few milliseconds of the store's time, not for more. */
const pageSize = 5
/** Pages under way: while one is counted, the store looks for the next. */
const pagesAhead = 3
/** Milliseconds of work before requests have a turn. */
const turnMs = 8

/**
 * Answers the number of the refresh. What fails or is aborted leaves the old figures. Where there are no figures yet, or they
 * were cleared meanwhile, everything is read whatever was asked for: the figures of the portal are never those of a part of it.
 */
async function refresh(
  context: RefreshContext,
  extent: Extent,
  signal: AbortSignal,
): Promise<number> {
  const { file, options } = context
  const turn = yielding(options.elapsed, turnMs)
  for (;;) {
    const isComplete = extent === 'all' || figuresState(file, 'counted') === undefined
    await deleteOldEditions(file, turn)
    const number = await refreshOnce(context, isComplete ? 'all' : extent, turn, signal)
    await deleteOldEditions(file, turn)
    if (number !== undefined) return number
  }
}

/** `undefined` when the file was cleared meanwhile and a part is not enough any more: nothing is served then. */
async function refreshOnce(
  context: RefreshContext,
  extent: Extent,
  turn: YieldWhenDue,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { file, options, onProgress } = context
  const { log, now, names, bands } = options
  const since = now()
  const served = file.rows('SELECT id FROM live').map(({ id }) => String(id))
  const ids = extent === 'all' ? await catalogueIds(options, signal) : extent
  const found = await readCatalogues(options, ids, signal)
  const visible = [...found.values()].filter(({ isHidden }) => !isHidden)
  const editions: number[] = []
  let datasets = 0
  const report = () => {
    const catalogues = { done: editions.length, all: visible.length }
    onProgress({ extent, since, catalogues, datasets })
  }
  report()
  for (const catalogue of visible) {
    const edition = beginEdition(file, catalogue)
    for await (const page of pagesOf(options, catalogue, signal)) {
      for (const dataset of page) {
        signal.throwIfAborted()
        addDataset(file, edition, countedDataset(dataset, names.genidPrefix), bands)
        await turn()
      }
      datasets += page.length
      report()
    }
    editions.push(edition)
    report()
  }
  signal.throwIfAborted()
  if (extent !== 'all' && figuresState(file, 'counted') === undefined) return undefined
  const gone = (extent === 'all' ? [...served, ...ids] : extent).filter(
    (id) => found.get(id)?.isHidden !== false,
  )
  const number = serveEditions(file, {
    editions,
    gone,
    forgotten: gone.filter((id) => !found.has(id)),
    isComplete: extent === 'all',
    at: now(),
  })
  const ms = now() - since
  log.info({ number, catalogues: editions.length, datasets, ms }, 'figures.refreshed')
  return number
}

/** The datasets of a catalogue as they were read, page by page. */
function pagesOf(source: MetricsSource, catalogue: CatalogueFigures, signal: AbortSignal) {
  async function* pages(): AsyncGenerator<readonly string[]> {
    const ids = await datasetIds(source, catalogue.id, signal)
    for (let at = 0; at < ids.length; at += pageSize) yield ids.slice(at, at + pageSize)
  }
  return inOrder(pages(), (ids) => readDatasets(source, ids, signal), pagesAhead)
}
