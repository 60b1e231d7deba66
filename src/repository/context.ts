/** What the repository is given from outside, and what all of its writers share; `repository.ts` fills it in. */

import type { Quad } from '@rdfjs/types'
import type { Log } from '../log.ts'
import type { CanonicalBounds } from '../rdf/canonical.ts'
import type { Names } from '../rdf/names.ts'
import type { GraphStore } from '../store/graph-store.ts'
import type { Landed, Mark } from '../store/marks.ts'
import type { VersionClock } from '../store/versions.ts'
import type { Deletions } from './deleting/deletions.ts'
import type { Tombstones } from './deleting/tombstones.ts'
import type { IdLists } from './listing/id-lists.ts'
import type { DatasetIds } from './writing/dataset-ids.ts'
import type { Locks } from './writing/locks.ts'

export type RepositoryDeps = {
  readonly store: GraphStore
  readonly names: Names
  readonly locks: Locks
  readonly versions: VersionClock
  readonly log: Log
  readonly now: () => Date
  readonly uuid: () => string
  /** Most triples of one dataset or catalogue. */
  readonly triples: number
  /** What the canonical form of one record may cost; the usual when absent. */
  readonly canonical?: CanonicalBounds
  /** Called when the outcome of a failed write is not known: its marks may be in the store. */
  readonly unsure: () => void
  /** Called after each write; it must not delay the answer. */
  readonly changed: (marks: readonly Landed[]) => void
  /** Resolves when the index keeps up, or soon; large writes ask before each batch. */
  readonly keptUp: (signal: AbortSignal) => Promise<void>
  /** Called when a fact changed that other records embed, so that these have to be projected again. */
  readonly cascaded: () => void
}

/** What every writer works with. */
export type WriteContext = RepositoryDeps & {
  readonly deletions: Deletions
  readonly tombstones: Tombstones
  readonly ids: DatasetIds
  readonly idLists: IdLists
}

/** What a write did. `unchanged` = the hash was equal and nothing was written. */
export type WriteOutcome = {
  readonly kind: 'created' | 'updated' | 'unchanged'
  readonly iri: string
  /** Id of the catalogue that it is, or is in; absent for what is in none. */
  readonly catalogue?: string
  readonly hash: string
  readonly modified: string | undefined
  /** Absent when nothing was written. */
  readonly mark?: Mark
}

/** Throws when the stored hash (`undefined` = no such resource) is not the one that the client expects (`If-Match`). */
export type Precondition = (hash: string | undefined) => void

/** A body whose syntax is checked once the IRI is known that relative references are resolved against. */
export type ResourceBody = { readonly parse: (baseIri: string) => Promise<readonly Quad[]> }
