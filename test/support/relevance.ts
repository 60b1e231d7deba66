/**
 * Figures of an order of hits against judged queries: nDCG@10 with gain 2^grade − 1 and discount 1 / log2(rank + 1), MRR of the
 * first judged hit among the first 100, and the share of queries without a hit. A mean is over queries.
 */

import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'

export type JudgedQuery = {
  readonly id: string
  /** Language of the query. */
  readonly lang: string
  /** What kind of query it is, such as `words`, `typo` or `compound`. */
  readonly kind: string
  readonly q: string
  /** Id of each record that answers it, with its grade: 1 belongs to it, 2 answers in part, 3 is meant. */
  readonly relevant: Readonly<Record<string, number>>
}

/** Answer to a query: ids of the first hits in their order, number of all hits, milliseconds it took. */
type RankedAnswer = {
  readonly ids: readonly string[]
  readonly count: number
  readonly ms: number
}

/** A query with its answer and the figures of it. */
export type Judgement = JudgedQuery & RankedAnswer & { readonly ndcg: number; readonly mrr: number }

export type RelevanceFigures = {
  readonly queries: number
  readonly ndcg: number
  readonly mrr: number
  /** Number of queries without a hit. */
  readonly withoutHit: number
  readonly meanHits: number
}

/** Reads a file of judged queries: JSON with a member `queries`. */
export function readQueries(path: string): readonly JudgedQuery[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a file of our own format
  const { queries } = JSON.parse(readFileSync(path, 'utf8')) as { queries: readonly JudgedQuery[] }
  return queries
}

const gain = (grades: readonly number[]): number =>
  grades
    .slice(0, 10)
    .reduce((sum, grade, index) => sum + (2 ** grade - 1) / Math.log2(index + 2), 0)

/** Figures of one answer. */
function judge(query: JudgedQuery, answer: RankedAnswer): Judgement {
  const grades = answer.ids.map((id) => query.relevant[id] ?? 0)
  const ideal = gain(Object.values(query.relevant).toSorted((a, b) => b - a))
  const first = grades.slice(0, 100).findIndex((grade) => grade > 0)
  return {
    ...query,
    ...answer,
    ndcg: ideal === 0 ? 0 : gain(grades) / ideal,
    mrr: first === -1 ? 0 : 1 / (first + 1),
  }
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)

export function figuresOf(judgements: readonly Judgement[]): RelevanceFigures {
  return {
    queries: judgements.length,
    ndcg: mean(judgements.map(({ ndcg }) => ndcg)),
    mrr: mean(judgements.map(({ mrr }) => mrr)),
    withoutHit: judgements.filter(({ count }) => count === 0).length,
    meanHits: mean(judgements.map(({ count }) => count)),
  }
}

/** Asks a portal all queries, one after the other. `parameters` are those of the search besides `q`. */
export async function judgePortal(
  origin: string,
  queries: readonly JudgedQuery[],
  parameters: Readonly<Record<string, string>> = {},
): Promise<readonly Judgement[]> {
  const judgements: Judgement[] = []
  for (const query of queries) {
    const url = new URL('/api/hub/search/search', origin)
    url.search = String(
      new URLSearchParams({
        filters: 'dataset',
        includes: 'id',
        limit: '100',
        ...parameters,
        q: query.q,
      }),
    )
    const started = performance.now()
    const response = await fetch(url)
    if (!response.ok) throw new Error(`${url.href}: ${response.status} ${await response.text()}`)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the contract of the search service
    const { result } = (await response.json()) as {
      result: { count: number; results: readonly { id: string }[] }
    }
    const ids = result.results.map(({ id }) => id)
    judgements.push(judge(query, { ids, count: result.count, ms: performance.now() - started }))
  }
  return judgements
}
