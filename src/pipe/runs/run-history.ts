/**
 * Stores runs in `runs.sqlite` for `historyDays`. Active runs of this process are live: their states are written at once, their
 * reports in batches every 250 ms. Several processes may share the file; each run belongs to the process that renews its lease.
 */

import { randomUUIDv7 } from 'node:crypto'
import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { conditionVariable, statesOf } from '../../workers/condition.ts'
import type { Pause } from '../../workers/pause.ts'
import { type BackgroundLoop, backgroundLoop } from '../../workers/background-loop.ts'
import { checkTransition, leaseMs, LiveRun, timeOf, type LiveRunContext } from './live-run.ts'
import { noTally } from './run-report.ts'
import { RunTables, type StoredRun } from './run-tables.ts'
import {
  countNames,
  hasEnded,
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
  /** Path of the SQLite file, such as `{data}/runs.sqlite`. */
  readonly path: string
  /** Unique name of this process among all processes that share the file; holds the leases. */
  readonly owner: string
  /** Whether the process of an owner has certainly ended. Otherwise, and by default, its lease of 60 s has to expire. */
  readonly isGone?: (owner: string) => boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Rejects when the signal fires. */
  readonly pause: Pause
  readonly log: Log
  /** Days to keep a run after its end; 365 by default. */
  readonly historyDays?: number
}

/** Intervals in ms: batched writes, least time between two states for a follower, repetition of an unchanged state, pruning. */
const [roundMs, minFollowMs, keepAliveMs, pruneEveryMs] = [250, 200, 15_000, 3_600_000]
/** Maximum number of items that one round of pruning deletes, and of notes of a run. */
const [itemsPerRound, mostNotes] = [5000, 20]
const noProgress: Run['progress'] = { pages: 0, bytes: 0 }

/** Opens the file and starts its maintenance: batched writes, deletion of old runs. Does not interrupt any run. */
export const openRuns = (options: RunsOptions): Runs => new Runs(options)

/**
 * All runs, synchronously except `follow` and `close`. For an unknown id, `get` and `lastReportAt` return `undefined`, `note`
 * does nothing, and other methods throw `unknown-run`. `sink`, `change` and `checkpoint` throw `conflict` for a run that is not
 * live in this process.
 */
export class Runs {
  readonly #options: RunsOptions
  readonly #context: LiveRunContext
  readonly #tables: RunTables
  readonly #live = new Map<string, LiveRun>()
  /** Notified when any run changes. */
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

  /** Creates a run in state `waiting`; it is stored on return. */
  create(start: RunStart): Run {
    const { now, owner } = this.#options
    const { pipe, trigger, startedBy, catalogue, trace, segments } = start
    // Time-ordered ids (UUIDv7, RFC 9562) keep inserts local in the index.
    const identity = { id: randomUUIDv7(), pipe, trigger, startedBy, catalogue, trace }
    const created = timeOf(now())
    const numbers = { counts: noCounts, progress: noProgress, segments }
    const run = { ...identity, status: 'waiting' as const, created, ...numbers, problem: null }
    const entry = { run, start, tally: noTally, owner, lease: now() + leaseMs }
    return this.#makeLive(this.#tables.insert(entry))
  }

  /** Runs `work` in one transaction. If it throws, nothing of it is stored. */
  transaction<T>(work: () => T): T {
    return this.#tables.transaction(work)
  }

  get(id: string): Run | undefined {
    return this.#live.get(id)?.current() ?? this.#tables.byId(id)?.run
  }

  /** Lists runs, newest first. */
  list(filter: RunFilter): readonly Run[] {
    return this.#tables.list(filter).map((run) => this.#live.get(run.id)?.current() ?? run)
  }

  /** Items in order of arrival, read in slices with constant memory. */
  items(id: string, filter: ItemFilter = {}): Iterable<RunItem> {
    this.#live.get(id)?.flush()
    return this.#tables.items(this.#stored(id).serial, filter)
  }

  report(id: string): RunReport {
    this.#live.get(id)?.flush()
    const stored = this.#stored(id)
    const { run, tally, serial } = stored
    const { counts } = run
    const previous = this.#previousRun(stored)
    const difference = previous && {
      run: previous.run.id,
      created: counts.created,
      updated: counts.updated,
      removed: counts.removed,
      newlyFailing: this.#tables.failures(serial, previous.serial, 'newly'),
      newlyFixed: this.#tables.failures(previous.serial, serial, 'fixed'),
    }
    return { run, counts, ...tally, difference }
  }

