/**
 * The metrics cache: figures in a data file, counted from the metrics graphs of the store, by which they can always be counted
 * again. One refresh runs at a time: soon after metrics runs, by the schedules that clients set, and daily. A request for
 * what is being done joins it; other requests wait and are done together. A refresh counts page by page beside the figures
 * that are served, and serves the new ones when they are complete.
 */

import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { inOrder } from '../../pipe/ahead.ts'
import { openSqlite, type Sqlite } from '../../sqlite.ts'
import { yielding, type YieldWhenDue } from '../../workers/event-loop.ts'
import type { Weights } from '../measure/weights.ts'
import { SharedWork } from '../shared-work.ts'
import { catalogueIds, datasetIds, type MetricsSource, readCatalogues } from './catalogue-reader.ts'
import { maximaOf } from './counts.ts'
import { readDatasets } from './dataset-reader.ts'
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
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  readonly log: Log
}

/** A trigger of the platform: cron, interval or specific times. */
export type Schedule = {
  readonly id: string
  readonly isEnabled: boolean
  /** What `revive` takes. */
  readonly kept: string
  /** As clients read it. */
  readonly document: Readonly<Record<string, unknown>>
  /** The first firing after a moment in milliseconds since 1970; `undefined` when there is none any more. */
  readonly next: (after: number) => number | undefined
}

/** How triggers are read, which is the scheduler's business; `read` throws `invalid-parameter` with every fault. */
export type Schedules = {
  readonly read: (body: unknown, now: number) => Schedule
  readonly revive: (kept: string) => Schedule
}

/** A schedule with its next and its last firing. */
export type Scheduled = Schedule & {
  readonly coming: number | undefined
  readonly last: number | undefined
}

export type Cache = ReturnType<typeof openCache>

