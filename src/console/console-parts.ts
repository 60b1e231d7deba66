/** What the console needs of the services beside it: one part for each service that runs in this process. */

import type { JobRunner } from '../jobs/job-runner.ts'
import type { JsonObject } from '../text/json.ts'
import type { Launcher } from '../pipe/running/launcher.ts'
import type { Runs } from '../pipe/runs/run-history.ts'
import type { PipeSources } from '../pipe/sources/pipe-sources.ts'

/** A part that is absent has no commands. */
export type Parts = {
  readonly scheduler?: SchedulerPart
  readonly repository?: RepositoryPart
  readonly search?: SearchPart
  readonly metrics?: MetricsPart
  readonly jobs?: JobsPart
  /** Name → state: services, store, engine, drift, queues. */
  readonly status: (signal: AbortSignal) => Promise<JsonObject>
}

/** Instants are milliseconds since 1970. */
export type ConsoleTrigger = {
  readonly id: string
  readonly status: 'enabled' | 'disabled'
  readonly timing:
    | { readonly kind: 'interval'; readonly unit: string; readonly value: number }
    | { readonly kind: 'cron'; readonly expression: string; readonly timeZone?: string }
    | { readonly kind: 'specific'; readonly times: readonly number[] }
  readonly next?: number
  readonly last?: number
  /** Why it does not fire as things are. */
  readonly problem?: string
}

/** Pipes, runs, triggers, and what operators decide about harvested records. */
export type SchedulerPart = {
  readonly pipes: Pick<PipeSources, 'list' | 'invalid' | 'find' | 'reload'>
  readonly launcher: Pick<Launcher, 'launch' | 'cancel' | 'resume' | 'retry'>
  readonly runs: Pick<Runs, 'get' | 'list' | 'items' | 'report' | 'follow' | 'lastComplete'>
  readonly triggers: {
    all(): ReadonlyMap<string, readonly ConsoleTrigger[]>
    of(pipe: string): readonly ConsoleTrigger[]
    turn(pipe: string, id: string, status: ConsoleTrigger['status']): unknown
  }
  /** Carries out the removals that a run holds back. */
  readonly confirm: (runId: string, signal: AbortSignal) => Promise<void>
  /** Hands the records of the pipe `from` over to another one; their number. */
  readonly adopt: (
    pipes: { readonly pipe: string; readonly from: string },
    signal: AbortSignal,
  ) => Promise<number>
  /** Groups of records of several catalogues that look like the same one; of one catalogue where it is named. */
  readonly duplicates: Listing<string | undefined, readonly Alike[]>
  /** A pipe as it may be shown. */
  readonly masked: (pipe: JsonObject) => JsonObject
}

type Alike = {
  /** What it shares with the others. */
  readonly mark: 'identifier' | 'page'
  readonly catalogue: string
  readonly originalId: string
  readonly platformId?: string
}

/** `total` is absent as long as it is not known. */
export type ReportProgress = (done: number, total?: number) => void

type CatalogueLaunch = {
  readonly catalogue: string
  readonly pipe: string
  /** Milliseconds between two datasets. */
  readonly pulseMs: number
  /** The present metrics graph goes along. */
  readonly withMetrics: boolean
}

/** Resolves when the work is done, with how many records it met. */
type Work<Options, Result = number> = (
  options: Options,
  progress: ReportProgress,
  signal: AbortSignal,
) => Promise<Result>
type Listing<Options, Row = string> = (options: Options, signal: AbortSignal) => AsyncIterable<Row>

/** Records, their indices, what was deleted, and vocabularies. */
export type RepositoryPart = {
  /** Sends every dataset of a catalogue through a pipe; the number found and the id of the run. */
  readonly launch?: (
    launch: CatalogueLaunch,
    signal: AbortSignal,
  ) => Promise<{ readonly found: number; readonly run: string }>
  /** No catalogues = all of them. */
  readonly index: Work<readonly string[]>
  /** No indices = all of them. */
  readonly reindex: Work<readonly string[]>
  readonly reconcile: Work<{ readonly dryRun: boolean }, Drift>
  readonly pending: (
    signal: AbortSignal,
  ) => Promise<{ readonly count: number; /** Seconds. */ readonly oldest?: number }>
  readonly clear: Work<{ readonly catalogue: string; readonly keepIndex: boolean }>
  /** A sentence for everything that was found. */
  readonly repair: Listing<string>
  /** Restores addresses that are IRIs of the platform; a sentence for each. */
  readonly repairAddresses: Listing<{ readonly dryRun: boolean }>
  /** Removes statements of datasets that were not sent; a sentence for each. */
  readonly repairStore: Listing<{ readonly dryRun: boolean }>
  /** Brings back one dataset, or all that a run removed. */
  readonly restore: (datasetOrRun: string, signal: AbortSignal) => Promise<Restored>
  readonly tombstones: Listing<string | undefined, Tombstone>
  /** No ids = all that come with the platform. A line for each. */
  readonly installVocabularies: Listing<readonly string[]>
  readonly vocabularies: (
    signal: AbortSignal,
  ) => AsyncIterable<{ readonly id: string; readonly concepts?: number }>
}

type Restored = {
  readonly restored: number
  /** Ids of datasets that did not come back, and why. */
  readonly failed: readonly { readonly id: string; readonly reason: string }[]
}

/** How store and index differ. */
type Drift = {
  readonly compared: number
  /** In the store and not in the index. */
  readonly missing: number
  /** In both and not the same. */
  readonly stale: number
  /** In the index and not in the store. */
  readonly extra: number
  readonly repaired: number
}

type Tombstone = {
  readonly id: string
  readonly catalogue?: string
  readonly deleted: string
}

/** What the search service shows of its settings. */
export type SearchPart = {
  /** Builds the sitemap again; the number of its addresses. */
  readonly sitemap: (signal: AbortSignal) => Promise<number>
  /** How much every field weighs. */
  readonly boosts: () => Readonly<Record<string, number>>
  readonly facets: () => readonly { readonly index: string; readonly id: string }[]
}

/** Background jobs. */
export type JobsPart = Pick<JobRunner, 'list' | 'cancel'>

/** The cache of figures. */
export type MetricsPart = {
  /** No catalogue = all of them. */
  readonly refresh: (catalogue: string | undefined, signal: AbortSignal) => Promise<void>
}

/** Names of the known pipes, for completion. */
export const pipeNames = ({ pipes }: SchedulerPart): readonly string[] =>
  pipes.list().map(({ pipe }) => pipe.header.name)

/** Completes the first word of a command alone. */
export const firstWord =
  (candidates: () => readonly string[]) =>
  (words: readonly string[]): readonly string[] =>
    words.length === 0 ? candidates() : []
