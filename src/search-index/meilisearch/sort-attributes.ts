/** Order keys of a request in the words of Meilisearch. */

import { orderOf as keysThatCount, sortedText } from '../hit-order.ts'
import type { OrderKey, SearchRequest } from '../search-index.ts'
import { attributes, dateOrderOf, numberOf, orderOf } from './attributes.ts'
import type { Answering } from './engine-state.ts'

/** The attribute that an index is ordered by; `undefined` when it cannot be. */
export function attributeOf({ by, direction }: OrderKey, part: Answering): string | undefined {
  const { settings, languages } = part
  if (settings.dates.includes(by)) return dateOrderOf(by, direction)
  if (settings.numbers.includes(by) || settings.flags.includes(by)) return numberOf(by)
  const sorted = sortedText(by, settings)
  if (!sorted) return undefined
  const { field, language } = sorted
  return orderOf(language !== undefined && languages.includes(language) ? by : field)
}

/** The keys of a request that all the searched indices have. */
export const orderKeys = (
  request: Pick<SearchRequest, 'order' | 'tree'>,
  parts: readonly Answering[],
): readonly OrderKey[] =>
  keysThatCount(
    request,
    (by) =>
      by === 'relevance' ||
      parts.every((part) => attributeOf({ by, direction: 'asc' }, part) !== undefined),
  )

/** Whether relevance decides first; behind other keys it is left out, as the engine cannot rank within a tie. */
export const isRanked = (keys: readonly OrderKey[]): boolean => keys[0]?.by === 'relevance'

/**
 * What to sort by; ties by the name of the index, then by id. Behind relevance the ranking rules of the indices say the
 * same of ties.
 */
export function sortOf(keys: readonly OrderKey[], parts: readonly Answering[]): readonly string[] {
  const named = keys.flatMap((key) => {
    const names = new Set(parts.map((part) => attributeOf(key, part)))
    const [name] = names
    return name !== undefined && names.size === 1 ? [`${name}:${key.direction}`] : []
  })
  if (isRanked(keys)) return named
  return [...named, `${attributes.orderedIndex}:asc`, `${attributes.orderedId}:asc`]
}
