/**
 * Guesses the body from which the graph of a dataset was stored, for `store-repair.ts`: each form renames the dataset and its
 * distributions to what their source may have called them. The form whose canonical hash equals the stored one is the body.
 */

import type { Quad, Quad_Object, Quad_Subject, Term } from '@rdfjs/types'
import { isIri } from '../rdf/iri.ts'
import type { Names } from '../rdf/names.ts'
import { dcat, dct, spdx } from '../rdf/namespaces.ts'
import { unskolemise } from '../rdf/skolem.ts'
import { blankNode, namedNode, quad } from '../rdf/terms.ts'

type Node = ReturnType<typeof namedNode> | ReturnType<typeof blankNode>

/** New names for nodes by IRI, and statements that were added when the graph was stored. */
type Renaming = {
  readonly nodes: ReadonlyMap<string, Node>
  readonly addedStatements: ReadonlySet<Quad>
}

/** Function that renames the nodes of a graph and drops statements that were added when it was stored. */
export type SentForm = (quads: readonly Quad[]) => Quad[]

const statementsWith = (quads: readonly Quad[], subject: string, ...predicates: readonly Term[]) =>
  quads.filter(
    (q) =>
      q.subject.value === subject && predicates.some(({ value }) => value === q.predicate.value),
  )

/** Returns the statements of a stored graph without those of its record. */
export function withoutRecord(graph: readonly Quad[], record: string): Quad[] {
  const checksums = statementsWith(graph, record, spdx('checksum')).map(
    ({ object }) => object.value,
  )
  const recordNodes = new Set([record, ...checksums])
  return graph.filter(({ subject }) => !recordNodes.has(subject.value))
}

/** Most names of the dataset that are tried. */
const maxRootNames = 6

/** Returns names that the dataset may have had: its IRI, a blank node; its original id, identifiers and pages that are IRIs. */
function rootNames(content: readonly Quad[], dataset: string, originalId: string): Node[] {
  const statements = statementsWith(content, dataset, dct('identifier'), dcat('landingPage'))
  const iris = [originalId, ...statements.map(({ object }) => object.value)].filter((iri) =>
    isIri(iri),
  )
  return [namedNode(dataset), blankNode('root'), ...[...new Set(iris)].map(namedNode)].slice(
    0,
    maxRootNames,
  )
}

/**
 * Renames distributions to their `dct:identifier` (`namesByIdentifier`, where it is an IRI) or to blank nodes. Identifiers that
 * may have been added when they were stored count as added, unless `keepsIdentifiers`.
 */
function distributionNames(
  content: readonly Quad[],
  names: Names,
  {
    namesByIdentifier: asIri,
    keepsIdentifiers: isKept,
  }: { readonly namesByIdentifier: boolean; readonly keepsIdentifiers: boolean },
): Renaming {
  const nodes = new Map<string, Node>()
  const addedStatements = new Set<Quad>()
  for (const { subject } of content) {
    const { value } = subject
    if (nodes.has(value) || names.idOf('distribution', value) === undefined) continue
    const [onlyIdentifier, ...others] = statementsWith(content, value, dct('identifier'))
    const key = others.length === 0 ? onlyIdentifier?.object.value : undefined
    const isName = asIri && key !== undefined && isIri(key)
    nodes.set(value, isName ? namedNode(key) : blankNode(`node${nodes.size}`))
    const keys = statementsWith(content, value, dct('title'), dcat('accessURL'))
    const isAdded = isName || keys.some(({ object }) => object.value === key)
    if (onlyIdentifier && key !== undefined && isAdded && !isKept)
      addedStatements.add(onlyIdentifier)
  }
  return { nodes, addedStatements }
}

/** Returns the forms to try; `content` is the stored graph without its record. */
export function sentForms(
  content: readonly Quad[],
  names: Names,
  { id, originalId }: { readonly id: string; readonly originalId: string },
): SentForm[] {
  const dataset = names.dataset(id)
  const withoutRenaming: Renaming = { nodes: new Map(), addedStatements: new Set() }
  const distributions = [
    distributionNames(content, names, { namesByIdentifier: true, keepsIdentifiers: false }),
    distributionNames(content, names, { namesByIdentifier: false, keepsIdentifiers: false }),
    distributionNames(content, names, { namesByIdentifier: false, keepsIdentifiers: true }),
    distributionNames(content, names, { namesByIdentifier: true, keepsIdentifiers: true }),
    withoutRenaming,
  ].slice(content.some(({ subject }) => names.idOf('distribution', subject.value)) ? 0 : -1)
  return rootNames(content, dataset, originalId).flatMap((root) =>
    distributions.map(({ nodes, addedStatements }): SentForm => {
      const renamedNodes = new Map([...nodes, [dataset, root] as const])
      const renamed = <T extends Quad_Subject | Quad_Object>(term: T): T | Node =>
        term.termType === 'NamedNode' ? (renamedNodes.get(term.value) ?? term) : term
      return (quads) =>
        unskolemise(
          quads
            .filter((q) => !addedStatements.has(q))
            .map((q) => quad(renamed(q.subject), q.predicate, renamed(q.object))),
          { prefix: names.genidPrefix },
        )
    }),
  )
}
