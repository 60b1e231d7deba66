/** Where a leaf is looked for: columns, and in which bucket when a field was named with its language. */

import { reachOf } from '../../fields.ts'
import type { View } from '../reading/view.ts'

export type Place = {
  /** Absent = every column. */
  readonly aliases?: readonly string[]
  /** Absent = every bucket. */
  readonly bucket?: string
}

/** The places of the named fields, absent names = everywhere; empty when no name reaches anything. */
export function placesOf(names: readonly string[] | undefined, view: View): Place[] {
  if (!names) return [{}]
  const { settings, languages } = view.generation
  const texts = settings.texts.map((text) => text.name)
  const alias = new Map(view.textColumns.map((column) => [column.field, column.alias]))
  const reached = names.flatMap((name) => reachOf(name, texts, languages))
  const groups = Map.groupBy(reached, ({ bucket }) => bucket)
  return [...groups].map(([bucket, fields]) => ({
    aliases: [...new Set(fields.flatMap(({ field }) => alias.get(field) ?? []))],
    ...(bucket !== undefined && { bucket }),
  }))
}
