/** Truncation of very long lists in records. Engines apply it when they read a record, so that the portal does not receive megabytes. */

import { isJsonObject, type Fields } from '../text/json.ts'

/** Characters of JSON text up to which a record is not changed. */
const untouchedLength = 100_000

/** Distinct values of a member that are reported, at most. */
const maxDistinct = 100

/**
 * Cuts each list at the top level of a record to its first `maxEntries` entries, and returns the JSON text. The member `_cut` then has, by
 * the name of each list, the `count` of all entries and the distinct `values` of the members that are objects; `null` represents
 * entries without the member.
 */
export function truncateLists(text: string, maxEntries: number | undefined): string {
  if (maxEntries === undefined || text.length <= untouchedLength) return text
  const record: Fields = Object(JSON.parse(text))
  const lists = Object.entries(record).flatMap(([name, value]) =>
    Array.isArray(value) && value.length > maxEntries ? [[name, value] as const] : [],
  )
  if (lists.length === 0) return text
  const shortened = lists.map(([name, list]) => [name, list.slice(0, maxEntries)])
  const summaries = lists.map(([name, list]) => {
    return [name, { count: list.length, values: distinctValues(list) }]
  })
  return JSON.stringify({
    ...record,
    ...Object.fromEntries(shortened),
    _cut: Object.fromEntries(summaries),
  })
}

function distinctValues(list: readonly unknown[]): Readonly<Record<string, readonly unknown[]>> {
  const members = new Map<string, { readonly values: Map<string, unknown>; count: number }>()
  for (const entry of list) {
    if (!isJsonObject(entry)) continue
    for (const [name, value] of Object.entries(entry)) {
      if (!isJsonObject(value)) continue
      const member = members.get(name) ?? { values: new Map<string, unknown>(), count: 0 }
      members.set(name, member)
      member.count += 1
      if (member.values.size < maxDistinct) member.values.set(JSON.stringify(value), value)
    }
  }
  return Object.fromEntries(
    [...members].map(([name, { values, count: seen }]) => [
      name,
      [...values.values(), ...(seen < list.length ? [null] : [])],
    ]),
  )
}
