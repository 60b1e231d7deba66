/** Records with very long lists, cut where they are read, so that nobody else has to hold all of them. */

import { isJsonObject, type Fields } from '../text/json.ts'

/** Texts up to so many characters are given as they are: they cost nobody anything. */
const shortText = 100_000

/** Distinct values of a member that are kept, to say truly what all entries have in common. */
const maxDistinct = 100

/**
 * The JSON text with the first `most` entries of each list. `_cut` then has, by the name of each list, the `count` of all entries and
 * the distinct `values` of those members that are objects; `null` stands for entries without the member.
 */
export function cutLists(text: string, most: number | undefined): string {
  if (most === undefined || text.length <= shortText) return text
  const record: Fields = Object(JSON.parse(text))
  const lists = Object.entries(record).flatMap(([name, value]) =>
    Array.isArray(value) && value.length > most ? [[name, value] as const] : [],
  )
  if (lists.length === 0) return text
  const shown = lists.map(([name, list]) => [name, list.slice(0, most)])
  const facts = lists.map(([name, list]) => {
    return [name, { count: list.length, values: distinctValues(list) }]
  })
  return JSON.stringify({
    ...record,
    ...Object.fromEntries(shown),
    _cut: Object.fromEntries(facts),
  })
}

function distinctValues(list: readonly unknown[]): Readonly<Record<string, readonly unknown[]>> {
  const found = new Map<string, { readonly values: Map<string, unknown>; seen: number }>()
  for (const entry of list) {
    if (!isJsonObject(entry)) continue
    for (const [name, value] of Object.entries(entry)) {
      if (!isJsonObject(value)) continue
      const member = found.get(name) ?? { values: new Map<string, unknown>(), seen: 0 }
      found.set(name, member)
      member.seen += 1
      if (member.values.size < maxDistinct) member.values.set(JSON.stringify(value), value)
    }
  }
  return Object.fromEntries(
    [...found].map(([name, { values, seen }]) => [
      name,
      [...values.values(), ...(seen < list.length ? [null] : [])],
    ]),
  )
}
