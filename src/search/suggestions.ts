/** "Did you mean": other words for those of a query that no record has, each query with what it would really find. */

import { leavesOf, rankingLeaves, type Leaf, type QueryTree } from '../search-index/query-tree.ts'
import type { SearchIndex, SearchRequest } from '../search-index/search-index.ts'
import { compareCodePoints } from '../text/code-points.ts'
import { isJsonObject } from '../text/json.ts'
import { tokenOf } from '../text/tokens.ts'
import { recordFields } from './record-values.ts'

/** From so many hits on nobody is asked whether something else was meant. */
const enoughHits = 3
/** Suggestions of an answer, queries that are counted for them, words of a query that are looked at. */
const [mostSuggestions, mostTried, mostWords] = [3, 6, 4]
/** Shorter words are one letter away from too many others; longer ones are no words. */
const [shortest, longest] = [4, 30]
/** Patterns for one word, and records whose words are compared with it. */
const [mostPatterns, mostRecords] = [12, 50]
/** An answer does not wait longer for its suggestions. */
const patienceMs = 400

const runs = /[\p{L}\p{N}\p{M}]+/gu

type Suggestion = { readonly q: string; readonly count: number }

type Asked = {
  readonly q: string
  /** Hits of the query itself. */
  readonly count: number
  readonly request: SearchRequest
  /** The same search for another query. */
  readonly again: (q: string) => SearchRequest
}

/** At most three, most hits first; none where enough was found or it takes too long. */
export async function suggestionsFor(
  index: SearchIndex,
  asked: Asked,
  signal: AbortSignal,
): Promise<readonly Suggestion[]> {
  if (asked.count >= enoughHits || asked.request.indices.length === 0) return []
  const patience = AbortSignal.timeout(patienceMs)
  try {
    return await suggested(index, asked, AbortSignal.any([signal, patience]))
  } catch (error) {
    if (patience.aborted && !signal.aborted) return []
    throw error
  }
}

async function suggested(
  index: SearchIndex,
  { q, request, again }: Asked,
  signal: AbortSignal,
): Promise<readonly Suggestion[]> {
  const bare = { ...bareOf(request), filter: {} }
  const count = async (one: SearchRequest) => (await index.search(one, signal)).count
  const leaves = wordsIn(request.tree)
  const found = await Promise.all(leaves.map((tree) => count({ ...bare, tree })))
  const unknown = leaves.filter((_, at) => found[at] === 0)
  const near = await Promise.all(
    unknown.map(async ({ token }) => [token, await wordsNear(index, token, bare, signal)] as const),
  )
  const queries = queriesOf(q, near)
  const counted = async (isFiltered: boolean) => {
    const all = queries.map(async (one) => {
      const other = bareOf(again(one))
      return { q: one, count: await count(isFiltered ? other : { ...other, filter: {} }) }
    })
    return (await Promise.all(all)).filter((one) => one.count > 0)
  }
  const filtered = await counted(true)
  return (filtered.length > 0 ? filtered : await counted(false))
    .toSorted((a, b) => b.count - a.count)
    .slice(0, mostSuggestions)
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

/** Words of titles, keywords and publishers that differ from a word by a letter or two, the nearest and most frequent first. */
async function wordsNear(
  index: SearchIndex,
  token: string,
  bare: SearchRequest,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { hits } = await index.search(
    {
      ...bare,
      tree: { kind: 'or', of: patternsOf(token) },
      fields: ['title', 'pref_label', 'keywords', 'publisher'],
      include: ['title', 'pref_label', 'keywords', 'publisher.name'],
      limit: mostRecords,
    },
    signal,
  )
  const reach = token.length <= 5 ? 1 : 2
  const counts = new Map<string, number>()
  for (const hit of hits) {
    const words = new Set(
      textsOf(recordFields(hit.record)).flatMap((text) => text.match(runs) ?? []),
    )
    for (const word of words)
      counts.set(word.toLowerCase(), (counts.get(word.toLowerCase()) ?? 0) + 1)
  }
  return [...counts]
    .map(([word, count]) => ({ word, count, away: distance(token, tokenOf(word), reach) }))
    .filter(({ away }) => away > 0 && away <= reach)
    .toSorted((a, b) => a.away - b.away || b.count - a.count || compareCodePoints(a.word, b.word))
    .map(({ word }) => word)
}

/** `wa*er`, `wat*r`…: each leaves a place of two letters open; the first letter is nearly always right. */
function patternsOf(token: string): readonly QueryTree[] {
  const letters = Array.from(token)
  const all = letters.slice(1).map((_, at): QueryTree => {
    const pattern = `${letters.slice(0, at + 1).join('')}*${letters.slice(at + 3).join('')}`
    return { kind: 'wild', pattern }
  })
  return all.slice(-mostPatterns)
}

/** All texts in a value, however deep; records are finished JSON, so that it ends. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value.slice(0, 1000)]
  if (Array.isArray(value)) return value.slice(0, 100).flatMap(textsOf)
  return isJsonObject(value) ? Object.values(value).flatMap(textsOf) : []
}

/** Letters left out, added, replaced or swapped with their neighbour; more than `reach` where it is clear at once. */
function distance(a: string, b: string, reach: number): number {
  if (Math.abs(a.length - b.length) > reach) return reach + 1
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      const steps = [(last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same]
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        steps.push((before[j - 2] ?? 0) + 1)
      row.push(Math.min(...steps))
    }
    before = last
    last = row
  }
  return last[b.length] ?? 0
}

/** The query with its unknown words replaced: by the best of each, then with another one for one of them. */
function queriesOf(
  q: string,
  near: readonly (readonly [token: string, words: readonly string[]])[],
): readonly string[] {
  const best = new Map(
    near.flatMap(([token, [word]]) => (word === undefined ? [] : [[token, word]])),
  )
  if (best.size === 0) return []
  const others = near.flatMap(([token, [, ...words]]) =>
    words.map((word) => new Map([...best, [token, word]])),
  )
  const written = [best, ...others]
    .slice(0, mostTried)
    .map((words) => q.replaceAll(runs, (run) => words.get(tokenOf(run)) ?? run))
  return [...new Set(written)].filter((one) => one !== q)
}
