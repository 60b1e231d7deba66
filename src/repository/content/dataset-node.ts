/** Finds the one dataset that a body is about. */

import { keyOf } from '../../rdf/read.ts'
import type { Quad, Term } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { dct } from '../../rdf/namespaces.ts'
import { classes } from './classes.ts'

export type Wanted = { readonly iri: string; readonly originalId: string }

/**
 * The root dataset: typed `dcat:Dataset` or `dcat:DatasetSeries`, with no other subject pointing to it (links from catalogues
 * and records do not count). Several roots: the platform IRI, then the original id as `dct:identifier`, then as IRI decides.
 * Fails with `missing-class` or `ambiguous-subject`.
 */
export function datasetNode(quads: readonly Quad[], wanted: Wanted): Term {
  const kinds = classes(quads)
  const nodes = kinds.of('Dataset', 'DatasetSeries')
  const frames = kinds.of('Catalog', 'CatalogRecord')
  const words = { class: 'dcat:Dataset', many: 'datasets', instead }
  return rootNode(quads, { nodes, frames }, { ...wanted, ...words })
}

/** How many datasets of one body are written. */
const instead = 'or all together by a PUT to /catalogues/{catalogueId}/datasets/bulk'

/** What a body shall describe, and the words for it. */
type WantedClass = Wanted & {
  readonly class: string
  readonly many: string
  /** Another way than to send several one by one, if there is one. */
  readonly instead?: string
}

type Nodes = {
  /** Those of the class, by their keys. */
  readonly nodes: ReadonlyMap<string, Term>
  /** Those whose links do not count. */
  readonly frames: ReadonlyMap<string, Term>
}

/** The same choice among the nodes of any class. */
export function rootNode(
  quads: readonly Quad[],
  { nodes, frames }: Nodes,
  wanted: WantedClass,
): Term {
  if (nodes.size === 0) {
    throw new Failure('missing-class', `the body describes no ${wanted.class}`)
  }
  const pointedTo = new Set(
    quads
      .filter((q) => !frames.has(keyOf(q.subject)) && keyOf(q.subject) !== keyOf(q.object))
      .map((q) => keyOf(q.object)),
  )
  const roots = [...nodes].filter(([key]) => !pointedTo.has(key)).map(([, node]) => node)
  const candidates = roots.length > 0 ? roots : [...nodes.values()]
  const only = candidates.length === 1 ? candidates[0] : undefined
  return only ?? chosen(quads, candidates, wanted)
}

function chosen(quads: readonly Quad[], candidates: readonly Term[], wanted: WantedClass): Term {
  const identifier = dct('identifier').value
  const identified = new Set(
    quads
      .filter((q) => q.predicate.value === identifier && q.object.value === wanted.originalId)
      .map((q) => keyOf(q.subject)),
  )
  const found =
    candidates.find((node) => keyOf(node) === wanted.iri) ??
    candidates.find((node) => identified.has(keyOf(node))) ??
    candidates.find((node) => keyOf(node) === wanted.originalId)
  if (found) return found
  const names = candidates.map(keyOf).sort()
  const hint = wanted.instead === undefined ? '' : `, ${wanted.instead}`
  throw new Failure(
    'ambiguous-subject',
    `the body describes ${candidates.length} ${wanted.many} and none of them is named by the original id; send them one by one${hint}`,
    { errors: names.slice(0, 20).map((name) => ({ detail: name.slice(0, 200) })) },
  )
}
