/** Generations of an index on a server: sets of documents that were written under the same settings. */

import { z } from 'zod'
import type { IndexName, IndexSettings } from '../index-settings.ts'

/** Index of a server with records, and the settings under which they were written. */
export type EngineGeneration = {
  readonly uid: string
  /** Random id of this set of documents. */
  readonly instance: string
  /** Greater than the number of the generation that was searched when this one was created. */
  readonly number: number
  /** `signatureOf` the settings. */
  readonly signature: string
  readonly settings: IndexSettings
  /** Languages with a bucket of their own. */
  readonly languages: readonly string[]
  /** Whether it has been filled. */
  readonly isComplete: boolean
  /** `layoutNumber` of its documents; absent before 3. */
  readonly layout?: number
}

/** Generation that is searched, and the one that is filled beside it, if any. */
export type SearchedGeneration = EngineGeneration & { readonly next?: EngineGeneration }

/** A generation as its index stores it; indices of earlier releases have the same member names. */
type StoredNote = Omit<EngineGeneration, 'uid' | 'instance' | 'isComplete'> & {
  readonly mark: string
  readonly isWhole: boolean
}

const storedNote = z.custom<StoredNote>(
  (value) => typeof value === 'object' && value !== null && 'mark' in value && 'settings' in value,
)

/** Text from which `generationOfNote` makes the generation again. */
export function generationNote(generation: EngineGeneration): string {
  const { uid: _, instance: mark, isComplete: isWhole, ...facts } = generation
  const note: StoredNote = { mark, ...facts, isWhole }
  return JSON.stringify(note)
}

/** Generation that is stored in the index of a uid. Throws if the text is not one of `generationNote`. */
export function generationOfNote(uid: string, text: string): EngineGeneration {
  const { mark: instance, isWhole: isComplete, ...facts } = storedNote.parse(JSON.parse(text))
  return { uid, instance, ...facts, isComplete }
}

/** Searched generation of an index of a request. */
export type IndexPart = SearchedGeneration & { readonly index: IndexName }

/** Indices of a request, each once, without those that do not exist. */
export const partsOf = (
  indices: readonly IndexName[],
  searched: (index: IndexName) => SearchedGeneration | undefined,
): readonly IndexPart[] =>
  [...new Set(indices)].flatMap((index) => {
    const generation = searched(index)
    return generation ? [{ ...generation, index }] : []
  })
