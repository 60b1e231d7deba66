/** Where a text value of an index stands: one column of the full-text table per (field, bucket). */

import { otherBucket } from '../../text/language.ts'
import { idField } from '../fields.ts'
import type { IndexSettings } from '../settings.ts'

export type Column = {
  /** Our own short name: names of profiles contain dots and come from outside. */
  readonly alias: string
  readonly field: string
  readonly bucket: string
}

/** All columns in their order; the first is the record's id. */
export function columnsOf(settings: IndexSettings, languages: readonly string[]): Column[] {
  const buckets = [...languages, otherBucket]
  const fields = settings.texts.map((text) => text.name).filter((name) => name !== idField)
  const pairs = fields.flatMap((field) => buckets.map((bucket) => ({ field, bucket })))
  return [{ field: idField, bucket: otherBucket }, ...pairs].map((pair, i) => ({
    alias: `c${i}`,
    ...pair,
  }))
}

/** Stands between two values of one column, so that no phrase spans them; no query contains it. */
export const valueBorder = '\ue000'
