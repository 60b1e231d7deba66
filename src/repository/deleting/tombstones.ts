/** What was deleted and can still be brought back, as the other writers see it. */

export type Tombstone = {
  readonly kind: 'dataset' | 'catalogue'
  readonly id: string
  /** The catalogue that a dataset was in; of a catalogue its own id. */
  readonly catalogue: string
  /** Of a dataset: its id at the origin. */
  readonly originalId: string | undefined
  /** `xsd:dateTime`, UTC, whole seconds. */
  readonly deletedAt: string
  readonly restorableUntil: string
}

export type Tombstones = {
  /** The live tombstone of a platform id; the caller has seen that the store does not hold the resource. */
  find(kind: Tombstone['kind'], id: string): Tombstone | undefined
  /** That of an id at the origin: a PUT takes the platform id and the distribution IRIs back. */
  ofOrigin(catalogue: string, originalId: string): Tombstone | undefined
  /** The graph of a deleted dataset as it was, N-Triples. */
  content(id: string): string | undefined
  /** Forgets tombstones, because the ids are in use again. */
  forget(kind: Tombstone['kind'], ids: readonly string[]): void
}

/** For a platform that keeps none. */
export const noTombstones: Tombstones = {
  find: () => undefined,
  ofOrigin: () => undefined,
  content: () => undefined,
  forget: () => undefined,
}
