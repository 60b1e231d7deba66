/** What of a dataset body is the dataset's own, so that no body can describe another resource of the platform. */

import { keyOf } from '../../rdf/read.ts'
import type { Quad, Term } from '@rdfjs/types'
import type { Names } from '../../rdf/names.ts'
import { dcat, dqv } from '../../rdf/namespaces.ts'
import { classes } from './classes.ts'
import { prune } from './prune.ts'
import { blankAgain } from './rename.ts'

const distribution = dcat('distribution').value
const metadata = dqv('QualityMetadata').value

/** All graphs of a body as one, but for graphs that hold quality metadata: metrics are written at their own address. */
export function mergedGraphs(quads: readonly Quad[]): readonly Quad[] {
  const metrics = new Set(
    quads
      .filter((q) => q.object.value === metadata && q.graph.termType !== 'DefaultGraph')
      .map((q) => q.graph.value),
  )
  return metrics.size === 0 ? quads : quads.filter((q) => !metrics.has(q.graph.value))
}

/**
 * The body without catalogues, records and statements about other resources of the platform. Distributions may keep platform
 * IRIs, also when only a sample link leads to them: each gets an IRI of this dataset afterwards, whatever it came with.
 */
export function ownContent(body: readonly Quad[], dataset: Term, names: Names): Quad[] {
  const own = ownNodes(body, keyOf(dataset))
  const quads = blankAgain(body, names, own)
  const frames = classes(quads).of('Catalog', 'CatalogRecord')
  const foreign = (node: Term) =>
    node.termType === 'NamedNode' && names.owns(node.value) && !own.has(node.value)
  return prune(quads, (q) => frames.has(keyOf(q.subject)) || foreign(q.subject))
}

/** Keys of the dataset and its distributions. */
function ownNodes(quads: readonly Quad[], self: string): ReadonlySet<string> {
  const own = new Set([self, ...classes(quads).of('Distribution').keys()])
  for (const q of quads) {
    if (keyOf(q.subject) === self && q.predicate.value === distribution) own.add(keyOf(q.object))
  }
  return own
}
