/**
 * The history of runs: what is known of all runs, now and 365 days back, in `runs.sqlite`. Runs of this process are live: they
 * write in groups, every 250 ms. Several processes may share the file; each run belongs to the one that renews its lease.
 */

import { randomUUIDv7 } from 'node:crypto'
import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { conditionVariable } from '../../workers/condition.ts'
import type { Pause } from '../../workers/pause.ts'
import { type BackgroundLoop, backgroundLoop } from '../../workers/background-loop.ts'
import { defined } from '../defined.ts'
import { checkStep, leaseMs, LiveRun, timeOf, type LiveRunContext } from './live-run.ts'
import { noTally } from './run-report.ts'
import { RunTables, type StoredRun } from './run-tables.ts'
import {
  countNames,
  ended,
  type ItemFilter,
  noCounts,
  type Run,
  type RunChange,
  type RunFilter,
  type RunItem,
  type RunNote,
  type RunReport,
  type RunSink,
  type RunStart,
  storedProblem,
} from './run.ts'
import { dayMs } from '../../text/duration.ts'

export type RunsOptions = Partial<Pick<LiveRunContext, 'redact' | 'keepSource'>> & {
  /** The SQLite file, such as `{data}/runs.sqlite`. */
  readonly path: string
  /** Who holds the leases: no two processes that are alive at the same time may have the same. */
  readonly owner: string
  /** Whether an owner has certainly ended; when nobody can tell, its lease of 60 s has to run out. */
  readonly isGone?: (owner: string) => boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Rejects when the signal fires. */
  readonly pause: Pause
  readonly log: Log
  /** Days that a run is stored after its end; 365 when absent. */
  readonly historyDays?: number
}

const roundMs = 250
const followMs = 200
const repeatMs = 15_000
const pruneEveryMs = 3_600_000
const itemsPerRound = 5000
const mostNotes = 20
const noProgress: Run['progress'] = { pages: 0, bytes: 0 }

/** Opens the file and starts its maintenance: writing in groups, deleting what is too old. Interrupts nobody. */
export const openRuns = (options: RunsOptions): Runs => new Runs(options)

/** Everything is synchronous except what follows a run; `Failure` `unknown-run` where an id must exist. */
export class Runs {
  readonly #options: RunsOptions
  readonly #context: LiveRunContext
  readonly #tables: RunTables
  readonly #live = new Map<string, LiveRun>()
  /** Notifies when something happens in any run. */
  readonly #changed = conditionVariable()
  readonly #closing = new AbortController()
  readonly #maintenance: BackgroundLoop
  #nextPruning = 0

  constructor(options: RunsOptions) {
    const { now, redact = (text) => text, keepSource = 'failed' } = options
    const { notify } = this.#changed
    this.#options = options
    this.#tables = new RunTables(options.path)
    this.#context = { tables: this.#tables, now, redact, keepSource, notify }
    this.#maintenance = this.#maintain()
  }

  /** A run in state `waiting`, durable when this returns. */
  create(start: RunStart): Run {
    const { now, owner } = this.#options
    const { pipe, trigger, startedBy, catalogue, segments } = start
    // Ids that begin with the time (RFC 9562) are written side by side, not all over the file.
    const identity = { id: randomUUIDv7(), pipe, trigger, startedBy, catalogue }
    const created = timeOf(now())
    const numbers = { counts: noCounts, progress: noProgress, segments }
    const run = defined({ ...identity, status: 'waiting', created, ...numbers, problem: null })
    const fresh = { run, start, tally: noTally, owner, lease: now() + leaseMs }
    return this.#enliven(this.#tables.insert(fresh))
  }

  /**
   * All that `work` does to runs is one write: many runs that are made together cost what one costs. When it throws, none of
   * them was made.
   */
  together<T>(work: () => T): T {
    return this.#tables.transaction(work)
  }

  get(id: string): Run | undefined {
    return this.#live.get(id)?.now() ?? this.#tables.byId(id)?.run
  }

  /** Newest first. */
  list(filter: RunFilter): readonly Run[] {
    return this.#tables.list(filter).map((run) => this.#live.get(run.id)?.now() ?? run)
  }

  /** In order of arrival, read in slices: memory does not grow with the run. */
  items(id: string, filter: ItemFilter = {}): Iterable<RunItem> {
    this.#live.get(id)?.flush()
    return this.#tables.items(this.#stored(id).serial, filter)
  }