  /** Sink for the reports of segments; reports after the end of the run are dropped. */
  sink(id: string): RunSink {
    return this.#liveRun(id).sink
  }

  /** Changes the state of a run; stored on return. Throws `conflict` for a transition that does not exist. */
  change(id: string, change: RunChange): Run {
    if (change.status === 'waiting') return this.#reset(id)
    const run = this.#liveRun(id).changeState(change)
    if (hasEnded(run)) this.#live.delete(id)
    return run
  }

  /**
   * Adds a note about an action of an operator to a run that has ended; ignored while the run is active. It replaces the note,
   * without counts, that the same action has begun.
   */
  note(id: string, note: Omit<RunNote, 'time'>): void {
    this.#tables.transaction(() => {
      const stored = this.#tables.byId(id)
      if (!stored || !hasEnded(stored.run)) return
      const time = timeOf(this.#options.now())
      const earlierNotes = (stored.run.notes ?? []).filter(
        ({ action, done, failed }) => action !== note.action || done + failed > 0,
      )
      const notes = [...earlierNotes, { ...note, time }].slice(-mostNotes)
      this.#tables.update({ ...stored, run: { ...stored.run, notes } })
    })
    this.#changed.notify()
  }

  /** Records that everything before this cursor was written; a resumed run continues there. */
  checkpoint(id: string, cursor: string): void {
    this.#liveRun(id).checkpoint(cursor)
  }

  /**
   * Yields the current run, then again after changes (at most five times a second) and every 15 s as a keep-alive for
   * proxies, until it has ended, the signal fires or the history is closed.
   */
  async *follow(id: string, caller: AbortSignal): AsyncGenerator<Run, void, undefined> {
    const signal = AbortSignal.any([caller, this.#closing.signal])
    const { now, pause } = this.#options
    const read = () => this.get(id) ?? throwUnknownRun(id)
    const timing = { changed: this.#changed, everyMs: minFollowMs, pause, signal }
    let lastYield = { text: '', at: 0 }
    for await (const run of statesOf(read, timing)) {
      const text = JSON.stringify(run)
      const at = now()
      const isDue = text !== lastYield.text || at - lastYield.at >= keepAliveMs
      if (isDue) lastYield = { text, at }
      if (isDue) yield run
      if (hasEnded(run)) return
    }
  }

  /** Newest unrestricted run of a pipe that finished as `complete` or `not-modified`. */
  lastComplete(pipe: string): Run | undefined {
    return this.#tables.lastFinished(pipe, Number.MAX_SAFE_INTEGER, ['complete', 'not-modified'])
      ?.run
  }

  /** Distinct original ids and source ids of the failed items. */
  failedIds(id: string): readonly string[] {
    const ids = new Set<string>()
    for (const { originalId, sourceId } of this.items(id, { state: 'failed' })) {
      if (originalId !== undefined) ids.add(originalId)
      if (sourceId !== undefined) ids.add(sourceId)
    }
    return [...ids]
  }

  /** Start parameters of a run, the number of times it was resumed, and the cursor of its last checkpoint. */
  resumption(id: string): { start: RunStart; resumptions: number; cursor?: string } {
    const { start, resumptions, checkpoint } = this.#stored(id)
    return { start, resumptions, cursor: checkpoint?.cursor }
  }

  /** Time of the last report of a live run, ms since 1970. */
  lastReportAt(id: string): number | undefined {
    return this.#live.get(id)?.lastReportAt
  }

  /** Renews the leases of this process's runs for 60 s; returns the ids of runs taken over by another process. */
  renew(): readonly string[] {
    const { owner, now } = this.#options
    const ownedIds = this.#tables.renew(owner, now() + leaseMs)
    const lostIds = [...this.#live.keys()].filter((id) => !ownedIds.has(id))
    for (const id of lostIds) this.#live.delete(id)
    return lostIds
  }

  /**
   * Marks active runs as `interrupted` that are not live here and whose lease has expired, or whose process has ended: an
   * earlier one with this owner, or one that `isGone`. They end when the lease expires, or now if that is earlier.
   */
  interruptOrphans(): readonly Run[] {
    const { owner, now, isGone = () => false } = this.#options
    const isOrphan = (stored: StoredRun): boolean =>
      !this.#live.has(stored.run.id) &&
      (stored.owner === owner || stored.lease < now() || isGone(stored.owner))
    const failure = new Failure('run-interrupted', 'the process of the run has ended')
    const problem = storedProblem(failure)
    const orphans = this.#tables.active().filter(isOrphan)
    return orphans.map((orphan) => {
      // In a restored copy of the file the lease may have expired long ago.
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
    return this.#tables.byId(id) ?? throwUnknownRun(id)
  }

  /** Returns a live run. Throws `unknown-run`, or `conflict` if it has ended or belongs to another process. */
  #liveRun(id: string): LiveRun {
    const live = this.#live.get(id)
    if (live) return live
    const { run } = this.#stored(id)
    const stateText = hasEnded(run) ? `it is ${run.status}` : 'it belongs to another process'
    throw new Failure('conflict', `the run cannot change: ${stateText}`)
  }

  #makeLive(stored: StoredRun): Run {
    const previous = this.#previousRun(stored)
    const failedRunSerial = previous && previous.run.counts.failed > 0 ? previous.serial : undefined
    const live = new LiveRun(this.#context, stored, failedRunSerial)
    this.#live.set(stored.run.id, live)
    this.#changed.notify()
    return live.current()
  }

  /**
   * Resets a run to its last checkpoint, or to its start, and makes it `waiting`. Records written since then stay in items
   * and counts, because they will not be written again.
   */
  #reset(id: string): Run {
    const { owner, now } = this.#options
    const stored = this.#stored(id)
    checkTransition(stored.run, 'waiting')
    const waiting = this.#tables.transaction(() => {
      const remaining = this.#tables.rewind(stored.serial, stored.checkpoint?.item ?? 0)
      const lease = now() + leaseMs
      const reset = {
        ...resetRun(stored, remaining),
        owner,
        lease,
        resumptions: stored.resumptions + 1,
      }
      this.#tables.update(reset)
      return reset
    })
    return this.#makeLive(waiting)
  }

  /**
   * Run to compare with: the one that is retried, else the previous unrestricted run of the pipe that finished as `complete` or
   * `incomplete`, if it had the same catalogue; none for a dry run and a run with `only`.
   */
  #previousRun({ start, run, serial }: StoredRun): StoredRun | undefined {
    if (start.dryRun || start.only) return undefined
    if (start.retryOf !== undefined) return this.#tables.byId(start.retryOf)
    const previous = this.#tables.lastFinished(run.pipe, serial, ['complete', 'incomplete'])
    // A pipe can run for several catalogues in turn.
    return previous?.run.catalogue === run.catalogue ? previous : undefined
  }

  /** Starts the maintenance loop. */
  #maintain(): BackgroundLoop {
    const round = () => {
      this.#flushAll()
      this.#prune()
      // Followers poll the runs of other processes.
      this.#changed.notify()
    }
    return backgroundLoop('runs.write-failed', roundMs, round, this.#options)
  }

  #flushAll(): void {
    for (const live of this.#live.values()) live.flush()
  }

  /** Deletes one slice of old data, so that deleting a run with a million items does not block others. */
  #prune(): void {
    const { now, historyDays = 365 } = this.#options
    if (now() < this.#nextPruning) return
    const isMore = this.#tables.prune(now() - historyDays * dayMs, itemsPerRound)
    if (!isMore) this.#nextPruning = now() + pruneEveryMs
  }
}

function throwUnknownRun(id: string): never {
  throw new Failure('unknown-run', `there is no run ${id.slice(0, 100)}`)
}

/** Run in state `waiting`, with the counts of its checkpoint and of the `remaining` items after it, by state. */
function resetRun(stored: StoredRun, remaining: Readonly<Record<string, number>>): StoredRun {
  const {
    counts: from,
    progress,
    tally,
  } = stored.checkpoint ?? {
    counts: noCounts,
    progress: noProgress,
    tally: noTally,
  }
  const counts = countNames.map((name) => [name, from[name] + (remaining[name] ?? 0)] as const)
  const { outcome: _, endTime: __, ...runWithoutEnd } = stored.run
  const run: Run = {
    ...runWithoutEnd,
    status: 'waiting',
    problem: null,
    counts: { ...from, ...Object.fromEntries(counts) },
    progress,
    segments: runWithoutEnd.segments.map((segment) => ({ ...segment, processed: false })),
  }
  return { ...stored, run, tally }
}
