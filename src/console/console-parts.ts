/** Functions of the services of this process that the commands of the console call; `src/main/console.ts` provides them. */

import type { Accounts } from '../http/accounts.ts'
import type { JobRunner } from '../jobs/job-runner.ts'
import type { JsonObject } from '../text/json.ts'
import type { Launcher } from '../pipe/running/launcher.ts'
import type { Runs } from '../pipe/runs/run-history.ts'
import type { PipeSources } from '../pipe/sources/pipe-sources.ts'

/** Parts of the console; commands of an absent one do not exist. `launch` needs the scheduler or the repository. */
export type Parts = {
  readonly scheduler?: SchedulerPart
  readonly repository?: RepositoryPart
  readonly search?: SearchPart
  readonly metrics?: MetricsPart
  readonly jobs?: JobsPart
  readonly keys?: KeyPart
  readonly records?: RecordsPart
  /** Name → state: services, store, engine, drift, queues. */
  readonly status: (signal: AbortSignal) => Promise<JsonObject>
}

/** Trigger of a pipe; instants are milliseconds since 1970. */
export type ConsoleTrigger = {
  readonly id: string
  readonly status: 'enabled' | 'disabled'
  readonly timing:
    | { readonly kind: 'interval'; readonly unit: string; readonly value: number }
    | { readonly kind: 'cron'; readonly expression: string; readonly timeZone?: string }
    | { readonly kind: 'specific'; readonly times: readonly number[] }
  readonly next?: number
  readonly last?: number
  /** Reason why it does not fire. */
  readonly problem?: string
}

/** Pipes, runs, triggers, and decisions of operators about harvested records. */
export type SchedulerPart = {
  readonly pipes: Pick<PipeSources, 'list' | 'invalid' | 'find' | 'reload'>
  readonly launcher: Pick<Launcher, 'launch' | 'cancel' | 'resume' | 'retry'>
  readonly runs: Pick<Runs, 'get' | 'list' | 'items' | 'report' | 'follow' | 'lastComplete'>
  readonly triggers: {
    all(): ReadonlyMap<string, readonly ConsoleTrigger[]>
    of(pipe: string): readonly ConsoleTrigger[]
    setStatus(pipe: string, id: string, status: ConsoleTrigger['status']): unknown
  }
  /** Carries out the held removals of a run. */
  readonly confirm: (runId: string, signal: AbortSignal) => Promise<void>
  /** Gives the records of the pipe `from` to another one; returns their number. */
  readonly adopt: (
    pipes: { readonly pipe: string; readonly from: string },
    signal: AbortSignal,
  ) => Promise<number>
  /** Groups of records of different catalogues that may be duplicates; with a catalogue, those that have a record in it. */
  readonly duplicates: Listing<string | undefined, readonly PossibleDuplicate[]>
  /** Masks the secrets of a pipe. */
  readonly mask: (pipe: JsonObject) => JsonObject
}

type PossibleDuplicate = {
  /** Property that is equal in the group. */
  readonly keyName: 'identifier' | 'page'
  readonly catalogue: string
  readonly originalId: string
  readonly platformId?: string
}

/** Reports progress; `total` is absent while unknown. */
export type ReportProgress = (done: number, total?: number) => void

type CatalogueLaunch = {
  readonly catalogue: string
  readonly pipe: string
  /** Milliseconds between two datasets. */
  readonly pulseMs: number
  /** Whether the present metrics graph is part of the payload. */
  readonly withMetrics: boolean
}

/** Work on records; resolves with its result, by default the number of records, when it is done. */
type Work<Options, Result = number> = (
  options: Options,
  progress: ReportProgress,
  signal: AbortSignal,
) => Promise<Result>
type Listing<Options, Row = string> = (options: Options, signal: AbortSignal) => AsyncIterable<Row>

