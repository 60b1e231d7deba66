/** Scores that datasets would reach if they were published. Their links are not checked and give no points. */

import { z } from '@hono/zod-openapi'
import type { Quad } from '@rdfjs/types'
import { dcat } from '../../rdf/namespaces.ts'
import { NodeKinds } from '../../rdf/node-kinds.ts'
import { graphOf, instances, keyOf } from '../../rdf/read.ts'
import { compareCodePoints } from '../../text/code-points.ts'
import { nextTurn } from '../../workers/event-loop.ts'
import { byDimension } from '../indicators.ts'
import { distributionsOf } from '../pipe/payload.ts'
import { measureIndicators } from './annotator-segment.ts'
import type { ValueTests } from './measured-values.ts'
import { scoreOf } from './scoring-segment.ts'
import type { Weights } from './weights.ts'

const points = z.number().int()
/** Schema of an expected score: `dataset` is an IRI, `total` has no points of links. */
export const expectedScore = z.object({
  dataset: z.string(),
  total: points,
  dimensions: z.object(byDimension(() => points)),
})

/** Expected scores of the datasets of a record. `isCompliant`: validation against DCAT-AP found no violation. */
export type ScoreExpectation = (
  record: readonly Quad[],
  isCompliant: boolean,
  signal: AbortSignal,
) => Promise<z.infer<typeof expectedScore>[]>

/** Most datasets of one body that are scored. */
const mostDatasets = 10

/** Distributions of a dataset that are measured in one turn of the event loop. */
const perTurn = 200

type ScoringInput = {
  readonly isCompliant: boolean
  readonly values: ValueTests
  readonly weights: Weights
}

/** Scores the first ten datasets that have an IRI. */
export async function expectedScores(
  dataset: readonly Quad[],
  given: ScoringInput,
): Promise<z.infer<typeof expectedScore>[]> {
  const datasets = new NodeKinds(dataset).datasets()
  const named = instances(graphOf(dataset), dcat('Dataset')).filter(
    (key) => !key.startsWith('_:') && datasets.has(key),
  )
  const scores: z.infer<typeof expectedScore>[] = []
  for (const iri of named.slice(0, mostDatasets)) {
    await nextTurn()
    scores.push(await expectedScoreOf(iri, dataset, given))
  }
  return scores
}

/** Scores a dataset with the best of its distributions, in several turns of the event loop: there may be thousands. */
async function expectedScoreOf(
  iri: string,
  dataset: readonly Quad[],
  { isCompliant, values, weights }: ScoringInput,
): Promise<z.infer<typeof expectedScore>> {
  const described = { subject: { id: iri, iri }, dataset }
  const graph = graphOf(dataset)
  // The first of those with the same points counts.
  const distributions = distributionsOf(described).toSorted((a, b) =>
    compareCodePoints(keyOf(a), keyOf(b)),
  )
  let best: ReturnType<typeof scoreOf> | undefined
  for (let at = 0; at < Math.max(1, distributions.length); at += perTurn) {
    if (at > 0) await nextTurn()
    const some = distributions.slice(at, at + perTurn)
    const measured = measureIndicators(described, values, { graph, distributions: some }).flatMap(
      ({ on, measured: values }) =>
        Object.entries(values).map(([metric, value]) => ({ metric, on: keyOf(on), value })),
    )
    measured.push({ metric: 'dcatApCompliance', on: iri, value: isCompliant })
    const score = scoreOf(measured, iri, some.map(keyOf), weights)
    if (!best || score.total > best.total) best = score
  }
  if (!best) throw new Error('every dataset has a score')
  return { dataset: iri, total: best.total, dimensions: best.dimensions }
}
