/** One word or quoted text of a query as a leaf of the tree. */

import { Failure } from '../../errors.ts'
import type { Leaf, QueryTree } from '../../search-index/query-tree.ts'
import { fold } from '../../text/fold.ts'
import { tokens } from '../../text/tokens.ts'
import { type InstantSpan, spanOf } from './instants.ts'
import type { QueryScope } from './scopes.ts'

/** `undefined` when the word holds nothing that can be searched. */
export function wordLeaf(word: string, field?: string): Leaf | undefined {
  const rest = withoutLeadingWildcards(word)
  const pattern = wildPattern(rest)
  const limit = field === undefined ? {} : { field }
  if (pattern !== undefined) return { kind: 'wild', pattern, ...limit }
  const [first, ...others] = tokens(rest)
  if (first === undefined) return undefined
  return others.length === 0
    ? { kind: 'term', token: first, ...limit }
    : { kind: 'phrase', tokens: [first, ...others], ...limit }
}

/** Exactly these words in this order, never reduced to their roots. */
export function quotedLeaf(text: string, field?: string): Leaf | undefined {
  const [first, ...others] = tokens(text)
  const limit = field === undefined ? {} : { field }
  if (first === undefined) return undefined
  return others.length === 0
    ? { kind: 'exact', token: first, ...limit }
    : { kind: 'phrase', tokens: [first, ...others], ...limit }
}

/** `'literal'` says that the word does not fit the kind of the field, so that its colon has no meaning. */
export function scopedLeaf(
  scope: QueryScope,
  text: string,
  quoted: boolean,
): QueryTree | undefined | 'literal' {
  switch (scope.kind) {
    case 'text':
      return quoted ? quotedLeaf(text, scope.field) : wordLeaf(text, scope.field)
    case 'facet':
      return valueLeaf(scope, text, quoted)
    case 'date':
    case 'number': {
      const span = boundOf(scope, text)
      return span === undefined ? 'literal' : { kind: 'range', name: scope.name, ...span }
    }
    default:
      return scope satisfies never
  }
}

/** The id of a facet value, or words of its label. */
function valueLeaf(
  { facet, field }: Extract<QueryScope, { kind: 'facet' }>,
  text: string,
  quoted: boolean,
): QueryTree {
  const value: QueryTree = { kind: 'value', facet, value: text }
  const label =
    field === undefined ? undefined : quoted ? quotedLeaf(text, field) : wordLeaf(text, field)
  return label === undefined ? value : { kind: 'or', of: [value, label] }
}

/** `[low TO high]` on a date or number field, both ends included, `*` = open; `undefined` when a bound does not parse. */
export function rangeLeaf(scope: QueryScope, low: string, high: string): QueryTree | undefined {
  const from = boundOf(scope, low)
  const to = boundOf(scope, high)
  if (!('name' in scope) || from === undefined || to === undefined) return undefined
  return {
    kind: 'range',
    name: scope.name,
    ...(from.from !== undefined && { from: from.from }),
    ...(to.to !== undefined && { to: to.to }),
  }
}

const decimal = /^[+-]?\d+(?:\.\d+)?$/

function boundOf(scope: QueryScope, text: string): Partial<InstantSpan> | undefined {
  if (text === '*') return {}
  if (scope.kind === 'date') return spanOf(text)
  if (scope.kind === 'number' && decimal.test(text)) return { from: Number(text), to: Number(text) }
  return undefined
}

function withoutLeadingWildcards(word: string): string {
  let start = 0
  while (word[start] === '*' || word[start] === '?') start++
  return word.slice(start)
}

const wildcards = /([*?]+)/
const word = /^[\p{L}\p{N}\p{M}]*$/u

/** The folded pattern of a word with wildcards behind its start; `undefined` when it is an ordinary word. */
function wildPattern(text: string): string | undefined {
  const parts = text.split(wildcards).map((part, n) => (n % 2 ? part : part.normalize('NFKC')))
  if (parts.length === 1 || !parts.every((part, n) => n % 2 || word.test(part))) return undefined
  const folded = parts.map((part, n) => (n % 2 ? part.replace(/\*+/g, '*') : fold(part)))
  return folded[0] === '' ? undefined : folded.join('')
}

// The parentheses and quotation marks of a query that have a partner; the others are separators.

export type Marks = {
  /** Index of an opening quotation mark → index of its partner. */
  readonly quotes: ReadonlyMap<number, number>
  /** Indices of opening and closing parentheses with a partner, outside quoted text. */
  readonly parentheses: ReadonlySet<number>
}

/** Two passes over the text. Throws `query-too-complex` when pairs of parentheses are nested deeper than `depth`. */
export function marksOf(text: string, depth: number): Marks {
  const quotes = quotePairs(text)
  const parentheses = new Set<number>()
  const open: number[] = []
  eachOutside(text, quotes, (index) => {
    if (text[index] === '(') open.push(index)
    else if (text[index] === ')') {
      const partner = open.pop()
      if (partner !== undefined) parentheses.add(partner).add(index)
    }
  })
  limitDepth(text, parentheses, depth)
  return { quotes, parentheses }
}

function quotePairs(text: string): Map<number, number> {
  const pairs = new Map<number, number>()
  let from = text.indexOf('"')
  while (from >= 0) {
    const to = text.indexOf('"', from + 1)
    if (to < 0) break
    pairs.set(from, to)
    from = text.indexOf('"', to + 1)
  }
  return pairs
}

function eachOutside(
  text: string,
  quotes: ReadonlyMap<number, number>,
  visit: (index: number) => void,
): void {
  for (let index = 0; index < text.length; index++) {
    const end = quotes.get(index)
    if (end === undefined) visit(index)
    else index = end
  }
}

function limitDepth(text: string, parentheses: ReadonlySet<number>, depth: number): void {
  const order = [...parentheses].sort((a, b) => a - b)
  let level = 0
  for (const index of order) {
    level += text[index] === '(' ? 1 : -1
    if (level > depth) {
      const detail = `q may nest at most ${depth} levels of parentheses (limit queryDepth)`
      throw new Failure('query-too-complex', detail, { errors: [{ parameter: 'q', detail }] })
    }
  }
}
