/** What datasets would reach if they were published as they are; their links are not asked, so nothing is counted for them. */

import { z } from '@hono/zod-openapi'
import type { Quad } from '@rdfjs/types'
import { dcat } from '../../rdf/namespaces.ts'
import { NodeKinds } from '../../rdf/node-kinds.ts'
import { graphOf, instances, keyOf } from '../../rdf/read.ts'
import { byDimension } from '../indicators.ts'
import { distributionsOf } from '../pipe/payload.ts'
import { annotate } from './annotator-segment.ts'
import type { Values } from './measured-values.ts'
import { scoreOf } from './scoring-segment.ts'
import type { Weights } from './weights.ts'

const points = z.number().int()
/** `dataset` is an IRI, `total` without the points of links. */
export const expectedScore = z.object({
  dataset: z.string(),
  total: points,
  dimensions: z.object(byDimension(() => points)),
})

/** What the datasets of a body would reach, by whether it complies with DCAT-AP. */
export type ScoreExpectation = (
  record: readonly Quad[],
  isCompliant: boolean,
  signal: AbortSignal,
) => Promise<z.infer<typeof expectedScore>[]>

/** Datasets of one body that are counted. */
const mostDatasets = 10

/** The first ten datasets that have an IRI. `isCompliant`: the body has no result of severity Violation. */
export function expectedScores(
  dataset: readonly Quad[],
  given: { readonly isCompliant: boolean; readonly values: Values; readonly weights: Weights },
): z.infer<typeof expectedScore>[] {
  const datasets = new NodeKinds(dataset).datasets()
  const named = instances(graphOf(dataset), dcat('Dataset')).filter(
    (key) => !key.startsWith('_:') && datasets.has(key),
  )
  return named.slice(0, mostDatasets).map((iri) => {
    const described = { subject: { id: iri, iri }, dataset }
    const measured = annotate(described, given.values).flatMap(({ on, found }) =>
      Object.entries(found).map(([metric, value]) => ({ metric, on: keyOf(on), value })),
    )
    measured.push({ metric: 'dcatApCompliance', on: iri, value: given.isCompliant })
    const distributions = distributionsOf(described).map(keyOf)
    const { total, dimensions } = scoreOf(measured, iri, distributions, given.weights)
    return { dataset: iri, total, dimensions }
  })
}
