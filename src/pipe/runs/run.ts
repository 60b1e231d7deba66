/** What is known of one travel of a pipe. */

import type { Complaint, Kind } from '../../errors.ts'
import type { JsonObject } from '../document.ts'
import type { Finding, Stage } from '../message.ts'

export const runStatuses = [
  'waiting',
  'running',
  'finished',
  'failed',
  'cancelled',
  'timed-out',
  'interrupted',
] as const
export type RunStatus = (typeof runStatuses)[number]
export const runOutcomes = ['complete', 'incomplete', 'not-modified', 'dry-run'] as const
export type RunOutcome = (typeof runOutcomes)[number]
export const starters = ['trigger', 'api', 'console', 'validator'] as const
export type StartedBy = (typeof starters)[number]

/** A failure as it is kept: RFC 9457 without `instance`. */
export type StoredProblem = {
  readonly type: `urn:cartulary:problem:${Kind}`
  readonly title: string
  readonly status: number
  readonly detail?: string
  readonly errors?: readonly Complaint[]
}

export const countNames = [
  'offered',
  'created',
  'updated',
  'unchanged',
  'skipped',
  'failed',
  'refused',
  'duplicate',
  'removed',
  'held',
  'adopted',
  'findings',
] as const
export type Counts = Readonly<Record<(typeof countNames)[number], number>>

export const noCounts: Counts = {
  offered: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  skipped: 0,
  failed: 0,
  refused: 0,
  duplicate: 0,
  removed: 0,
  held: 0,
  adopted: 0,
  findings: 0,
}

/** What an operator has had done about a run that had ended, and what came of it. */
export type RunNote = {
  /** `confirm` removes what the run held back, `restore` brings back what it removed. */
  readonly action: 'confirm' | 'restore'
  readonly time: string
  /** Records. */
  readonly done: number
  readonly failed: number
}

export type Run = {
  readonly id: string
  readonly pipe: string
  readonly trigger?: string
  readonly startedBy: StartedBy
  readonly catalogue?: string
  readonly status: RunStatus
  readonly outcome?: RunOutcome
  readonly created: string
  readonly startTime?: string
  readonly endTime?: string
  readonly counts: Counts
  readonly progress: {
    readonly pages: number
    readonly bytes: number
    readonly total?: number
    readonly lastPage?: string
    readonly lastItem?: string
  }
  readonly segments: readonly {
    readonly name: string
    readonly segmentNumber: number
    readonly processed: boolean
  }[]
  readonly problem: StoredProblem | null
  /** Oldest first, at most the last twenty. */
  readonly notes?: readonly RunNote[]
}

export const itemStates = [
  'created',
  'updated',
  'unchanged',
  'skipped',
  'failed',
  'refused',
  'duplicate',
  'removed',
  'held',
  'restored',
] as const
export type ItemState = (typeof itemStates)[number]

/** Statements as `predicate object`. */
export type Difference = { readonly gone: readonly string[]; readonly come: readonly string[] }

/** One thing that a run did or did not do. `unchanged` items are counted and not kept one by one. */
export type RunItem = {
  readonly originalId?: string
  readonly sourceId?: string
  readonly platformId?: string
  readonly sourceUrl?: string
  readonly stage: Stage
  readonly state: ItemState
  readonly problem?: StoredProblem
  readonly findings?: readonly Finding[]
  /** Why it was skipped, adopted or taken over. */
  readonly note?: string
  /** Of a dry run: what would change about the record that is stored. */
  readonly difference?: Difference
  /** What the source sent, cut to 64 KB; kept for failed items, and of dry runs what would be written. */
  readonly excerpt?: string
  readonly time: string
}

/** What a launch asks for, as it is kept with the run. */
export type RunStart = {
  readonly pipe: string
  readonly catalogue?: string
  readonly trigger?: string
  readonly startedBy: StartedBy
  readonly dryRun: boolean
  readonly configs: Readonly<Record<string, JsonObject>>
  readonly segments: Run['segments']
  /** What it does while the pipe is active; `drop` when absent. */
  readonly startMode?: StartMode
  /** Import no more records than this; the run is then incomplete. */
  readonly limit?: number
  /** Only these ids are wanted. */
  readonly only?: readonly string[]
  /** Records come from the repository, not from an importer. */
  readonly feed?: Feed
  /** The run whose failed items are tried again: the wanted ids are read from it. */
  readonly retryOf?: string
}

export const startModes = ['drop', 'restart', 'append', 'concurrent'] as const
/**
 * What a launch does while the pipe is active: nothing; cancel it and start; wait for its end (one waiting place, the
 * newest wins); start beside it.
 */
export type StartMode = (typeof startModes)[number]

/** Whether nothing more happens in a run by itself. */
export const ended = ({ status }: Pick<Run, 'status'>): boolean =>
  status !== 'waiting' && status !== 'running'

/** Newest first. */
export type RunFilter = {
  readonly pipe?: string
  readonly status?: RunStatus
  readonly catalogue?: string
  readonly offset: number
  readonly limit: number
}

/** In order of arrival. */
export type ItemFilter = {
  readonly state?: ItemState
  readonly stage?: Stage
  readonly offset?: number
  readonly limit?: number
}

/** The next state of a run. */
export type RunChange = {
  readonly status: RunStatus
  readonly outcome?: RunOutcome
  readonly problem?: StoredProblem
}

// What a run is fed with when no importer brings its records: datasets of the repository itself.

/** Plain data, kept with the run: one that was interrupted goes on with it. */
export type Feed = {
  /** Id of the catalogue whose datasets go through the pipe; all datasets when absent. */
  readonly catalogue?: string
  /** Only these, by platform id. */
  readonly datasets?: readonly string[]
  /** The present metrics graph of a dataset goes along. */
  readonly withMetrics?: boolean
  /** Milliseconds between two datasets. */
  readonly pulseMs?: number
}
