/** Nearest known words in place of words that no record has, for searches with `related=true` (`reference/relevance.md` 6). */

import { type Leaf, type QueryTree, type Term, withLeaves } from '../search-index/query-tree.ts'
import { rankingUnits } from '../search-index/scoring.ts'
import type { SearchIndex, SearchRequest } from '../search-index/search-index.ts'
import { editDistance } from '../text/nearest.ts'
import { withinTime } from './time-limit.ts'

/** Characters of words that are replaced: shorter ones are similar to too many words, longer ones are no words. */
const [shortest, longest] = [4, 30]
/** Most words of a query that are looked up. */
const mostWords = 8
/** Limit of a look-up in milliseconds; without an answer the search goes on by its own words. */
const timeLimitMs = 150

/** Request with near words, and the words they replace: `{"electrcity": ["electricity"]}`. */
type WithNearWords = {
  readonly request: SearchRequest
  readonly instead: Readonly<Record<string, readonly string[]>>
}

/**
 * Adds the nearest tokens of the dictionary to words of a query that match nothing and are no stop words. Only for requests that
 * are `isRelatable`.
 */
export async function withNearWords(
  index: SearchIndex,
  request: SearchRequest,
  signal: AbortSignal,
): Promise<WithNearWords> {
  const units = new Set<Leaf>(rankingUnits(request.tree))
  const lookedUp = plainTerms(request.tree)
    .filter((term) => units.has(term))
    .filter(({ token }) => token.length >= shortest && token.length <= longest)
    .slice(0, mostWords)
  if (lookedUp.length === 0) return { request, instead: {} }
  const lookUp = (both: AbortSignal) => nearWordsOf(index, lookedUp, both)
  const nearWords = await withinTime(timeLimitMs, signal, lookUp, new Map())
  const instead = [...nearWords].map(([{ token, typed = token }, words]) => [typed, words] as const)
  return {
    request: { ...request, tree: withInstead(request.tree, nearWords) },
    instead: Object.fromEntries(instead),
  }
}

/** Whether related records may join the hits of a request: it has plain words and is sorted by relevance first. */
export const isRelatable = (request: SearchRequest): boolean =>
  isByRelevance(request) && plainTerms(request.tree).length > 0

const isByRelevance = ({ order: [first] }: SearchRequest): boolean =>
  first === undefined || first.name === 'relevance'

/** Words of a query of plain words, which is a word or an `or` of words in all fields; none of another query. */
export function plainTerms(tree: QueryTree): readonly Term[] {
  const parts = tree.kind === 'or' ? tree.operands : [tree]
  const terms = parts.filter((part) => part.kind === 'term')
  return terms.length === parts.length && terms.every(({ field }) => field === undefined)
    ? terms
    : []
}

/** The nearest tokens of the words that have no target, without words that have none. */
async function nearWordsOf(
  index: SearchIndex,
  terms: readonly Term[],
  signal: AbortSignal,
): Promise<ReadonlyMap<Term, readonly string[]>> {
  const targets = await index.wordForms(terms, signal)
  const unknown = terms.filter((_, i) => targets[i]?.length === 0)
  if (unknown.length === 0) return new Map()
  const tokens = unknown.map(({ token }) => token)
  const similar = await index.similarTokens(tokens, signal)
  const nearest = unknown.map((term, i) => [term, nearestOf(term.token, similar[i] ?? [])] as const)
  return new Map(nearest.filter(([, words]) => words.length > 0))
}

/** Those of some tokens with the smallest distance to a word. */
function nearestOf(word: string, tokens: readonly string[]): readonly string[] {
  const distances = tokens.map((token) => editDistance(word, token))
  const smallest = Math.min(...distances)
  return tokens.filter((_, i) => distances[i] === smallest)
}

function withInstead(tree: QueryTree, nearWords: ReadonlyMap<Term, readonly string[]>): QueryTree {
  return withLeaves(tree, (leaf) => {
    const instead = leaf.kind === 'term' ? nearWords.get(leaf) : undefined
    return leaf.kind === 'term' && instead ? { ...leaf, instead } : leaf
  })
}
