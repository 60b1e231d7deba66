/** What describes a distribution inside its dataset's graph, and what of that goes when the distribution goes. */

import type { Quad } from '@rdfjs/types'
import { hash } from 'node:crypto'
import { Failure } from '../../errors.ts'
import { canonicalise } from '../../rdf/canonical.ts'
import { toLines } from '../../rdf/lines.ts'
import type { Names } from '../../rdf/names.ts'
import { dcat } from '../../rdf/namespaces.ts'
import { closure, keyOf, type Graph } from '../../rdf/read.ts'
import { unskolemise } from '../../rdf/skolem.ts'

/** The IRIs of the distributions that a dataset links, ordered by code point. */
export function linkedDistributions(graph: Graph, dataset: string): string[] {
  const linked = graph.objects(dataset, dcat('distribution'))
  return [...new Set(linked.map((term) => term.value))].sort()
}

/**
 * The triples of the distribution and of every described node that it leads to: blank nodes, licences, formats. The walk ends
 * at other resources of the platform, so neither the dataset nor its other distributions come along.
 */
export function describe(graph: Graph, distribution: string, names: Names): Quad[] {
  const isOther = (iri: string) => names.owns(iri) && !iri.startsWith(names.genidPrefix)
  return closure(
    graph,
    distribution,
    ({ object }) => object.termType === 'NamedNode' && !isOther(object.value),
  )
}

/**
 * The hash of a description: the distribution's entity tag. It does not depend on the names that blank nodes have in the store,
 * except where a write was allowed more work than a read shall cost.
 */
export async function descriptionHash(
  description: readonly Quad[],
  { genidPrefix }: Names,
): Promise<string> {
  try {
    return (await canonicalise(unskolemise(description, { prefix: genidPrefix }))).hash
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'too-complex') throw error
    return hash('sha256', toLines(description), 'hex')
  }
}

/**
 * The graph without the distribution's own triples: of its description, all but the nodes that something outside refers to,
 * such as a licence that two distributions have, and what these lead to.
 */
export function withoutOwn(
  quads: readonly Quad[],
  distribution: string,
  description: readonly Quad[],
): Quad[] {
  const described = new Set(description.map((q) => keyOf(q.subject)))
  const kept = new Set<string>()
  for (const q of quads) {
    const object = keyOf(q.object)
    if (!described.has(keyOf(q.subject)) && described.has(object)) kept.add(object)
  }
  kept.delete(distribution)
  const about = Map.groupBy(description, (q) => keyOf(q.subject))
  // The set grows while it is walked.
  for (const node of kept) {
    for (const q of about.get(node) ?? []) {
      const object = keyOf(q.object)
      if (described.has(object) && object !== distribution) kept.add(object)
    }
  }
  return quads.filter(({ subject }) => {
    const node = keyOf(subject)
    return !described.has(node) || kept.has(node)
  })
}
