/** "Did you mean": other words for those of a query that no record has, each query with what it would really find. */

import { leavesOf, rankingLeaves, type QueryTree } from '../search-index/query-tree.ts'
import type { Filter, Hit, SearchIndex, SearchRequest } from '../search-index/search-index.ts'
import { tokenOf } from '../text/tokens.ts'
import { everything } from './record-values.ts'

/** From so many hits on nobody is asked whether something else was meant. */
const enoughHits = 3
/** Suggestions of an answer, queries that are counted for them, words of a query that are looked at. */
const [mostSuggestions, mostTried, mostWords] = [3, 6, 4]
/** Shorter words are one letter away from too many others; longer ones are no words. */
const [shortest, longest] = [4, 30]
/** An answer does not wait longer for its suggestions; the embedded engine needs some 20 ms. */
const timeLimitMs = 100
/** Where a word is looked up as people write it: the dictionary of an engine has it without accents. */
const include = ['title', 'pref_label', 'keywords.label', 'publisher.name', 'description']

const runs = /[\p{L}\p{N}\p{M}]+/gu

type Suggestion = { readonly q: string; readonly count: number }

type SuggestionContext = {
  readonly q: string
  /** Hits of the query itself. */
  readonly count: number
  readonly request: SearchRequest
  /** What another query means. */
  readonly treeOf: (q: string) => QueryTree
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
  { q, request: { indices, fields, tree, filter }, treeOf }: SuggestionContext,
  signal: AbortSignal,
): Promise<readonly Suggestion[]> {
  const bare = { ...everything('dataset'), indices, ...(fields && { fields }) }
  const leaves = wordsIn(tree)
  const found = await Promise.all(leaves.map((one) => index.search({ ...bare, tree: one }, signal)))
  const unknown = leaves.flatMap(({ token }, at) => (found[at]?.count === 0 ? [token] : []))
  if (unknown.length === 0) return []
  const near = await index.near(unknown, signal)
  const replacements = replacementsOf(unknown, near)
  const tried = async (within: Filter) => {
    const all = replacements.map(async (words) => {
      const request = {
        ...bare,
        tree: treeOf(replaced(q, words)),
        filter: within,
        limit: 1,
        include,
      }
      const { count, hits } = await index.search(request, signal)
      const written = new Map([...words].map(([token, word]) => [token, writtenIn(hits, word)]))
      return { q: replaced(q, written), count }
    })
    return (await Promise.all(all)).filter((one) => one.count > 0)
  }
  const filtered = await tried(filter)
  return (filtered.length > 0 ? filtered : await tried({}))
    .toSorted((a, b) => b.count - a.count)
    .slice(0, mostSuggestions)
}

/** Words that no record may have, whatever the filters are. */
function wordsIn(tree: QueryTree) {
  const ranking = rankingLeaves(tree)
  const words = (ranking.length > 0 ? ranking : leavesOf(tree))
    .filter((leaf) => leaf.kind === 'term')
    .filter(({ token }) => token.length >= shortest && token.length <= longest)
  return [...new Map(words.map((leaf) => [leaf.token, leaf])).values()].slice(0, mostWords)
}

/** What stands for the unknown tokens: the nearest of each, then another one for one of them. */
function replacementsOf(
  unknown: readonly string[],
  near: readonly (readonly string[])[],
): readonly ReadonlyMap<string, string>[] {
  const pairs = unknown.flatMap((token, at) =>
    (near[at] ?? []).map((word) => [token, word] as const),
  )
  // Of several words for a token the last one counts.
  const best = new Map(pairs.toReversed())
  const others = pairs.filter(([token, word]) => best.get(token) !== word)
  return pairs.length === 0
    ? []
    : [best, ...others.map((pair) => new Map([...best, pair]))].slice(0, mostTried)
}

/** A token as the records have it, in lower case; itself where they do not show it. */
function writtenIn(hits: readonly Hit[], token: string): string {
  const words = hits.flatMap(({ record }) => record.match(runs) ?? [])
  return words.find((word) => tokenOf(word) === token)?.toLowerCase() ?? token
}

const replaced = (q: string, words: ReadonlyMap<string, string>): string =>
  q.replaceAll(runs, (run) => words.get(tokenOf(run)) ?? run)
