/** What of a body is a resource of a declared type, so that no body can describe another resource of the platform. */

import type { Quad, Term } from '@rdfjs/types'
import type { Names } from '../../rdf/names.ts'
import { keyOf } from '../../rdf/read.ts'
import { classes } from '../content/classes.ts'
import { rootNode } from '../content/dataset-node.ts'
import { prune } from '../content/prune.ts'
import { blankAgain } from '../content/rename.ts'
import type { DeclaredType } from './declared-types.ts'

type WantedResource = {
  readonly type: DeclaredType
  readonly id: string
  readonly iri: string
}

/**
 * The one node of the type's class that nothing else points to; several: the platform IRI, then the id as `dct:identifier`,
 * then as IRI decides. Fails with `missing-class` or `ambiguous-subject`.
 */
export function resourceNode(quads: readonly Quad[], { type, id, iri }: WantedResource): Term {
  const kinds = classes(quads)
  const nodes = kinds.ofClass(type.typeUri)
  const frames = new Map(kinds.of('Catalog', 'CatalogRecord'))
  // A declared class may be one of these, and then they are no frames.
  for (const key of nodes.keys()) frames.delete(key)
  const wanted = { iri, originalId: id, class: `<${type.typeUri}>`, many: `<${type.typeUri}>` }
  return rootNode(quads, { nodes, frames }, wanted)
}

/** The body without catalogues, records and statements about other resources of the platform. */
export function resourceContent(
  body: readonly Quad[],
  node: Term,
  { names, iri }: { readonly names: Names; readonly iri: string },
): Quad[] {
  const self = keyOf(node)
  const quads = blankAgain(body, names, [self])
  const frames = classes(quads).of('Catalog', 'CatalogRecord')
  const isOther = ({ subject }: Quad) =>
    keyOf(subject) !== self && (frames.has(keyOf(subject)) || isForeign(names, subject, iri))
  return prune(quads, isOther)
}

/** Whether a node is the platform's and not below this resource, against which a body is resolved. */
const isForeign = (names: Names, node: Term, iri: string): boolean =>
  node.termType === 'NamedNode' && names.owns(node.value) && !node.value.startsWith(`${iri}#`)
