/** A dataset that is measured, and its metrics as far as they are known. */

import type { Quad } from '@rdfjs/types'

/** The dataset that is measured. */
export type Subject = {
  /** Platform id. */
  readonly id: string
  readonly iri: string
  /** Id of its catalogue. */
  readonly catalogue?: string
  /** `dct:type` of the catalogue, such as `dcat-ap`. */
  readonly source?: string
}

export type Payload = {
  readonly subject: Subject
  /** As the repository returns it, with blank nodes; all in the default graph. */
  readonly dataset: readonly Quad[]
  /** What the metrics graph holds, in the default graph here. Its `dqv:QualityMetadata`, if any, is `metricsNode`. */
  readonly metrics: readonly Quad[]
  /** Name of that graph in the text of the message: `urn:{context}:{pipe}`. */
  readonly metricsGraph: string
  /** The dataset as N-Triples, where that is at hand. */
  readonly lines?: string
}
