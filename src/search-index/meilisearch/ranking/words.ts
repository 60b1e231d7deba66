/** The words of a query that relevance is about. */

import { type Leaf, type QueryTree, rankingLeaves } from '../../query-tree.ts'

/** The tokens of a word, one, or of a phrase. */
export type Word = readonly string[]

/** Words and phrases, each once, but not wildcards. */
export type Words = {
  /** What every document of the set holds, in this form or in another one. */
  readonly wanted: readonly Word[]
  /** What a document of the set may lack. */
  readonly possible: readonly Word[]
}

export function wordsOf(tree: QueryTree): Words {
  const wanted = named(wantedLeaves(tree))
  const others = [...named(rankingLeaves(tree))].filter(([name]) => !wanted.has(name))
  return { wanted: [...wanted.values()], possible: others.map(([, word]) => word) }
}

function wantedLeaves(tree: QueryTree): readonly Leaf[] {
  if (tree.kind === 'and') return tree.of.flatMap(wantedLeaves)
  return tree.kind === 'or' ? [] : rankingLeaves(tree)
}

const named = (leaves: readonly Leaf[]): ReadonlyMap<string, Word> =>
  new Map(leaves.flatMap(wordOf).map((word) => [word.join(' '), word]))

function wordOf(leaf: Leaf): readonly Word[] {
  if (leaf.kind === 'wild') return []
  if (leaf.kind !== 'phrase') return [[leaf.token]]
  return leaf.tokens.length > 0 ? [leaf.tokens] : []
}
