/** Forms in which the stored graph of a dataset may have been sent: nodes under the names that they had at their source. */

import type { Quad, Quad_Object, Quad_Subject, Term } from '@rdfjs/types'
import { isIri } from '../rdf/iri.ts'
import type { Names } from '../rdf/names.ts'
import { dcat, dct, spdx } from '../rdf/namespaces.ts'
import { unskolemise } from '../rdf/skolem.ts'
import { blankNode, namedNode, quad } from '../rdf/terms.ts'

type Node = ReturnType<typeof namedNode> | ReturnType<typeof blankNode>

/** New names for nodes by IRI, and statements that were added when the graph was stored. */
type Renaming = { readonly nodes: ReadonlyMap<string, Node>; readonly added: ReadonlySet<Quad> }

/** A graph with its nodes renamed. */
export type SentForm = (quads: readonly Quad[]) => Quad[]

const valuesOf = (quads: readonly Quad[], subject: string, ...predicates: readonly Term[]) =>
  quads.filter(
    (one) =>
      one.subject.value === subject &&
      predicates.some(({ value }) => value === one.predicate.value),
  )

/** Returns the statements of a stored graph without those of its record. */
export function withoutRecord(graph: readonly Quad[], record: string): Quad[] {
  const checksums = valuesOf(graph, record, spdx('checksum')).map(({ object }) => object.value)
  const bookkeeping = new Set([record, ...checksums])
  return graph.filter(({ subject }) => !bookkeeping.has(subject.value))
}

const maxRoots = 6

/** Returns names that the dataset may have had: its own, none, and addresses that it gives as identifier or page. */
function rootNames(content: readonly Quad[], dataset: string, originalId: string): Node[] {
  const said = valuesOf(content, dataset, dct('identifier'), dcat('landingPage'))
  const iris = [originalId, ...said.map(({ object }) => object.value)].filter((one) => isIri(one))
  return [namedNode(dataset), blankNode('root'), ...[...new Set(iris)].map(namedNode)].slice(
    0,
    maxRoots,
  )
}

/** Returns names that the distributions may have had; names and identifiers added when they were stored are undone where possible. */
function distributionNames(
  content: readonly Quad[],
  names: Names,
  { asIri, isKept }: { readonly asIri: boolean; readonly isKept: boolean },
): Renaming {
  const nodes = new Map<string, Node>()
  const added = new Set<Quad>()
  for (const { subject } of content) {
    const { value } = subject
    if (nodes.has(value) || names.idOf('distribution', value) === undefined) continue
    const [only, ...more] = valuesOf(content, value, dct('identifier'))
    const key = more.length === 0 ? only?.object.value : undefined
    const isName = asIri && key !== undefined && isIri(key)
    nodes.set(value, isName ? namedNode(key) : blankNode(`node${nodes.size}`))
    const keys = valuesOf(content, value, dct('title'), dcat('accessURL'))
    const isAdded = isName || keys.some(({ object }) => object.value === key)
    if (only && key !== undefined && isAdded && !isKept) added.add(only)
  }
  return { nodes, added }
}

/** Returns all forms worth trying; `content` has no record. */
export function sentForms(
  content: readonly Quad[],
  names: Names,
  { id, originalId }: { readonly id: string; readonly originalId: string },
): SentForm[] {
  const dataset = names.dataset(id)
  const unnamed: Renaming = { nodes: new Map(), added: new Set() }
  const distributions = [
    distributionNames(content, names, { asIri: true, isKept: false }),
    distributionNames(content, names, { asIri: false, isKept: false }),
    distributionNames(content, names, { asIri: false, isKept: true }),
    distributionNames(content, names, { asIri: true, isKept: true }),
    unnamed,
  ].slice(content.some(({ subject }) => names.idOf('distribution', subject.value)) ? 0 : -1)
  return rootNames(content, dataset, originalId).flatMap((root) =>
    distributions.map(({ nodes, added }): SentForm => {
      const all = new Map([...nodes, [dataset, root] as const])
      const named = <T extends Quad_Subject | Quad_Object>(term: T): T | Node =>
        term.termType === 'NamedNode' ? (all.get(term.value) ?? term) : term
      return (quads) =>
        unskolemise(
          quads
            .filter((one) => !added.has(one))
            .map((one) => quad(named(one.subject), one.predicate, named(one.object))),
          { prefix: names.genidPrefix },
        )
    }),
  )
}
