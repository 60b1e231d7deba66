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
 * Sorts the first hits by score, equal scores in the order of Meilisearch. `queries`: the query to score in each index of the hits. The
 * mean length of a record is that of the first hits of its index, because Meilisearch computes no means of all documents.
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
    const fields = part.settings.texts.map(({ name }) => name)
    const rows = await fetchTexts(numbers, { uid: part.uid, fields }, context, signal)
    const scoresOfPart = scoresOfTexts(
      rows.map((row) => valuesOf(row, fields)),
      query,
    )
    for (const [i, { n }] of rows.entries()) scores.set(n, scoresOfPart[i] ?? 0)
  }
  if (head.some(({ hit }) => !scores.has(hit.n))) return undefined
  const scored = head.map((hit) => ({ ...hit, score: scores.get(hit.hit.n) ?? 0 }))
  const rest = hits.slice(headSize).map((hit) => ({ ...hit, score: 0 }))
  return [...scored.sort((a, b) => b.score - a.score), ...rest]
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
