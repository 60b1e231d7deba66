/** What is known of one run of a pipe, where segments report it (`RunSink`), and failures as a run stores them. */

import { type Complaint, Failure, type Kind } from '../../errors.ts'
import { problemOf } from '../../http/problem.ts'
import { defined } from '../defined.ts'
import type { Configs } from '../document.ts'
import type { Finding, RecordMessage, Stage } from '../message.ts'

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
type RunOutcome = (typeof runOutcomes)[number]
export const starters = ['trigger', 'api', 'console', 'validator'] as const
type StartedBy = (typeof starters)[number]

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
export type RunCounts = Readonly<Record<(typeof countNames)[number], number>>

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every name is there
export const noCounts = Object.fromEntries(countNames.map((name) => [name, 0])) as RunCounts

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
  readonly counts: RunCounts
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
  /** Of the record, in English where it has one. */
  readonly title?: string
  /** Where it stands in the document of its source, or where the problem does: a line from 1, in JSON a JSON Pointer. */
  readonly line?: number
  readonly pointer?: string
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
export type RunStart = Pick<Run, 'pipe' | 'catalogue' | 'trigger' | 'startedBy' | 'segments'> & {
  readonly dryRun: boolean
  readonly configs: Configs
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
  /** Only of the record with this id: of the platform, of the source, or the original one. */
  readonly record?: string
  /** Only with a finding of this kind. */
  readonly finding?: string
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

// A failure as a run keeps it.

/** RFC 9457 without `instance`; anything that is not a `Failure` is a bare `internal`, its message belongs to the log. */
export function storedProblem(error: unknown): StoredProblem {
  const { title, status, detail, errors } = problemOf(error, '').body
  const kind = error instanceof Failure ? error.kind : 'internal'
  return defined({ type: `urn:cartulary:problem:${kind}`, title, status, detail, errors })
}

/** The last part of the type of a problem. */
export const slugOf = ({ type }: { readonly type: string }): string =>
  type.slice(type.lastIndexOf(':') + 1)

// Where segments report what happens in a run.

/** The record that a finding is about. */
export type FindingSubject = Pick<
  RunItem,
  'sourceId' | 'originalId' | 'sourceUrl' | 'line' | 'pointer'
>

/** Everything is cheap and does not wait; the implementation writes in groups. */
export type RunSink = {
  item(item: Omit<RunItem, 'time'>): void
  /**
   * What concerns no record, or one that has been told already (`about`). Findings of a record that is still on its way
   * travel in its message. Counted, and by slug the first three stand in the report.
   */
  finding(finding: Finding, about?: FindingSubject): void
  /** A declared total; the last one counts. */
  total(total: number): void
  offered(count?: number): void
  adopted(count: number): void
  /**
   * A page was handed on whole. Not what a run is resumed from: that is the `cursor` of a `page` message which has come
   * out of the last segment, because only then everything before it was written.
   */
  page(page: { readonly cursor?: string; readonly bytes?: number; readonly millis?: number }): void
  /** A request left the house and was answered with this status, or `error`. */
  request(request: { readonly host: string; readonly status: number | 'error' }): void
  /** Any sign of life: keeps the run from counting as stalled. */
  alive(): void
  /** A segment has ended. */
  processed(segmentNumber: number): void
  /** How the run ends if nothing worse happens; the last segment decides. */
  outcome(outcome: RunOutcome, problem?: Error): void
}

/** Tells the findings of a record that goes no further in this process: no item of its own will name them. */
export function tellFindings(
  sink: Pick<RunSink, 'finding'>,
  record: Omit<RecordMessage, 'text'>,
): void {
  const { sourceId, originalId, sourceUrl, line, pointer, findings } = record
  const about = defined({ sourceId, originalId, sourceUrl, line, pointer })
  for (const finding of findings) sink.finding(finding, about)
}