/** Records, their indices, tombstones and vocabularies. */
export type RepositoryPart = {
  /** Sends every dataset of a catalogue through a pipe; returns their number and the id of the run. */
  readonly launch?: (
    launch: CatalogueLaunch,
    signal: AbortSignal,
  ) => Promise<{ readonly datasets: number; readonly run: string }>
  /** Projects catalogues again into the present index; none means all. */
  readonly index: Work<readonly string[]>
  /** Builds second indices and swaps them in; none means all. */
  readonly reindex: Work<readonly string[]>
  readonly reconcile: Work<{ readonly dryRun: boolean }, Drift>
  /** Number of records that wait for the index, and the time that the oldest has waited. */
  readonly pending: (
    signal: AbortSignal,
  ) => Promise<{ readonly count: number; /** Seconds. */ readonly oldest?: number }>
  readonly clear: Work<{ readonly catalogue: string; readonly keepIndex: boolean }>
  /** Repairs a catalogue; yields a sentence for each finding. */
  readonly repair: Listing<string>
  /** Restores URLs that were replaced by IRIs of the platform; yields a sentence for each. */
  readonly repairAddresses: Listing<{ readonly dryRun: boolean }>
  /** Removes statements of datasets that were not sent; yields a sentence for each. */
  readonly repairStore: Listing<{ readonly dryRun: boolean }>
  /** Restores one dataset, or all that a run removed. */
  readonly restore: (datasetOrRun: string, signal: AbortSignal) => Promise<Restored>
  readonly tombstones: Listing<string | undefined, Tombstone>
  /** Installs bundled vocabularies, all when no ids are given; yields a line for each. */
  readonly installVocabularies: Listing<readonly string[]>
  readonly vocabularies: (
    signal: AbortSignal,
  ) => AsyncIterable<{ readonly id: string; readonly concepts?: number }>
}

type Restored = {
  readonly restored: number
  /** Datasets that could not be restored, with the reason. */
  readonly failed: readonly { readonly id: string; readonly reason: string }[]
}

/** Differences between store and index, as numbers of records. */
type Drift = {
  readonly compared: number
  /** In the store only. */
  readonly missing: number
  /** In both, but not equal. */
  readonly stale: number
  /** In the index only. */
  readonly extra: number
  readonly repaired: number
}

type Tombstone = {
  readonly id: string
  readonly catalogue?: string
  /** Time of the deletion, ISO 8601. */
  readonly deleted: string
}

/** Sitemap, weights and facets of the search service. */
export type SearchPart = {
  /** Builds the sitemap again; returns the number of its addresses. */
  readonly sitemap: (signal: AbortSignal) => Promise<number>
  /** Weight of each field in the ranking. */
  readonly boosts: () => Readonly<Record<string, number>>
  readonly facets: () => readonly { readonly index: string; readonly id: string }[]
}

/** Accounts of people and programs. */
export type KeyPart = {
  readonly accounts: Pick<Accounts, 'list' | 'invite' | 'addProgram' | 'revoke'>
  /** Address at which a person accepts an invitation. */
  readonly invitationAddress: (token: string) => string
  /** Whether the key with this id may do everything: the permission for the console alone does not suffice. */
  readonly isAdministrator: (keyId: string) => boolean
  readonly now: () => number
}

/** Drafts and versions of records, as the holder of a key may read and change them. */
export type RecordsPart = {
  /** Calls the repository as the holder of the key with this id; `path` is below the address of the repository. */
  readonly ask: (path: string, init: RequestInit, keyId: string) => Promise<Response>
}

/** List of background jobs, and their cancellation. */
export type JobsPart = Pick<JobRunner, 'list' | 'cancel'>

/** Cache of the figures of quality. */
export type MetricsPart = {
  /** Refreshes the figures of a catalogue, or of all. */
  readonly refresh: (catalogue: string | undefined, signal: AbortSignal) => Promise<void>
}

/** Names of the pipes, for completion. */
export const pipeNames = ({ pipes }: SchedulerPart): readonly string[] =>
  pipes.list().map(({ pipe }) => pipe.header.name)

/** Makes a completion of the first argument only. */
export const firstWord =
  (candidates: () => readonly string[]) =>
  (words: readonly string[]): readonly string[] =>
    words.length === 0 ? candidates() : []
