/** One clause of a filter query as a leaf of the tree. */

import type { QueryTree } from '../../search-index/query-tree.ts'
import { quotedLeaf, rangeLeaf, scopedLeaf, wordLeaf } from '../query/leaves.ts'
import type { Scope, Scopes } from '../query/scopes.ts'
import { filterFault, type Lexeme } from './filter-lexemes.ts'
import { constants } from './names.ts'

type Value = Extract<Lexeme, { readonly kind: 'word' | 'quoted' | 'range' }>

export const isValue = (lexeme: Lexeme): lexeme is Value =>
  lexeme.kind === 'word' || lexeme.kind === 'quoted' || lexeme.kind === 'range'

/** Values of facets are compared as they are stored. A name that nobody knows matches nothing. Throws `malformed-query`. */
export function clauseLeaf(name: string | undefined, value: Value, scopes: Scopes): QueryTree {
  if (name === undefined) return freeLeaf(value)
  const constant = constants.get(name)
  if (constant !== undefined) return { kind: isAny(value, constant) ? 'all' : 'none' }
  const scope = scopes(name)
  if (scope === undefined) return { kind: 'none' }
  return value.kind === 'range' ? ranged(scope, value) : valued(scope, value)
}

const isAny = (value: Value, constant: string): boolean =>
  value.kind !== 'range' &&
  (value.text === constant || (value.kind === 'word' && value.text === '*'))

/** Without a name: words of any field, as in `q`. */
function freeLeaf(value: Value): QueryTree {
  if (value.kind === 'range') throw filterFault('a range needs a field', value.at)
  if (value.text === '*:*' || value.text === '*') return { kind: 'all' }
  const leaf = value.kind === 'quoted' ? quotedLeaf(value.text) : wordLeaf(value.text)
  return leaf ?? { kind: 'none' }
}

function ranged(scope: Scope, value: Extract<Value, { readonly kind: 'range' }>): QueryTree {
  const tree = rangeLeaf(scope, value.from, value.to)
  if (tree) return tree
  throw filterFault('a range is one of dates or numbers, from and to may be *', value.at)
}

function valued(scope: Scope, value: Exclude<Value, { readonly kind: 'range' }>): QueryTree {
  const { text, at } = value
  const isOpen = value.kind === 'word' && text === '*'
  if (isOpen && (scope.kind === 'facet' || scope.kind === 'text')) {
    throw filterFault('only dates and numbers can be asked for with *', at)
  }
  if (scope.kind === 'facet') return { kind: 'value', facet: scope.facet, value: text }
  const tree = scopedLeaf(scope, text, value.kind === 'quoted')
  if (tree !== 'literal') return tree ?? { kind: 'none' }
  throw filterFault(`a ${scope.kind} is needed here`, at)
}
