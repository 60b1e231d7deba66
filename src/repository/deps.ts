/** What the repository needs from outside; `main.ts` fills it in. */

import type { Log } from '../log.ts'
import type { CanonicalBounds } from '../rdf/canonical.ts'
import type { Names } from '../rdf/names.ts'
import type { GraphStore } from '../store/graph-store.ts'
import type { Locks } from './writing/locks.ts'
import type { Landed, Mark } from '../store/marks.ts'
import type { Versions } from '../store/versions.ts'
import type { Deletions } from './deleting/deletions.ts'
import type { Tombstones } from './deleting/tombstones.ts'
import type { DatasetIds } from './writing/dataset-id.ts'

export type RepositoryDeps = {
  readonly store: GraphStore
  readonly names: Names
  readonly locks: Locks
  readonly versions: Versions
  readonly log: Log
  readonly now: () => Date
  readonly uuid: () => string
  /** Most triples of one dataset or catalogue. */
  readonly triples: number
  /** What the canonical form of one record may cost; the usual when absent. */
  readonly canonical?: CanonicalBounds
  /** Folder for bodies that do not fit into memory while they are taken in; the system's temporary one when absent. */
  readonly scratch?: string
  /** Told when a write failed whose outcome is not known: marks in the store must be looked for. */
  readonly unsure: () => void
  /** Told after each write; what follows happens without delaying the answer. */
  readonly changed: (marks: readonly Landed[]) => void
  /** Resolves when the index keeps up, or soon; whoever writes very much asks before each part of it. */
  readonly keptUp: (signal: AbortSignal) => Promise<void>
  /** Told when a fact changed that other records embed: the datasets of a catalogue are projected again. */
  readonly cascaded: () => void
}

/** What the writers of a station share. */
export type WritingDeps = RepositoryDeps & {
  readonly deletions: Deletions
  readonly tombstones: Tombstones
  readonly ids: DatasetIds
}

/** What a write did. `unchanged` = the hash was equal and nothing was written. */
export type Outcome = {
  readonly kind: 'created' | 'updated' | 'unchanged'
  readonly iri: string
  /** Id of the catalogue that it is, or is in; absent for what is in none. */
  readonly catalogue?: string
  readonly hash: string
  readonly modified: string | undefined
  /** Absent when nothing was written. */
  readonly mark?: Mark
}
