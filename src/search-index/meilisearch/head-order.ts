/** Order of the first hits of a ranked search: by our scores, which are computed from the texts of the documents. */

import { type ScoredQuery, scoresOfTexts } from '../text-scores.ts'
import { textsAttribute } from './attributes.ts'
import { filterText } from './condition.ts'
import {
  fetchDocuments,
  type EngineHits,
  type IndexPart,
  type ReadContext,
} from './engine-reads.ts'
import { hasNumberAmong } from './matching.ts'
import { textsRow, valuesOf } from './record-texts.ts'

/** Number of first hits that are ordered by our scores; the hits after them stay in the order of Meilisearch and have the score 0. */
export const headSize = 200

type Numbered = { readonly n: number }
type Hits<Row> = EngineHits<Row>['hits']

/**
 * Sorts the first hits by score, equal scores in the order of Meilisearch. `queries`: the query to score in each index of the hits.
 * `undefined` if a document was replaced or removed meanwhile.
 */
export async function orderHead<Row extends Numbered>(
  hits: Hits<Row>,
  queries: ReadonlyMap<IndexPart, ScoredQuery>,
  context: ReadContext,
  signal?: AbortSignal,
): Promise<Hits<Row> | undefined> {
  const head = hits.slice(0, headSize)
  const scores = new Map<number, number>()
  for (const [part, query] of queries) {
    const numbers = head.flatMap((hit) => (hit.part === part ? [hit.hit.n] : []))
    const scoresOfPart = await scoresInPart(numbers, part, query, context, signal)
    for (const [n, score] of scoresOfPart) scores.set(n, score)
  }
  if (head.some(({ hit }) => !scores.has(hit.n))) return undefined
  const scored = head.map((hit) => ({ ...hit, score: scores.get(hit.hit.n) ?? 0 }))
  const rest = hits.slice(headSize).map((hit) => ({ ...hit, score: 0 }))
  return [...scored.sort((a, b) => b.score - a.score), ...rest]
}

/** Scores of documents by number. The mean length of a record is that of these documents, because Meilisearch computes no means. */
async function scoresInPart(
  numbers: readonly number[],
  { uid, settings }: IndexPart,
  query: ScoredQuery,
  context: ReadContext,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<number, number>> {
  if (numbers.length === 0) return new Map()
  const fields = settings.texts.map(({ name }) => name)
  const request = {
    row: textsRow,
    extraAttributes: fields.map(textsAttribute),
    filter: filterText(hasNumberAmong(numbers)),
    limit: numbers.length,
  }
  const { results } = await fetchDocuments(context, uid, request, signal)
  const scores = scoresOfTexts(
    results.map((row) => valuesOf(row, fields)),
    query,
  )
  return new Map(results.map(({ n }, i) => [n, scores[i] ?? 0]))
}
