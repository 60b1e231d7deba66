/**
 * A dictionary on the server that is written before the records that need it: all tokens, for wildcards, or what the codes of facet
 * values mean, under their newest titles.
 */

import { z } from 'zod'
import { expected, jsonText, type EngineClient } from './engine-client.ts'

const storedEntries = z.object({
  results: z.array(z.object({ id: z.string(), title: z.string().default('') })),
})

/** Ids per call. */
const portion = 1000
/** Entries that are not looked up again. */
const maxStored = 200_000

/** An entry of the dictionary; only its title may change. */
type Entry = { readonly title?: string; readonly [name: string]: string | undefined }

/** Remembers what it has stored, so that a token of every record is not sent with every record. */
export class Dictionary {
  readonly #client: EngineClient
  readonly #documents: string
  /** Titles of what is stored, by id. */
  readonly #stored = new Map<string, string>()
  #noted = new Map<string, Entry>()

  constructor(client: EngineClient, uid: string) {
    this.#client = client
    this.#documents = `/indexes/${uid}/documents`
  }

  /** Notes an entry of what is about to be written. */
  note(id: string, entry: Entry): void {
    if (this.#stored.get(id) === (entry.title ?? '')) this.#noted.delete(id)
    else this.#noted.set(id, entry)
  }

  /** Posts what is new among the noted entries; answers the tasks that must be done before the records are written. */
  async post(signal?: AbortSignal): Promise<unknown[]> {
    const news = new Map(this.#noted)
    const unknown = [...news.keys()].filter((id) => !this.#stored.has(id))
    for (let at = 0; at < unknown.length; at += portion) {
      const request = { ids: unknown.slice(at, at + portion), fields: ['id', 'title'] }
      const path = `${this.#documents}/fetch`
      const answer = await this.#client.post(path, { ...request, limit: portion }, signal)
      for (const { id, title } of expected(storedEntries, answer).results)
        if ((news.get(id)?.title ?? '') === title) news.delete(id)
    }
    const lines = [...news].map(([id, entry]) => jsonText({ id, ...entry }))
    return lines.length > 0 ? [await this.#client.lines(this.#documents, lines, signal)] : []
  }

  /** The tasks are done, or something went wrong: then nothing that was noted counts as stored. */
  settle(isDone: boolean): void {
    if (this.#stored.size + this.#noted.size > maxStored) this.#stored.clear()
    if (isDone) for (const [id, { title = '' }] of this.#noted) this.#stored.set(id, title)
    this.#noted = new Map()
  }
}
