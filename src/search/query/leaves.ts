/** One word, quoted text or range of a query as a leaf of the tree: what `q` and CKAN's `fq` are made of. */

import type { Leaf, QueryTree } from '../../search-index/query-tree.ts'
import { fold } from '../../text/fold.ts'
import { tokens } from '../../text/tokens.ts'
import { type InstantSpan, spanOf } from './instants.ts'
import type { QueryScope } from './scopes.ts'

/**
 * A word, or a quoted text: exactly these words in this order, never reduced to their roots. `undefined` when there is nothing in
 * it that can be searched.
 */
export function textLeaf(text: string, quoted: boolean, field?: string): Leaf | undefined {
  const rest = quoted ? text : text.replace(/^[*?]+/, '')
  const limit = field === undefined ? {} : { field }
  const pattern = quoted ? undefined : wildPattern(rest)
  if (pattern !== undefined) return { kind: 'wild', pattern, ...limit }
  const [first, ...others] = tokens(rest)
  if (first === undefined) return undefined
  if (others.length > 0) return { kind: 'phrase', tokens: [first, ...others], ...limit }
  return { kind: quoted ? 'exact' : 'term', token: first, ...limit }
}

const wildcards = /([*?]+)/
const word = /^[\p{L}\p{N}\p{M}]*$/u

/** The folded pattern of a word with wildcards after its start; `undefined` when it is an ordinary word. */
function wildPattern(text: string): string | undefined {
  const parts = text.split(wildcards).map((part, n) => (n % 2 ? part : part.normalize('NFKC')))
  if (parts.length === 1 || !parts.every((part, n) => n % 2 || word.test(part))) return undefined
  const folded = parts.map((part, n) => (n % 2 ? part.replace(/\*+/g, '*') : fold(part)))
  return folded[0] === '' ? undefined : folded.join('')
}

/** `'literal'` says that the word does not fit the kind of the field, so that its colon has no meaning. */
export function scopedLeaf(
  scope: QueryScope,
  text: string,
  quoted: boolean,
): QueryTree | undefined | 'literal' {
  if (scope.kind === 'text') return textLeaf(text, quoted, scope.field)
  if (scope.kind !== 'facet') return rangeLeaf(scope, text, text) ?? 'literal'
  // The id of a facet value, or words of its label.
  const value: QueryTree = { kind: 'value', facet: scope.facet, value: text }
  const label = scope.field === undefined ? undefined : textLeaf(text, quoted, scope.field)
  return label === undefined ? value : { kind: 'or', of: [value, label] }
}

/** `[low TO high]` on a date or number field, both ends included, `*` = open; `undefined` when a bound does not parse. */
export function rangeLeaf(scope: QueryScope, low: string, high: string): QueryTree | undefined {
  const [first, last] = [boundOf(scope, low), boundOf(scope, high)]
  if (!('name' in scope) || !first || !last) return undefined
  const from = first.from === undefined ? {} : { from: first.from }
  const to = last.to === undefined ? {} : { to: last.to }
  return { kind: 'range', name: scope.name, ...from, ...to }
}

const decimal = /^[+-]?\d+(?:\.\d+)?$/

function boundOf({ kind }: QueryScope, text: string): Partial<InstantSpan> | undefined {
  if (text === '*') return {}
  if (kind === 'date') return spanOf(text)
  return kind === 'number' && decimal.test(text)
    ? { from: Number(text), to: Number(text) }
    : undefined
}
