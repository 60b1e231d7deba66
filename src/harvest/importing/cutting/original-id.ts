/** The id that a dataset has at its origin, as its document tells it. */
import { fromLines, termText } from '../../../rdf/lines.ts'
import { dct } from '../../../rdf/namespaces.ts'
import { compareCodePoints } from '../../../text/code-points.ts'
import type { Place, Spool } from './spool.ts'

const identifier = ` ${termText(dct('identifier'))} `

/** Values of `dct:identifier` in N-Triples lines about one node, smallest code point first, literals before IRIs. */
export function identifiersIn(lines: string): string[] {
  if (!lines.includes(identifier)) return []
  const wanted = lines.split('\n').filter((line) => line.includes(identifier))
  const objects = fromLines(`${wanted.join('\n')}\n`)
    .filter((quad) => quad.predicate.equals(dct('identifier')))
    .map((quad) => quad.object)
  const values = (type: 'Literal' | 'NamedNode') =>
    objects
      .filter((term) => term.termType === type && term.value.trim() !== '')
      .map((term) => term.value)
      .sort(compareCodePoints)
  return [...values('Literal'), ...values('NamedNode')]
}

/** The IRI in an N-Triples term; `undefined` for a blank node. */
export const iriOf = (term: string): string | undefined =>
  term.startsWith('<') ? term.slice(1, -1) : undefined

// A platform like this one writes {base}set/record/{id} beside {base}set/data/{id}, whatever its base.
const recordPattern = /^(.+)set\/record\/([A-Za-z0-9_~-]+)$/
const isRecordOf = (record: string | undefined, dataset: string | undefined) => {
  const [, base, id] = recordPattern.exec(record ?? '') ?? []
  return id !== undefined && dataset === `${base}set/data/${id}`
}

/**
 * The original id of a dataset: what the record of a platform like this one says, so that an export comes home under
 * its old id; else its smallest `dct:identifier`; else its IRI. `undefined` for a blank node that has none of them.
 */
export function originalIdOf(spool: Spool, dataset: Place, own: string): string | undefined {
  const iri = iriOf(dataset.term)
  if (iri?.includes('set/data/') === true) {
    const recorded = spool
      .recordsOf(dataset.term)
      .filter((record) => isRecordOf(iriOf(record.term), iri))
      .flatMap((record) => identifiersIn(spool.describe(record)))
      .sort(compareCodePoints)
    if (recorded[0] !== undefined) return recorded[0]
  }
  return identifiersIn(own)[0] ?? iri
}
