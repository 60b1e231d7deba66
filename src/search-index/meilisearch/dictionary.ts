/**
 * Dictionary in an index of the server, written before the records that use its entries: all tokens, or facet values with their
 * titles by code.
 */

import { z } from 'zod'
import { parseAnswer, jsonText, type EngineClient } from './engine-client.ts'

const storedEntries = z.object({
  results: z.array(z.object({ id: z.string(), title: z.string().default('') })),
})

/** Ids in one call. */
const portion = 1000
/** Entries that are cached as stored. */
const maxStored = 200_000

/** Entry of a dictionary; only its title may change. */
type Entry = {
  readonly title?: string
  readonly [name: string]: string | readonly string[] | undefined
}

/**
 * Collects entries during a write and sends those that are not stored yet. Caches the ids of stored entries, so that common tokens are
 * sent once.
 */
export class Dictionary {
  readonly #client: EngineClient
  readonly #documents: string
  /** Titles of stored entries by id. */
  readonly #stored = new Map<string, string>()
  #pending = new Map<string, Entry>()

  constructor(client: EngineClient, uid: string) {
    this.#client = client
    this.#documents = `/indexes/${uid}/documents`
  }

  /** Whether an entry is stored or added, with whichever title. */
  has(id: string): boolean {
    return this.#stored.has(id) || this.#pending.has(id)
  }

  /** Adds an entry that the next `post` has to send, unless it is stored. */
  add(id: string, entry: Entry): void {
    if (this.#stored.get(id) === (entry.title ?? '')) this.#pending.delete(id)
    else this.#pending.set(id, entry)
  }

  /** Sends the new entries; returns the tasks to wait for before the records are written. */
  async post(signal?: AbortSignal): Promise<unknown[]> {
    const newEntries = new Map(this.#pending)
    const uncachedIds = [...newEntries.keys()].filter((id) => !this.#stored.has(id))
    for (let at = 0; at < uncachedIds.length; at += portion) {
      const request = { ids: uncachedIds.slice(at, at + portion), fields: ['id', 'title'] }
      const path = `${this.#documents}/fetch`
      const answer = await this.#client.post(path, { ...request, limit: portion }, signal)
      for (const { id, title } of parseAnswer(storedEntries, answer).results)
        if ((newEntries.get(id)?.title ?? '') === title) newEntries.delete(id)
    }
    const lines = [...newEntries].map(([id, entry]) => jsonText({ id, ...entry }))
    return lines.length > 0 ? [await this.#client.postLines(this.#documents, lines, signal)] : []
  }

  /** Ends a write. `isDone` tells whether the tasks of `post` have succeeded, so that the entries are stored. */
  endWrite(isDone: boolean): void {
    if (this.#stored.size + this.#pending.size > maxStored) this.#stored.clear()
    if (isDone) for (const [id, { title = '' }] of this.#pending) this.#stored.set(id, title)
    this.#pending = new Map()
  }
}
