/** Which order a request asks for when everything that does not apply is left out. */

import { rankingLeaves } from './ranking-leaves.ts'
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
