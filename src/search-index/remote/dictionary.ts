/**
 * Dictionary in an index of the server, written before the records that use its entries: all tokens, or facet values with their
 * titles by code.
 */

/** Entries that are cached as stored. */
const maxStored = 200_000

/** Entry of a dictionary; only its title may change. */
export type DictionaryEntry = {
  readonly title?: string
  readonly [name: string]: string | readonly string[] | undefined
}

type Store<Sent> = {
  /** Title of each of some entries that are stored, `''` for those without one. */
  readonly titlesOf: (
    ids: readonly string[],
    signal?: AbortSignal,
  ) => Promise<ReadonlyMap<string, string>>
  readonly send: (
    entries: ReadonlyMap<string, DictionaryEntry>,
    signal?: AbortSignal,
  ) => Promise<Sent>
}

/**
 * Collects entries during a write and sends those that are not stored yet. Caches the ids of stored entries, so that common tokens are
 * sent once.
 */
export class Dictionary<Sent> {
  readonly #store: Store<Sent>
  /** Titles of stored entries by id. */
  readonly #stored = new Map<string, string>()
  #pending = new Map<string, DictionaryEntry>()

  constructor(store: Store<Sent>) {
    this.#store = store
  }

  /** Whether an entry is stored or added, with whichever title. */
  has(id: string): boolean {
    return this.#stored.has(id) || this.#pending.has(id)
  }

  /** Adds an entry that the next `post` has to send, unless it is stored. */
  add(id: string, entry: DictionaryEntry): void {
    if (this.#stored.get(id) === (entry.title ?? '')) this.#pending.delete(id)
    else this.#pending.set(id, entry)
  }

  /** Sends the new entries, and returns what the server has answered; nothing if there are none. */
  async post(signal?: AbortSignal): Promise<readonly Sent[]> {
    const newEntries = new Map(this.#pending)
    const uncachedIds = [...newEntries.keys()].filter((id) => !this.#stored.has(id))
    if (uncachedIds.length > 0)
      for (const [id, title] of await this.#store.titlesOf(uncachedIds, signal))
        if ((newEntries.get(id)?.title ?? '') === title) newEntries.delete(id)
    return newEntries.size > 0 ? [await this.#store.send(newEntries, signal)] : []
  }

  /** Ends a write. `isDone` tells whether the entries of `post` are stored. */
  endWrite(isDone: boolean): void {
    if (this.#stored.size + this.#pending.size > maxStored) this.#stored.clear()
    if (isDone) for (const [id, { title = '' }] of this.#pending) this.#stored.set(id, title)
    this.#pending = new Map()
  }
}
