/** What datasets would reach if they were published as they are; their links are not asked, so nothing is counted for them. */

import type { Quad } from '@rdfjs/types'
import { dcat, rdf } from '../../rdf/namespaces.ts'
import { keyOf } from '../../rdf/read.ts'
import type { Dimension } from '../indicators.ts'
import { distributionsOf, type Payload } from '../pipe/payload.ts'
import { annotate } from './annotator-segment.ts'
import type { Values } from './measured-values.ts'
import { scoreOf } from './scoring-segment.ts'
import type { Weights } from './weights.ts'

type ExpectedScore = {
  /** IRI of the dataset. */
  readonly dataset: string
  /** Points without those of links. */
  readonly total: number
  readonly dimensions: Readonly<Record<Dimension, number>>
}

/** What the datasets of a body would reach, by whether it complies with DCAT-AP. */
export type ScoreExpectation = (
  record: readonly Quad[],
  isCompliant: boolean,
  signal: AbortSignal,
) => Promise<ExpectedScore[]>

/** Datasets of one body that are counted. */
const mostDatasets = 10
const [type, datasetClass] = [rdf('type').value, dcat('Dataset').value]

/** The first ten datasets that have an IRI. `isCompliant`: the body has no result of severity Violation. */
export function expectedScores(
  quads: readonly Quad[],
  given: { readonly isCompliant: boolean; readonly values: Values; readonly weights: Weights },
): ExpectedScore[] {
  const { isCompliant, values, weights } = given
  const datasets = quads.flatMap(({ subject, predicate, object }) =>
    subject.termType === 'NamedNode' && predicate.value === type && object.value === datasetClass
      ? subject.value
      : [],
  )
  return [...new Set(datasets)].slice(0, mostDatasets).map((dataset) => {
    const payload: Payload = {
      subject: { id: dataset, iri: dataset },
      dataset: quads,
      metrics: [],
      metricsGraph: '',
    }
    const measured = annotate(payload, values).flatMap(({ on, found }) =>
      Object.entries(found).map(([metric, value]) => ({ metric, on: keyOf(on), value })),
    )
    const compliance = { metric: 'dcatApCompliance', on: dataset, value: isCompliant }
    const distributions = distributionsOf(payload).map(keyOf)
    const all = [...measured, compliance]
    const { total, dimensions } = scoreOf(all, dataset, distributions, weights)
    return { dataset, total, dimensions }
  })
}
