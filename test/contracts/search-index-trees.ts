/** A short notation for query trees: `and(water, not(phrase(open data)))`. */

import type { QueryTree } from '../../src/search-index/query-tree.ts'

/**
 * Bare words are terms; `exact(x)`, `phrase(a b)`, `wild(a*)`, `prefix(a)` are leaves, `field:leaf` limits one; `email(e mail)` is a term with its pieces;
 * `range(name, from, to)` takes numbers or dates, `*` = open; `value(facet, id)`; `and`, `or`, `not`, `all`, `none`.
 */
export function treeOf(text: string): QueryTree {
  const call = /^([a-z]+)\((.*)\)$/su.exec(text)
  if (call?.[1] === 'and' || call?.[1] === 'or') return { kind: call[1], operands: parts(call[2]) }
  if (call?.[1] === 'not') return { kind: 'not', operand: treeOf(call[2]!) }
  if (call?.[1] === 'range') return range(call[2]!.split(', '))
  if (call?.[1] === 'value') {
    const [facet, value] = call[2]!.split(', ')
    return { kind: 'value', facet: facet!, value: value! }
  }
  if (text === 'all' || text === 'none') return { kind: text }
  const scoped = /^([a-z_.]+):(.*)$/su.exec(text)
  return scoped ? { ...leaf(scoped[2]!), field: scoped[1]! } : leaf(text)
}

type Leaf = Extract<QueryTree, { kind: 'term' | 'exact' | 'phrase' | 'wild' | 'prefix' }>

function leaf(text: string): Leaf {
  const call = /^([a-z]+)\((.*)\)$/su.exec(text)
  const inner = call?.[2] ?? text
  switch (call?.[1]) {
    case 'phrase':
      return { kind: 'phrase', tokens: inner.split(' ') }
    case 'exact':
    case 'prefix':
      return { kind: call[1], token: inner }
    case 'wild':
      return { kind: 'wild', pattern: inner }
    default:
      return call
        ? { kind: 'term', token: call[1]!, pieces: inner.split(' ') }
        : { kind: 'term', token: text }
  }
}

function range([name, from, to]: readonly string[]): QueryTree {
  const bound = (value: string | undefined) =>
    /^\d{4}-/.test(value ?? '') ? Date.parse(value!) : Number(value)
  return {
    kind: 'range',
    name: name!,
    ...(from !== '*' && { from: bound(from) }),
    ...(to !== '*' && { to: bound(to) }),
  }
}

/** Arguments at commas outside of parentheses. */
function parts(text: string | undefined): QueryTree[] {
  const found: string[] = []
  let depth = 0
  let start = 0
  const all = text ?? ''
  for (let i = 0; i <= all.length; i++) {
    if (all[i] === '(') depth++
    if (all[i] === ')') depth--
    if (i < all.length && (all[i] !== ',' || depth > 0)) continue
    found.push(all.slice(start, i).trim())
    start = i + 1
  }
  return found.map(treeOf)
}
