/** Order of hits, on every engine: the keys of a request, and the weights of fields in the ranking. */

import type { IndexSettings, TextSettings } from './index-settings.ts'
import { rankingLeaves } from './query-tree.ts'
import type { OrderKey, SearchRequest } from './search-index.ts'

/** The keys that count: those that every searched index has; without any given, relevance or the newest first. */
export function orderOf(
  request: Pick<SearchRequest, 'order' | 'tree'>,
  isKnown: (name: string) => boolean,
): readonly OrderKey[] {
  const given =
    request.order.length > 0
      ? request.order
      : [
          rankingLeaves(request.tree).length > 0
            ? { by: 'relevance', direction: 'desc' as const }
            : { by: 'modified', direction: 'desc' as const },
        ]
  return given.filter((key) => isKnown(key.by))
}

const languageTag = /^[a-z]{2,3}(-[a-z0-9]+)*$/i

/** The sortable text field of `field` or `field.language`, and the language; `undefined` when the name means none. */
export function sortedText(
  name: string,
  { orders }: Pick<IndexSettings, 'orders'>,
): { readonly field: string; readonly language?: string } | undefined {
  if (orders.includes(name)) return { field: name }
  const dot = name.lastIndexOf('.')
  const [field, language] = [name.slice(0, Math.max(dot, 0)), name.slice(dot + 1)]
  return orders.includes(field) && languageTag.test(language) ? { field, language } : undefined
}

/** Weights by field: those of the request (`title.en` weighs the field as a whole), else those of the settings. */
export function fieldWeights(
  boosts: SearchRequest['boosts'],
  { texts }: TextSettings,
): (field: string) => number {
  const own = new Map(texts.map((text) => [text.name, text.boost]))
  return (field) => {
    const byLanguage = Object.entries(boosts).filter(([name]) => name.startsWith(`${field}.`))
    const highest = byLanguage.map(([, weight]) => weight)
    return (
      boosts[field] ??
      (highest.length > 0 ? Math.max(...highest) : undefined) ??
      own.get(field) ??
      1
    )
  }
}
