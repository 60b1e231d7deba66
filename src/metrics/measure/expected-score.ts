/**
 * Scores that datasets in a validation request would reach if they were published. Their links are not checked, and give no
 * points for working.
 */

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
/** Schema of an expected score: `dataset` is an IRI, `total` has no points for links that work. */
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
const maxDatasets = 10

/** Distributions of a dataset that are measured in one turn of the event loop. */
const perTurn = 200

type ScoringInput = {
  readonly isCompliant: boolean
  readonly values: ValueTests
  readonly weights: Weights
}

/** Scores the first `maxDatasets` datasets of a record that have an IRI; `dataset` has its triples. */
export async function expectedScores(
  dataset: readonly Quad[],
  input: ScoringInput,
): Promise<z.infer<typeof expectedScore>[]> {
  const datasets = new NodeKinds(dataset).datasets()
  const iris = instances(graphOf(dataset), dcat('Dataset')).filter(
    (key) => !key.startsWith('_:') && datasets.has(key),
  )
  const scores: z.infer<typeof expectedScore>[] = []
  for (const iri of iris.slice(0, maxDatasets)) {
    await nextTurn()
    scores.push(await expectedScoreOf(iri, dataset, input))
  }
  return scores
}

/** Scores a dataset with the best of its distributions, in several turns of the event loop: there may be thousands. */
async function expectedScoreOf(
  iri: string,
  dataset: readonly Quad[],
  { isCompliant, values, weights }: ScoringInput,
): Promise<z.infer<typeof expectedScore>> {
  const payload = { subject: { id: iri, iri }, dataset }
  const graph = graphOf(dataset)
  // The first of those with the same points counts.
  const distributions = distributionsOf(payload).toSorted((a, b) =>
    compareCodePoints(keyOf(a), keyOf(b)),
  )
  let best: ReturnType<typeof scoreOf> | undefined
  for (let offset = 0; offset < Math.max(1, distributions.length); offset += perTurn) {
    if (offset > 0) await nextTurn()
    const page = distributions.slice(offset, offset + perTurn)
    const measured = measureIndicators(payload, values, { graph, distributions: page }).flatMap(
      ({ target, results }) =>
        Object.entries(results).map(([metric, value]) => ({
          metric,
          target: keyOf(target),
          value,
        })),
    )
    measured.push({ metric: 'dcatApCompliance', target: iri, value: isCompliant })
    const score = scoreOf(measured, iri, page.map(keyOf), weights)
    if (!best || score.total > best.total) best = score
  }
  if (!best) throw new Error('every dataset has a score')
  return { dataset: iri, total: best.total, dimensions: best.dimensions }
}
