/** Order of the first hits of a ranked search: by our scores, which are computed from the texts of the documents. */

import { fusedScore } from '../fusion.ts'
import { hasTitle, type ScoredQuery, scoresOfTexts } from '../text-scores.ts'
import { textsAttribute } from './attributes.ts'
import { filterText } from './condition.ts'
import {
  fetchDocuments,
  type EngineHits,
  type IndexPart,
  type ReadContext,
} from './engine-reads.ts'
import type { NearDocument } from './engine-vectors.ts'
import { hasNumberAmong } from './matching.ts'
import { textsRow, valuesOf } from './record-texts.ts'

/** Number of first hits that are ordered by our scores; the hits after them stay in the order of Meilisearch and have the score 0. */
export const headSize = 200

type Numbered = { readonly n: number }
type Hits<Row> = EngineHits<Row>['hits']

/** Documents that are close in meaning, nearest first, and the part of the words in the order. */
export type Closeness = {
  readonly weight: number
  readonly near: readonly (NearDocument & { readonly closeness: number })[]
}

/** Queries that score the hits of each index; related documents join the head, which is then ordered by meaning too. */
type HeadOrder<Row> = {
  readonly queries: ReadonlyMap<IndexPart, ScoredQuery>
  readonly related: Hits<Row>
  readonly closeness: Closeness | undefined
}

/**
 * Sorts the first hits by score, equal scores in the order of Meilisearch. `queries`: the query to score in each index of the hits. The
 * mean length of a record is that of the first hits of its index, because Meilisearch computes no means of all documents.
 * `undefined` if a document was replaced or removed meanwhile.
 */
export async function orderHead<Row extends Numbered>(
  hits: Hits<Row>,
  { queries, related, closeness }: HeadOrder<Row>,
  context: ReadContext,
  signal?: AbortSignal,
): Promise<Hits<Row> | undefined> {
  const head = [...hits.slice(0, headSize), ...related]
  const scores = new Map<number, number>()
  const titles = new Set<number>()
  for (const [part, query] of queries) {
    const numbers = head.flatMap((hit) => (hit.part === part ? [hit.hit.n] : []))
    const fields = part.settings.texts.map(({ name }) => name)
    const rows = await fetchTexts(numbers, { uid: part.uid, fields }, context, signal)
    const texts = rows.map((row) => valuesOf(row, fields))
    const scoresOfPart = scoresOfTexts(texts, query)
    for (const [i, { n }] of rows.entries()) {
      scores.set(n, scoresOfPart[i] ?? 0)
      if (hasTitle(texts[i] ?? [], query.typed)) titles.add(n)
    }
  }
  const isRelated = (hit: Hits<Row>[number]) => related.includes(hit)
  if (head.some((hit) => !scores.has(hit.hit.n) && !isRelated(hit))) return undefined
  const scoreOf = closeness ? fusedScores(scores, titles, closeness) : scores
  const scored = head.map((hit) => ({ ...hit, score: scoreOf.get(hit.hit.n) ?? 0 }))
  const rest = hits.slice(headSize).map((hit) => ({ ...hit, score: 0 }))
  return [...scored.sort((a, b) => b.score - a.score), ...rest]
}

/** Scores by words and meaning, by number. */
function fusedScores(
  scores: ReadonlyMap<number, number>,
  titles: ReadonlySet<number>,
  { weight, near }: Closeness,
): ReadonlyMap<number, number> {
  const byNumber = new Map(near.map(({ hit, closeness }) => [hit.n, closeness]))
  const highest = Math.max(0, ...scores.values())
  const numbers = [...new Set([...scores.keys(), ...byNumber.keys()])]
  return new Map(
    numbers.map((n) => {
      const [score, close] = [scores.get(n) ?? 0, byNumber.get(n) ?? 0]
      const isWholeTitle = titles.has(n)
      return [n, fusedScore(weight, { score, highest, closeness: close, isWholeTitle })]
    }),
  )
}

/** Reads the texts of the documents with some numbers. */
async function fetchTexts(
  numbers: readonly number[],
  { uid, fields }: { readonly uid: string; readonly fields: readonly string[] },
  context: ReadContext,
  signal: AbortSignal | undefined,
) {
  if (numbers.length === 0) return []
  const request = {
    row: textsRow,
    extraAttributes: fields.map(textsAttribute),
    filter: filterText(hasNumberAmong(numbers)),
    limit: numbers.length,
  }
  return (await fetchDocuments(context, uid, request, signal)).results
}
