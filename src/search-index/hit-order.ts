/** Sort keys of a request and weights of fields in the ranking, for all engines. */

import type { IndexSettings, TextSettings } from './index-settings.ts'
import { rankingLeaves } from './query-tree.ts'
import type { OrderKey, SearchRequest } from './search-index.ts'

/**
 * Sort keys of a request that every searched index has. A request without keys is sorted by relevance if it searches text, else newest
 * first.
 */
export function sortKeysOf(
  request: Pick<SearchRequest, 'order' | 'tree'>,
  isKnown: (name: string) => boolean,
): readonly OrderKey[] {
  const keys =
    request.order.length > 0
      ? request.order
      : [
          rankingLeaves(request.tree).length > 0
            ? { name: 'relevance', direction: 'desc' as const }
            : { name: 'modified', direction: 'desc' as const },
        ]
  return keys.filter((key) => isKnown(key.name))
}

const languageTag = /^[a-z]{2,3}(-[a-z0-9]+)*$/i

/** Parses `field` or `field.language`; `undefined` if the field is not sortable text. */
export function sortedText(
  name: string,
  { orders }: Pick<IndexSettings, 'orders'>,
): { readonly field: string; readonly language?: string } | undefined {
  if (orders.includes(name)) return { field: name }
  const dot = name.lastIndexOf('.')
  const [field, language] = [name.slice(0, Math.max(dot, 0)), name.slice(dot + 1)]
  return orders.includes(field) && languageTag.test(language) ? { field, language } : undefined
}

/**
 * Makes a function that returns the weight of a field: that of the request (`title.en` sets the weight of all of `title`), else that of
 * the settings, else 1.
 */
export function fieldWeights(
  boosts: SearchRequest['boosts'],
  { texts }: TextSettings,
): (field: string) => number {
  const defaultWeights = new Map(texts.map((text) => [text.name, text.boost]))
  return (field) => {
    const languageBoosts = Object.entries(boosts).filter(([name]) => name.startsWith(`${field}.`))
    const weights = languageBoosts.map(([, weight]) => weight)
    return (
      boosts[field] ??
      (weights.length > 0 ? Math.max(...weights) : undefined) ??
      defaultWeights.get(field) ??
      1
    )
  }
}
