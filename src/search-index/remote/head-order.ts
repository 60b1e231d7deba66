/** Order of the first hits of a search on a server: by our scores, which are computed from the texts of the documents. */

import { fusedScore } from '../fusion.ts'
import { hasTitle, type ScoredQuery, scoresOfTexts, type TokenisedValue } from '../text-scores.ts'
import type { IndexPart } from './generation.ts'

/** Hit of an index; `key` is that of its document, different in all indices. */
export type OrderedHit<Key> = {
  readonly part: IndexPart
  readonly key: Key
  readonly score: number
}

/** Documents that are close in meaning, nearest first, and the part of the words in the order. */
export type Closeness<Key> = {
  readonly weight: number
  readonly near: readonly { readonly key: Key; readonly closeness: number }[]
}

/** Queries that score the hits of each index; related documents join the head, which is then ordered by meaning too. */
type HeadOrder<Key, Hit> = {
  /** Number of first hits that are ordered; the hits after them stay in the order of the server and have the score 0. */
  readonly size: number
  readonly queries: ReadonlyMap<IndexPart, ScoredQuery>
  readonly related: readonly Hit[]
  readonly closeness: Closeness<Key> | undefined
  /** Values of the documents with some keys, without those that do not exist any more. */
  readonly textsOf: (
    part: IndexPart,
    keys: readonly Key[],
  ) => Promise<ReadonlyMap<Key, readonly TokenisedValue[]>>
}

/**
 * Sorts the first hits by score, equal scores in the order of the server. `queries`: the query to score in each index of the hits. The
 * mean length of a record is that of the first hits of its index, because servers compute no means of all documents.
 * `undefined` if a document was replaced or removed meanwhile.
 */
export async function orderHead<Key, Hit extends OrderedHit<Key>>(
  hits: readonly Hit[],
  { size, queries, related, closeness, textsOf }: HeadOrder<Key, Hit>,
): Promise<readonly Hit[] | undefined> {
  const head = [...hits.slice(0, size), ...related]
  const scores = new Map<Key, number>()
  const titles = new Set<Key>()
  for (const [part, query] of queries) {
    const keys = head.flatMap((hit) => (hit.part === part ? [hit.key] : []))
    if (keys.length === 0) continue
    const texts = await textsOf(part, keys)
    const scoresOfPart = scoresOfTexts([...texts.values()], query)
    for (const [i, [key, values]] of [...texts].entries()) {
      scores.set(key, scoresOfPart[i] ?? 0)
      if (hasTitle(values, query.typed)) titles.add(key)
    }
  }
  if (head.some((hit) => !scores.has(hit.key) && !related.includes(hit))) return undefined
  const scoreOf = closeness ? fusedScores(scores, titles, closeness) : scores
  const scored = head.map((hit) => ({ ...hit, score: scoreOf.get(hit.key) ?? 0 }))
  const rest = hits.slice(size).map((hit) => ({ ...hit, score: 0 }))
  return [...scored.sort((a, b) => b.score - a.score), ...rest]
}

/** Scores by words and meaning, by key. */
function fusedScores<Key>(
  scores: ReadonlyMap<Key, number>,
  titles: ReadonlySet<Key>,
  { weight, near }: Closeness<Key>,
): ReadonlyMap<Key, number> {
  const byKey = new Map(near.map(({ key, closeness }) => [key, closeness]))
  const highest = Math.max(0, ...scores.values())
  const keys = [...new Set([...scores.keys(), ...byKey.keys()])]
  return new Map(
    keys.map((key) => {
      const [score, close] = [scores.get(key) ?? 0, byKey.get(key) ?? 0]
      const isWholeTitle = titles.has(key)
      return [key, fusedScore(weight, { score, highest, closeness: close, isWholeTitle })]
    }),
  )
}
