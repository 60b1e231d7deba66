/** What is known of all runs, now and 365 days back. */

import type { ItemFilter, Run, RunChange, RunFilter, RunItem, RunNote, RunStart } from './run.ts'
import type { RunSink } from './sink.ts'
import type { RunReport } from './report.ts'

/** How a run starts again after it was interrupted. */
type Resumption = {
  readonly start: RunStart
  /** Cursor of the last page that was written whole. */
  readonly cursor?: string
  /** How often the run was resumed already. */
  readonly times: number
}

/** Everything is synchronous except what follows a run; `Failure` `unknown-run` where an id must exist. */
export type Runs = {
  /** A run in state `waiting`, durable when this returns. */
  create(start: RunStart): Run
  /**
   * All that `work` does to runs is one write: many runs that are made together cost what one costs. When it throws, none of
   * them was made.
   */
  together<T>(work: () => T): T
  get(id: string): Run | undefined
  /** Newest first. */
  list(filter: RunFilter): readonly Run[]
  /** In order of arrival, read in slices: memory does not grow with the run. */
  items(id: string, filter?: ItemFilter): Iterable<RunItem>
  report(id: string): RunReport
  /** Where the segments of a run report; what comes after the end of the run is dropped. */
  sink(id: string): RunSink
  /** The next state, durable when this returns. Throws `Failure` `conflict` for a step that no run makes. */
  change(id: string, change: RunChange): Run
  /** Keeps what was done about a run that has ended; nothing happens to one that goes on. */
  note(id: string, note: Omit<RunNote, 'time'>): void
  /** Everything before this cursor of the source is written: a resumed run goes on from there. */
  checkpoint(id: string, cursor: string): void
  /** The run as it is now, then after every change (at most five a second), until it has ended. */
  follow(id: string, signal: AbortSignal): AsyncIterable<Run>
  /** The newest run of a pipe that finished `complete` or `not-modified`. */
  lastComplete(pipe: string): Run | undefined
  /** Original ids and source ids of the items that failed, each once. */
  failedIds(id: string): readonly string[]
  /** What a run was started with. */
  resumption(id: string): Resumption
  /** When something last happened in a run of this process: ms of the clock. */
  lastSign(id: string): number | undefined
  /** Renews the leases of this process's runs for 60 s; the ids of runs that somebody else has taken meanwhile. */
  renew(): readonly string[]
  /**
   * Marks runs whose lease has expired, or that an earlier process of this owner left, as `interrupted`: then, or when the lease
   * ran out.
   */
  interruptOrphans(): readonly Run[]
  close(): Promise<void>
}
