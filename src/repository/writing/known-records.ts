/**
 * Records of the datasets that this process wrote or looked up last. The process is the only one that writes to the store, so that
 * another write to one of them need not ask the store for its id; what other programs write there is seen when an entry expires.
 */

import type { Names } from '../../rdf/names.ts'
import type { GraphChange } from '../../store/graph-store.ts'
import { copyOf } from '../../text/copy.ts'
import { BoundedCache } from '../../workers/bounded-cache.ts'
import type { DatasetRecord } from '../content/catalogue-record.ts'

/** Dependencies of the cache. */
type KnownRecordsOptions = {
  readonly names: Names
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Whether no other process can have written since; without it nothing is taken from the cache. */
  readonly isOnlyWriter: () => boolean
}

/** Most records, of about 500 bytes each, and milliseconds until one is looked up again. */
const [maxRecords, expiryMs] = [20_000, 600_000]

type Entry = {
  readonly catalogue: string
  readonly record: DatasetRecord
  readonly since: number
}

/** Record without references to the body that it was read from. */
const withCopies = (record: DatasetRecord): DatasetRecord => ({
  ...record,
  id: copyOf(record.id),
  originalId: copyOf(record.originalId),
  hash: copyOf(record.hash),
  issued: copyOf(record.issued),
  modified: copyOf(record.modified),
  ...(record.source !== undefined && { source: copyOf(record.source) }),
})

/** Remembers a record of a catalogue. */
type NoteRecord = (catalogue: string, record: DatasetRecord | undefined) => void

/** Cache of records by the platform id of their dataset; commits keep it up to date. */
export class KnownRecords {
  readonly #options: KnownRecordsOptions
  readonly #entries = new BoundedCache<Entry>('dataset-records', maxRecords)
  /** Number of commits that removed something, or of which the outcome is unknown. */
  #removals = 0

  constructor(options: KnownRecordsOptions) {
    this.#options = options
  }

  /** Returns the record of the dataset `id` if it is in the catalogue under this id at the origin. */
  find(catalogue: string, originalId: string, id: string): DatasetRecord | undefined {
    const { now, isOnlyWriter } = this.#options
    const entry = this.#entries.get(
      id,
      (known) =>
        known.catalogue === catalogue &&
        known.record.originalId === originalId &&
        now() - known.since < expiryMs &&
        isOnlyWriter(),
    )
    return entry?.record
  }

  /**
   * Returns the function that remembers records which a write looks up or writes from now on, under the locks of their ids. It does
   * nothing once something was removed meanwhile, because their catalogue may have been deleted.
   */
  begin(): NoteRecord {
    const before = this.#removals
    const since = this.#options.now()
    return (catalogue, record) => {
      if (record && this.#removals === before)
        this.#entries.set(copyOf(record.id), { catalogue, record: withCopies(record), since })
    }
  }

  /** Drops the records of datasets that were written, and all when a catalogue may be gone. */
  apply(changes: readonly GraphChange[]): void {
    const { names } = this.#options
    for (const { graph, drop, content, remove = [] } of changes) {
      const id = names.idOf('dataset', graph)
      if (id !== undefined) this.#entries.delete(id)
      if (names.idOf('catalogue', graph) === undefined) continue
      if (drop || content === '') this.#entries.clear()
      if (drop || remove.length > 0) this.#removals += 1
    }
  }

  /** Drops all records: after writes of unknown outcome, and when the lease is regained. */
  forget(): void {
    this.#removals += 1
    this.#entries.clear()
  }
}
