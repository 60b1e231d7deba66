/** Facets of an answer: codes and their counts, index by index, become values under their titles. */

import { z } from 'zod'
import { byCount, facetDefinitions, withBands } from '../facet-answer.ts'
import type { FacetSettings } from '../index-settings.ts'
import type { Facet, FacetItem } from '../search-index.ts'
import { codesOf } from './attributes.ts'
import { fetched, type IndexPart, type ReadContext } from './documents.ts'

/** Attribute → code → count, in one index. */
export type Distribution = Readonly<Record<string, Readonly<Record<string, number>>>>

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** A thousand counts in every answer: looked at without a schema for each, which would copy them all. */
export const distribution = z.custom<Distribution>(
  (value) =>
    isObject(value) &&
    Object.values(value).every(
      (counts: unknown) =>
        isObject(counts) && Object.values(counts).every((count) => typeof count === 'number'),
    ),
)

type Value = { readonly facet: string; readonly value: string; readonly title: string }

/** The facets that are wanted of one index. */
export const facetsOf = (
  part: IndexPart,
  ids: readonly string[] | undefined,
): readonly FacetSettings[] => part.settings.facets.filter(({ id }) => ids?.includes(id) ?? true)

/** Facets in order of first appearance, or in the wanted one; counts of the same value add up. */
export function facetsOfAnswer(
  parts: readonly IndexPart[],
  distributions: readonly Distribution[],
  values: ReadonlyMap<string, Value>,
  { ids, size }: { readonly ids?: readonly string[]; readonly size: number },
): Facet[] {
  const settings = parts.map((part) => part.settings)
  return facetDefinitions(settings, ids).map((facet) => {
    const items = withBands(facet, itemsOf(countsOf(facet.id, distributions), values))
    const most = facet.bands ? Infinity : size
    return { id: facet.id, title: facet.title, items: items.toSorted(byCount).slice(0, most) }
  })
}

/** Counts of the codes of a facet over all indices. */
export function countsOf(
  facet: string,
  distributions: readonly Distribution[],
): readonly (readonly [code: string, count: number])[] {
  const [first = {}, ...others] = distributions
  if (others.length === 0) return Object.entries(first[codesOf(facet)] ?? {})
  const counts = new Map<string, number>()
  for (const distribution of distributions) {
    for (const [code, count] of Object.entries(distribution[codesOf(facet)] ?? {})) {
      counts.set(code, (counts.get(code) ?? 0) + count)
    }
  }
  return [...counts]
}

/** Values with their titles; codes that nobody knows and values without records are left out. */
export function itemsOf(
  counts: ReturnType<typeof countsOf>,
  values: ReadonlyMap<string, Value>,
): FacetItem[] {
  const items: FacetItem[] = []
  for (const [code, count] of counts) {
    const value = values.get(code)
    if (value && count > 0) items.push({ id: value.value, title: value.title, count })
  }
  return items
}

/** A document of the index of facet values; `id` is the code. */
const valueRow = z.object({
  id: z.string(),
  facet: z.string(),
  value: z.string(),
  title: z.string(),
})

const mostRemembered = 50_000

export type FacetValues = (
  codes: readonly string[],
  signal?: AbortSignal,
) => Promise<ReadonlyMap<string, Value>>

export function facetValues(reading: ReadContext): FacetValues {
  const known = fresh<Value>(reading, mostRemembered)
  return async (codes, signal) => {
    const here = known()
    const ids = [...new Set(codes.filter((code) => !here.has(code)))]
    if (ids.length > 0) {
      const what = { ids, row: valueRow, limit: ids.length }
      const { results } = await fetched(reading, reading.uids.facetValues, what, signal)
      for (const { id, ...value } of results) here.set(id, value)
    }
    return here
  }
}

/** Milliseconds after which another process may have written. */
const freshMs = 2_000

/** A map that is empty again after every write of this process, after a moment, and when it holds more than `most`. */
function fresh<Value>(
  { changes, now }: Pick<ReadContext, 'changes' | 'now'>,
  most: number,
): () => Map<string, Value> {
  let known = new Map<string, Value>()
  let since = { changes: -1, at: 0 }
  return () => {
    if (since.changes !== changes() || now() - since.at > freshMs || known.size > most) {
      // Whoever still reads puts what was found into the old one.
      known = new Map()
      since = { changes: changes(), at: now() }
    }
    return known
  }
}
