/** What is known of our indices, kept in Meilisearch: under which settings each was written, and whether it is whole. */

import { z } from 'zod'
import { expected } from './engine-failures.ts'
import type { IndexName, IndexSettings } from '../index-settings.ts'
import { attributes, spelled, type Uids } from './attributes.ts'
import type { Tasks } from './engine-client.ts'
import type { Wire } from './engine-client.ts'

/** Documents that were written under the same settings. */
export type Generation = {
  /** Stands in the settings of its index too: that tells which index holds it after a swap. */
  readonly mark: string
  readonly signature: string
  readonly settings: IndexSettings
  readonly languages: readonly string[]
}

export type Known = {
  readonly index: IndexName
  /** What searches are answered from; not whole = still to be filled, because there is nothing older. */
  readonly answering: Generation & { readonly isWhole: boolean }
  /** What is filled beside it. */
  readonly next?: Generation
  /** The largest version that took a record away: documents that are gone tell of none. */
  readonly removed?: number
}

export type Meta = {
  read(): Promise<Known[]>
  write(known: readonly Known[]): Promise<void>
  forget(indices: readonly IndexName[]): Promise<void>
}

const knownAnswer = z.object({ results: z.array(z.object({ known: z.string() })) })
/** More than there are indices. */
const all = 1000

export function metaOf(wire: Wire, tasks: Tasks, uids: Uids): Meta {
  const documents = `/indexes/${uids.meta}/documents`
  const lineOf = (known: Known) =>
    // One text: the names in it must not become attributes.
    JSON.stringify({ [attributes.key]: spelled(known.index), known: JSON.stringify(known) })
  return {
    read: async () => {
      const answer = await wire.post(`${documents}/fetch`, { fields: ['known'], limit: all })
      return expected(knownAnswer, answer).results.map(({ known }): Known => JSON.parse(known))
    },
    write: async (known) => {
      if (known.length > 0) await tasks.done([await wire.lines(documents, known.map(lineOf))])
    },
    forget: async (indices) => {
      if (indices.length === 0) return
      const keys = indices.map((index) => spelled(index))
      await tasks.done([await wire.post(`${documents}/delete-batch`, keys)])
    },
  }
}
