/** The entries of `core`: datasets and catalogues. */

import { z } from 'zod'
import type { Entry } from '../fields.ts'
import type { Place } from '../problems.ts'
import { checkShape, read, type EntryText } from './reading.ts'

const entry = z.object({
  id: z.string(),
  name: z.string().default(''),
  description: z.string().default(''),
  path: z.string(),
  shapeUri: z.string(),
})

/** An entry and where its keys stand. */
export type Placed<T> = { readonly entry: T; readonly at: (key: string) => Place }

const indexed: readonly string[] = ['dataset', 'catalog']

/** The entries that can be used; `indices` are those of the file's array. */
export function readCore(text: EntryText, values: readonly unknown[]): readonly Placed<Entry>[] {
  const found: Placed<Entry>[] = []
  values.forEach((value, index) => {
    const path = ['core', index]
    const one = read(text, entry, value, path)
    if (!one) return
    const label = `core "${one.id}"`
    if (!indexed.includes(one.id)) {
      text.problems.warn(text.at(path, label), 'is not indexed: only dataset and catalog are')
      return
    }
    if (found.some(({ entry: { id } }) => id === one.id))
      text.problems.add(text.at([...path, 'id'], label), 'stands there twice')
    checkShape(text, one, path, label)
    found.push({ entry: one, at: (key) => text.at([...path, key], label) })
  })
  for (const wanted of indexed)
    if (!found.some(({ entry: { id } }) => id === wanted))
      text.problems.add(text.at(['core']), `has no entry "${wanted}"`)
  return found
}
