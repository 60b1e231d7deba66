/** Which order a request asks for when everything that does not apply is left out. */

import type { QueryTree } from './query-tree.ts'
import type { OrderKey, SearchRequest } from './search-index.ts'

/** Whether relevance says anything: some word, phrase or wildcard that is not under a `not`. */
function hasPositiveText(tree: QueryTree): boolean {
  switch (tree.kind) {
    case 'all':
    case 'none':
    case 'range':
    case 'value':
    case 'not':
      return false
    case 'and':
    case 'or':
      return tree.of.some(hasPositiveText)
    default:
      return true
  }
}

/** The keys that count: those that every searched index has; without any given, relevance or the newest first. */
export function orderOf(
  request: SearchRequest,
  isKnown: (name: string) => boolean,
): readonly OrderKey[] {
  const given =
    request.order.length > 0
      ? request.order
      : [
          hasPositiveText(request.tree)
            ? { by: 'relevance', direction: 'desc' as const }
            : { by: 'modified', direction: 'desc' as const },
        ]
  return given.filter((key) => isKnown(key.by))
}
