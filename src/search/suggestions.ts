/** "Did you mean": other words for those of a query that no record has, each query with what it would really find. */

import { leavesOf, rankingLeaves, type Leaf, type QueryTree } from '../search-index/query-tree.ts'
import type { Hit, SearchIndex, SearchRequest } from '../search-index/search-index.ts'
import { tokenOf } from '../text/tokens.ts'

/** From so many hits on nobody is asked whether something else was meant. */
const enoughHits = 3
/** Suggestions of an answer, queries that are counted for them, words of a query that are looked at. */
const [mostSuggestions, mostTried, mostWords] = [3, 6, 4]
/** Shorter words are one letter away from too many others; longer ones are no words. */
const [shortest, longest] = [4, 30]
/** An answer does not wait longer for its suggestions; the embedded engine needs some 20 ms. */
const timeLimitMs = 100

const runs = /[\p{L}\p{N}\p{M}]+/gu

type Suggestion = { readonly q: string; readonly count: number }

type SuggestionContext = {
  readonly q: string
  /** Hits of the query itself. */
  readonly count: number
  readonly request: SearchRequest
  /** The same search for another query. */
  readonly again: (q: string) => SearchRequest
}

/** At most three, most hits first; none where enough was found or it takes too long. */
export async function otherQueries(
  index: SearchIndex,
  context: SuggestionContext,
  signal: AbortSignal,
): Promise<readonly Suggestion[]> {
  if (context.count >= enoughHits || context.request.indices.length === 0) return []
  const limit = AbortSignal.timeout(timeLimitMs)
  try {
    return await suggested(index, context, AbortSignal.any([signal, limit]))
  } catch (error) {
    if (limit.aborted && !signal.aborted) return []
    throw error
  }
}

async function suggested(
  index: SearchIndex,
  { q, request, again }: SuggestionContext,
  signal: AbortSignal,
): Promise<readonly Suggestion[]> {
  const tokens = await unknownTokens(index, request, signal)
  if (tokens.length === 0) return []
  const near = await index.near(tokens, signal)
  const replacements = replacementsOf(tokens.map((token, at) => [token, near[at] ?? []]))
  const tried = async (isFiltered: boolean) => {
    const all = replacements.map(async (words) => {
      const other = bareOf(again(replaced(q, words)))
      const shown = { ...other, ...(!isFiltered && { filter: {} }), limit: 1, include: shownFields }
      const { count, hits } = await index.search(shown, signal)
      const written = new Map([...words].map(([token, word]) => [token, writtenIn(hits, word)]))
      return { q: replaced(q, written), count }
    })
    return (await Promise.all(all)).filter((one) => one.count > 0)
  }
  const filtered = await tried(true)
  return (filtered.length > 0 ? filtered : await tried(false))
    .toSorted((a, b) => b.count - a.count)
    .slice(0, mostSuggestions)
}

/** Words of the query that no record has, whatever the filters are. */
async function unknownTokens(
  index: SearchIndex,
  request: SearchRequest,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const leaves = wordsIn(request.tree)
  const bare = { ...bareOf(request), filter: {} }
  const found = await Promise.all(leaves.map((tree) => index.search({ ...bare, tree }, signal)))
  return leaves.flatMap(({ token }, at) => (found[at]?.count === 0 ? [token] : []))
}

/** The same search without hits and facets. */
function bareOf(request: SearchRequest): SearchRequest {
  const { indices, tree, fields, filter, boosts } = request
  const where = { ...(fields && { fields }), filter, boosts }
  return { indices, tree, ...where, offset: 0, limit: 0, order: [], score: false }
}

type Word = Extract<Leaf, { readonly kind: 'term' }>

function wordsIn(tree: QueryTree): readonly Word[] {
  const ranking = rankingLeaves(tree)
  const words = (ranking.length > 0 ? ranking : leavesOf(tree)).flatMap((leaf) =>
    leaf.kind === 'term' && leaf.token.length >= shortest && leaf.token.length <= longest
      ? [leaf]
      : [],
  )
  return [...new Map(words.map((leaf) => [leaf.token, leaf])).values()].slice(0, mostWords)
}

/** Where a word is looked up as people write it: the dictionary of an engine has it without accents. */
const shownFields = ['title', 'pref_label', 'keywords.label', 'publisher.name', 'description']

/** A token as the records have it, in lower case; itself where they do not show it. */
function writtenIn(hits: readonly Hit[], token: string): string {
  const words = hits.flatMap(({ record }) => record.match(runs) ?? [])
  return words.find((word) => tokenOf(word) === token)?.toLowerCase() ?? token
}

/** What stands for the unknown tokens: the best of each, then another one for one of them. */
function replacementsOf(
  near: readonly (readonly [token: string, words: readonly string[]])[],
): readonly ReadonlyMap<string, string>[] {
  const best = new Map(
    near.flatMap(([token, [word]]) => (word === undefined ? [] : [[token, word] as const])),
  )
  if (best.size === 0) return []
  const others = near.flatMap(([token, [, ...words]]) =>
    words.map((word) => new Map([...best, [token, word]])),
  )
  return [best, ...others].slice(0, mostTried)
}

const replaced = (q: string, words: ReadonlyMap<string, string>): string =>
  q.replaceAll(runs, (run) => words.get(tokenOf(run)) ?? run)