  report(id: string): RunReport {
    this.#live.get(id)?.flush()
    const stored = this.#stored(id)
    const { run, tally, serial } = stored
    const { counts } = run
    const before = this.#comparedWith(stored)
    const difference = before && {
      run: before.run.id,
      created: counts.created,
      updated: counts.updated,
      removed: counts.removed,
      newlyFailing: this.#tables.failures(serial, before.serial, 'newly'),
      newlyFixed: this.#tables.failures(before.serial, serial, 'fixed'),
    }
    return defined({ run, counts, ...tally, difference })
  }

  /** Where the segments of a run report; what comes after the end of the run is dropped. */
  sink(id: string): RunSink {
    return this.#liveOne(id).sink
  }

  /** The next state, durable when this returns. Throws `Failure` `conflict` for a step that no run takes. */
  change(id: string, change: RunChange): Run {
    if (change.status === 'waiting') return this.#again(id)
    const run = this.#liveOne(id).step(change)
    if (ended(run)) this.#live.delete(id)
    return run
  }

  /**
   * Stores what was done about a run that has ended; nothing happens to one that goes on. The result of an action takes the place
   * of the note that it has begun, which has no counts.
   */
  note(id: string, note: Omit<RunNote, 'time'>): void {
    this.#tables.transaction(() => {
      const stored = this.#tables.byId(id)
      if (!stored || !ended(stored.run)) return
      const time = timeOf(this.#options.now())
      const before = (stored.run.notes ?? []).filter(
        ({ action, done, failed }) => action !== note.action || done + failed > 0,
      )
      const notes = [...before, { ...note, time }].slice(-mostNotes)
      this.#tables.update({ ...stored, run: { ...stored.run, notes } })
    })
    this.#changed.notify()
  }

  /** Everything before this cursor of the source is written: a resumed run goes on from there. */
  checkpoint(id: string, cursor: string): void {
    this.#liveOne(id).checkpoint(cursor)
  }

  /**
   * The run as it is now, then after every change (at most five a second) and every 15 s, lest a proxy takes a connection for
   * dead, until it has ended or the signal fires.
   */
  async *follow(id: string, given: AbortSignal): AsyncGenerator<Run, void, undefined> {
    const signal = AbortSignal.any([given, this.#closing.signal])
    let last = { text: '', at: 0 }
    while (!signal.aborted) {
      const changed = this.#changed.next(signal)
      changed.catch(() => undefined)
      const run = this.get(id) ?? missing(id)
      const text = JSON.stringify(run)
      const at = this.#options.now()
      const isNews = text !== last.text || at - last.at >= repeatMs
      if (isNews) last = { text, at }
      if (isNews) yield run
      if (ended(run)) return
      try {
        await changed
        await this.#options.pause(followMs, signal)
      } catch (error) {
        if (!signal.aborted) throw error
      }
    }
  }

  /** The newest run of a pipe that finished `complete` or `not-modified`. */
  lastComplete(pipe: string): Run | undefined {
    return this.#tables.before(pipe, Number.MAX_SAFE_INTEGER, ['complete', 'not-modified'])?.run
  }

  /** Original ids and source ids of the items that failed, each once. */
  failedIds(id: string): readonly string[] {
    const ids = new Set<string>()
    for (const { originalId, sourceId } of this.items(id, { state: 'failed' })) {
      if (originalId !== undefined) ids.add(originalId)
      if (sourceId !== undefined) ids.add(sourceId)
    }
    return [...ids]
  }

  /** What a run was started with, how often it was resumed, and the cursor of the last page that was written whole. */
  resumption(id: string): { start: RunStart; times: number; cursor?: string } {
    const { start, resumed, checkpoint } = this.#stored(id)
    return defined({ start, times: resumed, cursor: checkpoint?.cursor })
  }

  /** When something last happened in a run of this process: ms of the clock. */
  lastSign(id: string): number | undefined {
    return this.#live.get(id)?.lastSign
  }

  /** Renews the leases of this process's runs for 60 s; the ids of runs that somebody else has taken meanwhile. */
  renew(): readonly string[] {
    const { owner, now } = this.#options
    const ours = this.#tables.renew(owner, now() + leaseMs)
    const lost = [...this.#live.keys()].filter((id) => !ours.has(id))
    for (const id of lost) this.#live.delete(id)
    return lost
  }

  /**
   * Marks runs whose lease has expired, or that an earlier process of this owner left, as `interrupted`: then, or when the lease
   * ran out.
   */
  interruptOrphans(): readonly Run[] {
    const { owner, now, isGone = () => false } = this.#options
    const isOrphan = (one: StoredRun): boolean =>
      !this.#live.has(one.run.id) && (one.owner === owner || one.lease < now() || isGone(one.owner))
    const why = new Failure('run-interrupted', 'the process of the run has ended')
    const problem = storedProblem(why)
    const orphans = this.#tables.open().filter(isOrphan)
    return orphans.map((orphan) => {
      // Not when that is noticed: in an older copy of the file it may have been long ago.
      const endTime = timeOf(Math.min(now(), orphan.lease))
      const run: Run = { ...orphan.run, status: 'interrupted', endTime, problem }
      this.#tables.update({ ...orphan, run })
      this.#changed.notify()
      return run
    })
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#maintenance.stop()
    this.#flushAll()
    this.#tables.close()
  }

  #stored(id: string): StoredRun {
    return this.#tables.byId(id) ?? missing(id)
  }

  /** A run of this process; `unknown-run`, or `conflict` when it has ended or another process has it. */
  #liveOne(id: string): LiveRun {
    const found = this.#live.get(id)
    if (found) return found
    const { run } = this.#stored(id)
    const why = ended(run) ? `it is ${run.status}` : 'it belongs to another process'
    throw new Failure('conflict', `the run cannot change: ${why}`)
  }

  #enliven(stored: StoredRun): Run {
    const before = this.#comparedWith(stored)
    const failedIn = before && before.run.counts.failed > 0 ? before.serial : undefined
    const live = new LiveRun(this.#context, stored, failedIn)
    this.#live.set(stored.run.id, live)
    this.#changed.notify()
    return live.now()
  }

  /**
   * The run waits again: back to the last checkpoint, or to the beginning, but for the records that were written since. They
   * stay as items and in the counts, because they will not be written again.
   */
  #again(id: string): Run {
    const { owner, now } = this.#options
    const stored = this.#stored(id)
    checkStep(stored.run, 'waiting')
    const waiting = this.#tables.transaction(() => {
      const left = this.#tables.rewind(stored.serial, stored.checkpoint?.item ?? 0)
      const lease = now() + leaseMs
      const next = { ...rewound(stored, left), owner, lease, resumed: stored.resumed + 1 }
      this.#tables.update(next)
      return next
    })
    return this.#enliven(waiting)
  }

  /** The run whose failures this one tries again, else the pipe's finished run before, if it was about the same catalogue. */
  #comparedWith({ start, run, serial }: StoredRun): StoredRun | undefined {
    if (start.dryRun || start.only) return undefined
    if (start.retryOf !== undefined) return this.#tables.byId(start.retryOf)
    const before = this.#tables.before(run.pipe, serial, ['complete', 'incomplete'])
    // One pipe may be fed with many catalogues in turn.
    return before?.run.catalogue === run.catalogue ? before : undefined
  }

  /** Round after round until the history is closed. */
  #maintain(): BackgroundLoop {
    const round = () => {
      this.#flushAll()
      this.#prune()
      // Runs of other processes are looked at again and again.
      this.#changed.notify()
    }
    return backgroundLoop('runs.write-failed', roundMs, round, this.#options)
  }

  #flushAll(): void {
    for (const live of this.#live.values()) live.flush()
  }

  /** One slice per call: a run of a million items does not stop the others while it is deleted. */
  #prune(): void {
    const { now, historyDays = 365 } = this.#options
    if (now() < this.#nextPruning) return
    const isMore = this.#tables.prune(now() - historyDays * dayMs, itemsPerRound)
    if (!isMore) this.#nextPruning = now() + pruneEveryMs
  }
}

function missing(id: string): never {
  throw new Failure('unknown-run', `there is no run ${id.slice(0, 100)}`)
}

/** `left`: items that stay, by state. */
function rewound(stored: StoredRun, left: Readonly<Record<string, number>>): StoredRun {
  const {
    counts: from,
    progress,
    tally,
  } = stored.checkpoint ?? {
    counts: noCounts,
    progress: noProgress,
    tally: noTally,
  }
  const counts = countNames.map((name) => [name, from[name] + (left[name] ?? 0)] as const)
  const { outcome: _, endTime: __, ...before } = stored.run
  const run: Run = {
    ...before,
    status: 'waiting',
    problem: null,
    counts: { ...from, ...Object.fromEntries(counts) },
    progress,
    segments: before.segments.map((segment) => ({ ...segment, processed: false })),
  }
  return { ...stored, run, tally }
}
