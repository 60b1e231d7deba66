/** Dependencies of the repository, and the context of its writers and endpoints, which `repository.ts` creates. */

import type { Quad } from '@rdfjs/types'
import type { Accounts } from '../http/accounts.ts'
import type { ApiKeys, WrongKeyCounter } from '../http/api-key.ts'
import type { AppContext, SharedAppOptions } from '../http/app.ts'
import type { Limits } from '../http/limits.ts'
import type { JobRunner } from '../jobs/job-runner.ts'
import type { Log } from '../log.ts'
import type { Profile } from '../profile/profile.ts'
import type { CanonicalBounds } from '../rdf/canonical.ts'
import type { Format } from '../rdf/media-types.ts'
import type { Names } from '../rdf/names.ts'
import type { GraphStore } from '../store/graph-store.ts'
import type { CommittedMark, Mark } from '../store/marks.ts'
import type { VersionClock } from '../store/versions.ts'
import type { BoundedCache } from '../workers/bounded-cache.ts'
import type { YieldWhenDue } from '../workers/event-loop.ts'
import type { FairLimiter } from '../workers/fair-limiter.ts'
import type { DraftFile } from './drafts/draft-file.ts'
import type { Tombstones } from './deleting/tombstones.ts'
import type { versionNotes } from './versions/record-versions.ts'
import type { VersionFile, VersionLimits } from './versions/version-file.ts'
import type { IdLists } from './writing/id-lists.ts'
import type { DatasetIds } from './writing/dataset-ids.ts'
import type { KeyedLock } from '../workers/keyed-lock.ts'
import type { Deletions } from './writing/write-batch.ts'
import type { Pause } from '../workers/pause.ts'

/** Dependencies that `src/main` passes: the store, functions of the projector, limits and clocks. */
export type RepositoryOptions = {
  /** Whether another process writes: then only what reads from the store without a key is mounted, and nothing runs in the background. */
  readonly isReader?: boolean
  readonly store: GraphStore
  readonly names: Names
  readonly versions: VersionClock
  readonly log: Log
  /** Runs the jobs of this folder, and lists those of all for the endpoints; stopped after the repository. */
  readonly jobs: JobRunner
  readonly now: () => Date
  readonly uuid: () => string
  /** Resolves after some milliseconds; rejects when the signal fires. */
  readonly pause: Pause
  /** Most triples of one dataset, catalogue or resource of a declared type; metrics may have five times as many. */
  readonly triples: number
  /** Cost limit of the canonical form of one record; absent = the default. */
  readonly canonical?: CanonicalBounds
  /** Called when the outcome of a failed write is not known: its marks may be in the store. */
  readonly onOutcomeUnknown: () => void
  /** Called after each write; it must not delay the answer. */
  readonly onCommitted: (marks: readonly CommittedMark[]) => void
  /** Resolves when the index keeps up, or after a short time; large writes call it before each batch. */
  readonly waitForIndexer: (signal: AbortSignal) => Promise<void>
  /** Called when a fact changed that other records embed, so that these have to be projected again. */
  readonly onCascadeMark: () => void
  /** Resolves true when the marked version is searchable, false when the signal fires first. */
  readonly waitUntilIndexed: (mark: Mark, signal: AbortSignal) => Promise<boolean>
  /** Tells whether the index may not have the current state of a resource yet. */
  readonly isPending: (resource: string) => boolean
  /** Tells whether a catalogue is excluded from search, with its members. */
  readonly isHidden: (catalogue: string, signal: AbortSignal) => Promise<boolean>
  /** Returns the catalogue in which searches still find a dataset. */
  readonly indexedCatalogueOf: (dataset: string, signal: AbortSignal) => Promise<string | undefined>
  /** Directory of the tombstones. */
  readonly directory: string
  /** Days for which a deleted resource can be restored; 0 = nothing is kept, not even earlier tombstones. */
  readonly days: number
  /** File of what is kept beside the store. */
  readonly recordsPath: string
  readonly versionLimits: VersionLimits
  /** Called when a write failed before it reached the store, because its version could not be noted. */
  readonly onWriteFailed?: (error: unknown) => void
  /** Validates and scores a record that is not published; absent where no service validates. */
  readonly checkRecord?: RecordCheck
  readonly keys: ApiKeys
  readonly accounts: Accounts
  readonly limits: Limits
  readonly profile: Profile
  /** Version of the platform, for the OpenAPI document. */
  readonly version: string
  readonly http: SharedAppOptions
}

/** Result of a validation, as the metrics give it; nodes and values as IRIs, `_:label` or texts. */
type ShapeResult = {
  readonly severity: 'Violation' | 'Warning' | 'Info'
  readonly node?: string | undefined
  readonly path?: string | undefined
  readonly value?: string | undefined
  /** Language → message. */
  readonly messages: Readonly<Record<string, string>>
  /** IRI of the constraint component. */
  readonly component: string
}

/**
 * Validates a record of a catalogue as N-Triples and gives its points without those of links; the points are absent for what is no
 * dataset.
 */
export type RecordCheck = (
  lines: string,
  catalogue: string,
  signal: AbortSignal,
) => Promise<{
  readonly results: readonly ShapeResult[]
  readonly score?: number | undefined
  readonly dimensions?: Readonly<Record<string, number>> | undefined
}>

/** Context of all writers and endpoints. */
export type RepositoryContext = RepositoryOptions & {
  readonly locks: Pick<KeyedLock, 'run'>
  readonly deletions: Deletions
  readonly tombstones: Tombstones
  readonly history: VersionFile
  readonly noteVersions: ReturnType<typeof versionNotes>
  readonly ids: DatasetIds
  readonly idLists: IdLists
  readonly drafts: DraftFile
  /** Answers the write of a dataset as a draft (`publicationStatus=draft`); without an id at the origin a new draft is made. */
  readonly draftDataset: (
    c: AppContext,
    context: RepositoryContext,
    dataset: { readonly catalogue?: string; readonly originalId?: string },
  ) => Promise<Response>
  /** Cache of content hashes by the digest of a body and its dataset; see `DatasetItem.digest`. */
  readonly bodies: BoundedCache<string>
  /** Bounds the bulk writes that run at once. */
  readonly bulkWrites: FairLimiter
  /** Counts wrong tokens of invitations by client. */
  readonly wrongTokens: WrongKeyCounter
  /** Yields to requests between two steps of long work. */
  readonly turn: YieldWhenDue
}

/** Outcome of a write. `unchanged` = the hash was equal (metrics: at most times differ), and nothing was written. */
export type WriteOutcome = {
  readonly kind: 'created' | 'updated' | 'unchanged'
  readonly iri: string
  /** Id of the catalogue itself, or of the one that contains the resource; absent without a catalogue. */
  readonly catalogue?: string
  readonly hash: string
  /** Absent when nothing was written that the index shows. */
  readonly mark?: Mark
}

/** Throws unless the stored hash (`undefined` = no such resource) is as the client expects (`If-Match`, `If-None-Match`). */
export type Precondition = (hash: string | undefined) => void

/** Body that is parsed when the IRI is known against which relative references are resolved. */
export type ResourceBody = {
  readonly parse: (baseIri: string) => Promise<readonly Quad[]>
  /** Text of the body, decoded, and its format. */
  readonly source: { readonly text: string; readonly format: Format }
  /** Labels of stored blank nodes, by those in the parsed body; they are kept. */
  readonly labels?: ReadonlyMap<string, string>
}
