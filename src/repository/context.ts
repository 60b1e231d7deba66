/** What the repository is given from outside, and what all of its writers and routes share; `repository.ts` fills it in. */

import type { Quad } from '@rdfjs/types'
import type { ApiKeys } from '../http/api-key.ts'
import type { AppOptions } from '../http/app.ts'
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
import type { Semaphore } from '../workers/semaphore.ts'
import type { Tombstones } from './deleting/tombstones.ts'
import type { IdLists } from './writing/id-lists.ts'
import type { DatasetIds } from './writing/dataset-ids.ts'
import type { KeyedLock } from '../workers/keyed-lock.ts'
import type { Deletions } from './writing/write-batch.ts'
import type { Pause } from '../workers/pause.ts'

/** What `main.ts` gives the repository: the store, the projector's ends of the line, limits and clocks. */
export type RepositoryOptions = {
  readonly store: GraphStore
  readonly names: Names
  readonly versions: VersionClock
  readonly log: Log
  /** Deletes and restores catalogues; stopped after the repository. */
  readonly jobs: JobRunner
  readonly now: () => Date
  readonly uuid: () => string
  /** Resolves after so many milliseconds, or when the signal fires. */
  readonly pause: Pause
  /** Most triples of one dataset or catalogue. */
  readonly triples: number
  /** What the canonical form of one record may cost; the usual when absent. */
  readonly canonical?: CanonicalBounds
  /** Called when the outcome of a failed write is not known: its marks may be in the store. */
  readonly onOutcomeUnknown: () => void
  /** Called after each write; it must not delay the answer. */
  readonly onCommitted: (marks: readonly CommittedMark[]) => void
  /** Resolves when the index keeps up, or soon; large writes ask before each batch. */
  readonly waitForIndexer: (signal: AbortSignal) => Promise<void>
  /** Called when a fact changed that other records embed, so that these have to be projected again. */
  readonly onCascadeMark: () => void
  /** Resolves true when the marked version is searchable, false when the signal fires first. */
  readonly waitUntilIndexed: (mark: Mark, signal: AbortSignal) => Promise<boolean>
  /** Whether the index may not have the present state of a resource yet. */
  readonly isPending: (resource: string) => boolean
  /** Whether a catalogue is kept out of search, with everything in it. */
  readonly isHidden: (catalogue: string, signal: AbortSignal) => Promise<boolean>
  /** The catalogue in which searches still find a dataset. */
  readonly indexedCatalogueOf: (dataset: string, signal: AbortSignal) => Promise<string | undefined>
  /** Where the tombstones are kept. */
  readonly directory: string
  /** Days for which what was deleted can be restored; 0 = nothing is kept, not even what was kept before. */
  readonly days: number
  readonly keys: ApiKeys
  readonly limits: Limits
  readonly profile: Profile
  /** Version of the platform, for the OpenAPI document. */
  readonly version: string
  readonly http: Omit<AppOptions, 'name'>
}

/** What every writer and every route works with. */
export type RepositoryContext = RepositoryOptions & {
  readonly locks: Pick<KeyedLock, 'run'>
  readonly deletions: Deletions
  readonly tombstones: Tombstones
  readonly ids: DatasetIds
  readonly idLists: IdLists
  /** Digest of a body and of the dataset that it is for → hash of its content; see `DatasetItem.digest`. */
  readonly bodies: BoundedCache<string>
  /** Bounds the bulk writes that run at once. */
  readonly bulkWrites: Semaphore
  /** Lets requests have their turn between two steps of long work. */
  readonly turn: YieldWhenDue
}

/** What a write did. `unchanged` = the hash was equal and nothing was written. */
export type WriteOutcome = {
  readonly kind: 'created' | 'updated' | 'unchanged'
  readonly iri: string
  /** Id of the catalogue that it is, or is in; absent for what is in none. */
  readonly catalogue?: string
  readonly hash: string
  /** Absent when nothing was written. */
  readonly mark?: Mark
}

/** Throws when the stored hash (`undefined` = no such resource) is not the one that the client expects (`If-Match`). */
export type Precondition = (hash: string | undefined) => void

/** A body whose syntax is checked once the IRI is known that relative references are resolved against. */
export type ResourceBody = {
  readonly parse: (baseIri: string) => Promise<readonly Quad[]>
  /** The body as it came, and its media type. */
  readonly source: { readonly text: string; readonly format: Format }
}
