/** What was deleted and can still be brought back, as the writers see it. The store is the truth: a tombstone counts only where it holds no such resource. */

/** `resource` = of a type that the profile declares; its id is `{type}/{id}`. */
type TombstoneKind = 'dataset' | 'catalogue' | 'resource'

export type Tombstone = {
  readonly kind: TombstoneKind
  readonly id: string
  /** The catalogue that it was in, `''` for what is in none; of a catalogue its own id. */
  readonly catalogue: string
  /** Of a dataset: its id at the origin, absent when direct writers had left it without; of a catalogue its own id. */
  readonly originalId: string | undefined
  /** `xsd:dateTime`, UTC, whole seconds. */
  readonly deletedAt: string
  readonly restorableUntil: string
}

/** Everything that bringing a resource back takes. */
export type Remains = Pick<Tombstone, 'kind' | 'id' | 'catalogue' | 'originalId'> & {
  /** The graph as it was, N-Triples; of a catalogue without its links. */
  readonly content: string
  /** The graph of its quality metrics, `''` = none. */
  readonly metrics: string
  /** Of what keeps it in the system graph: the hash of what was sent. */
  readonly hash?: string
  /** The version of the deletion that took a whole catalogue away, on the catalogue and on all that went with it. */
  readonly deletion?: number
}

/** Tombstones that were set up ahead of the removal. */
export type SetUp = {
  /** Says which resources are known to be gone; of the others the store will be asked. */
  end(gone: readonly string[]): void
}

/** A tombstone of which nobody knows whether the removal has landed, or whether its resource is coming back. */
export type Doubt = Pick<Tombstone, 'kind' | 'id'> & { readonly serial: number }

export type Page = { readonly offset: number; readonly limit: number }

/** Where tombstones of what went with a catalogue are taken on. */
export type After = { readonly deletion: number; readonly serial: number }

export type Tombstones = {
  /** The live tombstone of a platform id; the caller has seen that the store does not hold the resource. */
  find(kind: TombstoneKind, id: string): Tombstone | undefined
  /** That of an id at the origin: a PUT takes the platform id and the distribution IRIs back. */
  ofOrigin(catalogue: string, originalId: string): Tombstone | undefined
  /** The graph of a deleted dataset as it was, N-Triples. */
  content(id: string): string | undefined
  /** Forgets tombstones, because the ids are in use again. */
  forget(kind: TombstoneKind, ids: readonly string[]): void

  /**
   * Keeps what is about to be removed; durable when this returns. Until `end` nobody lists it. Fails with `store-unavailable`
   * when it cannot be written: then nothing may be removed.
   */
  keep(remains: readonly Remains[], deletedAt: Date): SetUp
  /** What is needed to bring a resource back, as long as its tombstone lives. */
  remains(kind: TombstoneKind, id: string): Remains | undefined
  /** Newest first; of one catalogue (with its own) or of all. */
  list(catalogue: string | undefined, page: Page): (Tombstone & Doubt)[]
  /** Live tombstones of what went with a catalogue, in the order of their serials; about a megabyte of remains. */
  taken(after: After): (Remains & Doubt)[]
  /** Whether a tombstone still stands. */
  stands(serial: number): boolean
  /** How many live tombstones went with that of a catalogue. */
  size(deletion: number): number
  /** Says whether a catalogue is coming back with its datasets, so that the next process can go on with it. */
  returning(catalogue: string, isReturning: boolean): void
  /** Catalogues that are coming back. */
  returns(): readonly string[]

  /** Tombstones in doubt on which nobody is at work. */
  doubts(limit: number): readonly Doubt[]
  /** Takes doubts away: the resource is gone. */
  settle(serials: readonly number[]): void
  /** Takes tombstones away whose resource is there. */
  discard(serials: readonly number[]): void
  /** Removes at most `limit` whose window is over; answers how many. */
  purge(limit: number): number
  close(): void
}

/** For a platform that keeps none. */
export const noTombstones: Tombstones = {
  find: () => undefined,
  ofOrigin: () => undefined,
  content: () => undefined,
  forget: () => undefined,
  keep: () => ({ end: () => undefined }),
  remains: () => undefined,
  list: () => [],
  taken: () => [],
  stands: () => false,
  size: () => 0,
  returning: () => undefined,
  returns: () => [],
  doubts: () => [],
  settle: () => undefined,
  discard: () => undefined,
  purge: () => 0,
  close: () => undefined,
}
