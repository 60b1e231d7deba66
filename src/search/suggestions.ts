/**
 * Suggests other queries ("did you mean") to a search with `suggestions=true`, for words that no record has, each with its
 * number of hits.
 */

import { rankingLeaves, type QueryTree } from '../search-index/query-tree.ts'
import type { Hit, SearchIndex, SearchRequest } from '../search-index/search-index.ts'
import { tokenOf, wordPattern } from '../text/tokens.ts'
import { allRecords } from './record-values.ts'
import { withinTime } from './time-limit.ts'

/** Number of hits from which nothing is suggested. */
const enoughHits = 3
/** Maximum number of suggestions in an answer, of queries counted for them, and of words of the query that are looked up. */
const [mostSuggestions, mostCounted, mostWords] = [3, 6, 4]
/** Characters of words with suggestions: shorter ones are similar to too many words, longer ones are no words. */
const [shortest, longest] = [4, 30]
/** Time limit for suggestions; the embedded engine needs about 20 ms. */
const timeLimitMs = 100
/** Fields in which the spelling of a word is looked up: the dictionary of an engine has no accents. */
export const spelledFields = [
  'title',
  'pref_label',
  'keywords.label',
  'publisher.name',
  'description',
]

type Suggestion = { readonly q: string; readonly count: number }

type SuggestionContext = {
  readonly q: string
  /** Hits of the query itself. */
  readonly count: number
  readonly request: SearchRequest
  /** Parses another query. */
  readonly treeOf: (q: string) => QueryTree
}

/** Suggests at most three queries, sorted by hits; none when there are enough hits or the time is over. */
export async function otherQueries(
  index: SearchIndex,
  context: SuggestionContext,
  signal: AbortSignal,
): Promise<readonly Suggestion[]> {
  if (context.count >= enoughHits || context.request.indices.length === 0) return []
  return withinTime(timeLimitMs, signal, (both) => findSuggestions(index, context, both), [])
}

async function findSuggestions(
  index: SearchIndex,
  { q, request: { indices, fields, tree, words: wanted, filter }, treeOf }: SuggestionContext,
  signal: AbortSignal,
): Promise<readonly Suggestion[]> {
  const baseRequest = { ...allRecords('dataset'), indices, fields }
  const words = rankingLeaves(tree)
    .filter((leaf) => leaf.kind === 'term')
    .filter(({ token }) => token.length >= shortest && token.length <= longest)
    .slice(0, mostWords)
  const answers = await Promise.all(
    words.map((leaf) => index.search({ ...baseRequest, tree: leaf }, signal)),
  )
  const unknown = [
    ...new Set(words.flatMap((leaf, i) => (answers[i]?.count === 0 ? leaf.token : []))),
  ]
  const similar = unknown.length > 0 ? await index.similarTokens(unknown, signal) : []
  const pairs = similar.flatMap((tokens, i) =>
    tokens.map((word) => [unknown[i] ?? '', word] as const),
  )
  // Nearest word of each token (the last pair counts), then further words for one token.
  const nearest = new Map(pairs.toReversed())
  const replacements = pairs.map((pair) => new Map([...nearest, pair]))
  const queries = new Map(
    replacements.map((replacement) => [replaceWords(q, replacement), replacement]),
  )
  for (const searchFilter of [filter, {}]) {
    const counts = [...queries].slice(0, mostCounted).map(async ([query, replacement]) => {
      const condition = { tree: treeOf(query), words: wanted, filter: searchFilter }
      const { count, hits } = await index.search(
        { ...baseRequest, ...condition, limit: 1, include: spelledFields },
        signal,
      )
      const spellings = [...replacement].map(
        ([token, word]) => [token, spellingIn(hits, word).toLowerCase()] as const,
      )
      return { q: replaceWords(q, new Map(spellings)), count }
    })
    const successful = (await Promise.all(counts)).filter(({ count }) => count > 0)
    if (successful.length > 0)
      return successful.toSorted((a, b) => b.count - a.count).slice(0, mostSuggestions)
  }
  return []
}

/** Returns a token as records spell it, in lower case if one of them does; the token itself when they do not show it. */
export function spellingIn(hits: readonly Hit[], token: string): string {
  const words = hits.flatMap(({ record }) => record.match(wordPattern) ?? [])
  const spellings = words.filter((word) => tokenOf(word) === token)
  return spellings.find((word) => word === word.toLowerCase()) ?? spellings[0] ?? token
}

const replaceWords = (q: string, words: ReadonlyMap<string, string>): string =>
  q.replaceAll(wordPattern, (word) => words.get(tokenOf(word)) ?? word)
