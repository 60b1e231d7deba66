/** What of a catalogue body is the catalogue's own: its metadata, without links to datasets and their descriptions. */

import { keyOf } from '../../rdf/read.ts'
import type { Quad, Term } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { dcat, dct } from '../../rdf/namespaces.ts'
import type { Names } from '../../rdf/names.ts'
import { classes } from './classes.ts'
import { prune } from './prune.ts'
import { blankAgain } from './rename.ts'

const links = new Set([dcat('dataset').value, dcat('record').value])
const parts = new Set([dct('hasPart').value, dcat('catalog').value])

/**
 * The one root catalogue of a body; a sub catalogue that another one names by `dct:hasPart` or `dcat:catalog` does not count.
 * Fails with `missing-class` or `ambiguous-subject`.
 */
export function catalogueNode(quads: readonly Quad[], iri: string): Term {
  const all = classes(quads).of('Catalog')
  const sub = new Set(quads.filter((q) => parts.has(q.predicate.value)).map((q) => keyOf(q.object)))
  const roots = [...all].filter(([key]) => !sub.has(key)).map(([, node]) => node)
  const candidates = roots.length > 0 ? roots : [...all.values()]
  const found =
    candidates.length === 1 ? candidates[0] : candidates.find((node) => keyOf(node) === iri)
  if (found) return found
  if (candidates.length === 0)
    throw new Failure('missing-class', 'the body describes no dcat:Catalog')
  throw new Failure(
    'ambiguous-subject',
    `the body describes ${candidates.length} catalogues that are not part of each other`,
    {
      errors: candidates.slice(0, 20).map((node) => ({ detail: keyOf(node).slice(0, 200) })),
    },
  )
}

/** The body without links to datasets and records, their descriptions, and statements about the platform's other resources. */
export function catalogueContent(body: readonly Quad[], catalogue: Term, names: Names): Quad[] {
  const self = keyOf(catalogue)
  const quads = blankAgain(body, names, [self])
  const others = classes(quads).of('Dataset', 'DatasetSeries', 'Distribution', 'CatalogRecord')
  const foreign = (node: Term) =>
    node.termType === 'NamedNode' && names.owns(node.value) && node.value !== self
  return prune(
    quads,
    (q) =>
      // Of sub catalogues too: what they hold is told where they are put.
      links.has(q.predicate.value) || others.has(keyOf(q.subject)) || foreign(q.subject),
  )
}
