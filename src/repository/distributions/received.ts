/** A distribution out of a body: one node under the platform's IRI, with what it leads to and nothing else. */

import type { Quad, Term } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import type { Names } from '../../rdf/names.ts'
import { closure, graphOf, keyOf } from '../../rdf/read.ts'
import { blankNode } from '../../rdf/terms.ts'
import { classes } from '../content/classes.ts'
import { mergedGraphs } from '../content/dataset-content.ts'
import { distributionKeys, type DistributionKeys } from '../content/distribution-keys.ts'
import { prune } from '../content/prune.ts'
import { blankAgain, rename } from '../content/rename.ts'

export type Received = {
  /** The description with the distribution under its platform IRI; blank nodes are still blank. */
  readonly quads: readonly Quad[]
  /** The keys under which it came. */
  readonly keys: DistributionKeys
}

/** The platform's IRIs of a distribution and of the dataset that it is in. */
type Place = { readonly iri: string; readonly dataset: string }

/**
 * Takes the one `dcat:Distribution` out of a body that was parsed with the platform's `iri` as base. Of several the one with
 * that IRI counts. Fails with `missing-class` or `ambiguous-subject`.
 */
export function received(body: readonly Quad[], { iri, dataset }: Place, names: Names): Received {
  const merged = mergedGraphs(body)
  const node = distributionNode(classes(merged).of('Distribution'), iri)
  // Blank nodes that came with the dataset have names below it.
  const quads = blankAgain(merged, names, [iri, keyOf(node), dataset])
  const kinds = classes(quads)
  const others = kinds.of('Dataset', 'DatasetSeries', 'Catalog', 'CatalogRecord', 'Distribution')
  const self = keyOf(node)
  const isOther = (key: string) => key !== self && (others.has(key) || names.owns(key))
  const own = prune(quads, (q) => isOther(keyOf(q.subject)))
  const description = closure(graphOf(own), node, ({ object }) => object.termType === 'NamedNode')
  const [keys] = distributionKeys(description, new Map([[self, node]]))
  if (!keys) throw new Error('a node has keys')
  return {
    quads: rename(description, new Map([[self, iri]])),
    // What the body calls <> has no name of its own to be known by.
    keys: self === iri ? { ...keys, node: blankNode() } : keys,
  }
}

function distributionNode(found: ReadonlyMap<string, Term>, iri: string): Term {
  const nodes = [...found.values()]
  const node = found.get(iri) ?? (nodes.length === 1 ? nodes[0] : undefined)
  if (node) return node
  if (nodes.length === 0) {
    throw new Failure('missing-class', 'the body describes no dcat:Distribution')
  }
  const detail = `the body describes ${nodes.length} distributions; send them one by one`
  throw new Failure('ambiguous-subject', detail, {
    errors: nodes.slice(0, 20).map((one) => ({ detail: keyOf(one).slice(0, 200) })),
  })
}
