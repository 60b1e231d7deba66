/** Where a text value of an index stands: one column of the full-text table per field, the language in every token. */

import { otherBucket } from '../../text/language.ts'
import { idField } from '../fields.ts'
import type { IndexSettings } from '../settings.ts'

/** Counts changes of this layout: an index of another one is written anew. */
export const layoutNumber = 7

export type Column = {
  /** Our own short name: names of profiles contain dots and come from outside. */
  readonly alias: string
  readonly field: string
}

/** All columns in their order; the first is the record's id. */
export function columnsOf(settings: IndexSettings): Column[] {
  const fields = settings.texts.map((text) => text.name).filter((name) => name !== idField)
  return [idField, ...fields].map((field, i) => ({ alias: `c${i}`, field }))
}

/** Stands between two values of one column, so that no phrase spans them; no query contains it. */
export const valueBorder = '\ue000'

/**
 * A token as it stands in the full-text table: behind its bucket, so that a word, a phrase, a beginning or a stem of one
 * language never meets text of another. The mark is for private use: no tokeniser yields it. The bucket of the others is the
 * mark alone: without any, words that begin with `d` would be all that begins with `de` and the mark.
 */
export const marked = (bucket: string, token: string): string =>
  `${bucket === otherBucket ? '' : bucket}\ue001${token}`