/** Opens the file and starts the timer; `stop` ends both. */
export function openCache(options: CacheOptions) {
  const { path, names, bands, now } = options
  const file = openSqlite({ path, schema, format: figuresFormat })
  let progress: RefreshProgress | undefined
  const onProgress = (reached: RefreshProgress | undefined) => void (progress = reached)
  const context = { options, file, onProgress }
  const queue = new RefreshQueue((extent, signal) =>
    refresh(context, extent, signal).finally(() => onProgress(undefined)),
  )
  const timer = startTimer(options, file, queue)
  const maxima = maximaOf(options.weights)
  return {
    maxima,
    figures: figuresReader({ file, names, bands, maxima }),
    /**
     * Counts all metrics graphs, or those of some catalogues, again, and with them the figures of the countries, publishers and
     * the portal that they are part of. Resolves with the number of the refresh; rejects with a `Failure` of the store, or the
     * reason of the signal.
     */
    refresh: (extent: Extent, signal?: AbortSignal) => queue.request(extent, false, signal),
    /** Of a catalogue, or of all: within a minute, together with whatever else changes by then. */
    refreshSoon: (catalogue?: string) =>
      timer.soon(catalogue === undefined ? 'all' : [catalogue], soonMs),
    /** Of the refresh that runs. */
    progress: () => progress,
    /** Removes all figures and the history. */
    clear: () => clearFigures(file, now()),
    /** Removes the figures and the history of a catalogue. */
    forget: (id: string) =>
      void serveEditions(file, {
        editions: [],
        hidden: [],
        gone: [id],
        isComplete: false,
        at: now(),
      }),
    schedules: {
      /** By id. */
      all: () => allSchedules(file, options.schedules),
      /** Adds one or replaces that with its id, which is the answer. Throws `invalid-parameter`, also beyond `most`. */
      set: (body: unknown, most: number) => {
        const schedule = options.schedules.read(body, now())
        setSchedule(file, schedule, now(), most)
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

type RefreshJob = { extent: Extent; readonly work: SharedWork<number> }

const covers = (running: Extent, extent: Extent): boolean =>
  running === 'all' || (extent !== 'all' && extent.every((id) => running.includes(id)))

const union = (one: Extent, other: Extent): Extent =>
  one === 'all' || other === 'all' ? 'all' : [...new Set([...one, ...other])].sort()

/** One job runs and at most one waits, which grows. A job without callers is aborted. */
class RefreshQueue {
  readonly #refresh: (extent: Extent, signal: AbortSignal) => Promise<number>
  #running: RefreshJob | undefined
  #waiting: RefreshJob | undefined
  #last: Promise<void> = Promise.resolve()

  constructor(work: (extent: Extent, signal: AbortSignal) => Promise<number>) {
    this.#refresh = work
  }

  /** `isFresh`: what runs already does not count, because it may have read before what the caller knows of. */
  async request(extent: Extent, isFresh: boolean, signal?: AbortSignal): Promise<number> {
    signal?.throwIfAborted()
    const [running, waiting] = [this.#running, this.#waiting]
    if (!isFresh && running?.work.isAborted === false && covers(running.extent, extent))
      return running.work.join(signal)
    if (waiting?.work.isAborted === false) {
      waiting.extent = union(waiting.extent, extent)
      return waiting.work.join(signal)
    }
    const before = this.#last
    const job: RefreshJob = {
      extent,
      work: new SharedWork((end) => before.then(() => this.#run(job, end))),
    }
    this.#last = job.work.ended
    if (running) this.#waiting = job
    else this.#running = job
    return job.work.join(signal)
  }

  /** Aborts what runs and waits for its end. */
  async stop(): Promise<void> {
    for (const job of [this.#running, this.#waiting]) job?.work.abort(new Error('the cache ends'))
    await this.#last
  }

  async #run(job: RefreshJob, end: AbortSignal): Promise<number> {
    this.#running = job
    if (this.#waiting === job) this.#waiting = undefined
    try {
      end.throwIfAborted()
      return await this.#refresh(job.extent, end)
    } finally {
      this.#running = undefined
    }
  }
}

/** Milliseconds in which further runs are waited for, so that they share a refresh: the figures follow within a minute. */
const soonMs = 20_000
const dayMs = 86_400_000
/** After a refresh that failed. */
const againMs = 600_000
/** Between two looks at what is due. */
const lookMs = 5000

/** Looks every few seconds whether a refresh is due. */
function startTimer(options: CacheOptions, file: Sqlite, queue: RefreshQueue) {
  const { now, pause, log } = options
  const ending = new AbortController()
  let daily = now() + soonMs
  let due: { readonly extent: Extent; readonly at: number } | undefined
  const soon = (extent: Extent, ms: number): void => {
    due = due ? { ...due, extent: union(due.extent, extent) } : { extent, at: now() + ms }
  }
  const start = (extent: Extent, isFresh: boolean) =>
    queue.request(extent, isFresh).catch((err: unknown) => {
      if (ending.signal.aborted) return
      log.warn({ err }, 'figures.failed')
      if (isFresh) soon(extent, againMs)
    })
  const look = (at: number) => {
    if (due && due.at <= at) {
      void start(due.extent, true)
      due = undefined
    }
    const isDaily = at >= Math.max(daily, (figuresState(file, 'complete') ?? 0) + dayMs)
    if (isDaily) daily = at + againMs
    if (fireSchedules(file, options.schedules, at) || isDaily) void start('all', false)
  }
  const running = (async () => {
    while (!ending.signal.aborted) {
      look(now())
      await pause(lookMs, ending.signal).catch((error: unknown) => {
        if (!ending.signal.aborted) throw error
      })
    }
  })()
  return {
    /** There are new measurements. */
    soon,
    stop: async () => {
      ending.abort()
      await running
    },
  }
}

const allSchedules = (file: Sqlite, schedules: Schedules): readonly Scheduled[] =>
  file.rows('SELECT kept, since, last FROM schedule ORDER BY id').map(({ kept, since, last }) => {
    const schedule = schedules.revive(String(kept))
    const after = Math.max(Number(since), Number(last ?? 0))
    return {
      ...schedule,
      coming: schedule.isEnabled ? schedule.next(after) : undefined,
      last: last === null ? undefined : Number(last),
    }
  })

function setSchedule(file: Sqlite, { id, kept }: Schedule, now: number, most: number): void {
  const others = file.first('SELECT count(*) AS n FROM schedule WHERE id <> ?', id)
  if (Number(others?.['n']) >= most)
    throw new Failure('invalid-parameter', `there are at most ${most} schedules`)
  file.run('INSERT OR REPLACE INTO schedule VALUES (?, ?, ?, NULL)', id, kept, now)
}

/** Whether some were due; they count as done now. */
function fireSchedules(file: Sqlite, schedules: Schedules, now: number): boolean {
  const due = allSchedules(file, schedules).filter(
    ({ coming }) => coming !== undefined && coming <= now,
  )
  for (const { id } of due) file.run('UPDATE schedule SET last = ? WHERE id = ?', now, id)
  return due.length > 0
}

// One refresh: counts what was measured of some catalogues or of all, page by page, beside the figures that are
// served, and serves the new ones when they are complete.

/** `all`, or ids of catalogues. */
export type Extent = 'all' | readonly string[]

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
const pageSize = 15
/** Pages under way: while one is counted, the store looks for the next. */
const pagesAhead = 2
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
    const isComplete = extent === 'all' || figuresState(file, 'complete') === undefined
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
  const { log, now } = options
  const since = now()
  const served = file.rows('SELECT id FROM served').map(({ id }) => String(id))
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
        addDataset(file, edition, dataset, options.bands)
        await turn()
      }
      datasets += page.length
      report()
    }
    editions.push(edition)
    report()
  }
  signal.throwIfAborted()
  if (extent !== 'all' && figuresState(file, 'complete') === undefined) return undefined
  const number = serveEditions(file, {
    editions,
    hidden: ids.filter((id) => found.get(id)?.isHidden),
    gone: (extent === 'all' ? served : extent).filter((id) => !found.has(id)),
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
