/** Takes back what the platform does to the names of a dataset, so that what went in and what came out can be compared. */

import type { Quad, Term } from '@rdfjs/types'
import type { Names } from '../../src/rdf/names.ts'
import { dcat, dct, rdf } from '../../src/rdf/namespaces.ts'
import { blankNode, namedNode, quad } from '../../src/rdf/terms.ts'

const key = (term: Term) => (term.termType === 'BlankNode' ? `_:${term.value}` : term.value)

/** Links of the dataset to its distributions, and everything typed as one. */
const distributionsIn = (quads: readonly Quad[]): Set<string> =>
  new Set([
    ...quads
      .filter((q) => q.predicate.value === dcat('distribution').value)
      .map((q) => key(q.object)),
    ...quads
      .filter(
        (q) =>
          q.predicate.value === rdf('type').value && q.object.value === dcat('Distribution').value,
      )
      .map((q) => key(q.subject)),
  ])

function renamed(quads: readonly Quad[], name: (term: Term) => Term | undefined): Quad[] {
  const change = <T extends Term>(term: T): T => (name(term) ?? term) as T
  return quads.map((q) => quad(change(q.subject), q.predicate, change(q.object)))
}

/**
 * Both graphs with the dataset as `urn:dataset` and its distributions as blank nodes; what came out without the catalogue
 * record and without the identifiers that the platform gave to distributions that had none.
 */
export function withoutAssignedNames(
  sent: readonly Quad[],
  back: readonly Quad[],
  names: Names,
): [Quad[], Quad[]] {
  const dataset =
    back.find((q) => names.idOf('dataset', q.subject.value) !== undefined)?.subject.value ?? ''
  const record = new Set(
    back
      .filter((q) => names.idOf('record', q.subject.value) !== undefined)
      .map((q) => q.subject.value),
  )
  const checksums = new Set(
    back
      .filter((q) => record.has(q.subject.value) && q.predicate.value.endsWith('#checksum'))
      .map((q) => key(q.object)),
  )
  const own = back.filter((q) => !record.has(key(q.subject)) && !checksums.has(key(q.subject)))

  const sentDistributions = distributionsIn(sent)
  const given = new Set([
    ...sentDistributions,
    ...sent.filter((q) => sentDistributions.has(key(q.subject))).map((q) => q.object.value),
  ])
  const identified = new Set(
    sent
      .filter(
        (q) =>
          q.predicate.value === dct('identifier').value && sentDistributions.has(key(q.subject)),
      )
      .map((q) => q.object.value),
  )
  const isAdded = (q: Quad) =>
    names.idOf('distribution', q.subject.value) !== undefined &&
    q.predicate.value === dct('identifier').value &&
    given.has(q.object.value) &&
    !identified.has(q.object.value)

  const roots = sent
    .filter(
      (q) => q.predicate.value === rdf('type').value && /#Dataset(Series)?$/.test(q.object.value),
    )
    .map((q) => key(q.subject))
  const pointed = new Set(sent.map((q) => key(q.object)))
  const root = roots.find((one) => !pointed.has(one)) ?? roots[0] ?? ''
  const blank = (which: Set<string>) => (term: Term) =>
    term.termType !== 'Literal' && which.has(key(term))
      ? blankNode(`d${[...which].indexOf(key(term))}`)
      : undefined
  const subject = (name: string) => (term: Term) =>
    term.termType !== 'Literal' && key(term) === name ? namedNode('urn:dataset') : undefined
  const fresh = new Set(
    own.map((q) => key(q.subject)).filter((iri) => names.idOf('distribution', iri) !== undefined),
  )
  const isSent = subject(root)
  const isBack = subject(dataset)
  const sentBlank = blank(sentDistributions)
  const backBlank = blank(fresh)
  return [
    renamed(sent, (term) => isSent(term) ?? sentBlank(term)),
    renamed(
      own.filter((q) => !isAdded(q)),
      (term) => isBack(term) ?? backBlank(term),
    ),
  ]
}
