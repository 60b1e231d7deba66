/** Where a dataset says that its files are. */

import type { BlankNode, NamedNode, Quad, Term } from '@rdfjs/types'
import { dcat } from '../../rdf/namespaces.ts'
import { keyOf } from '../../rdf/read.ts'
import type { Payload } from '../pipe/payload.ts'

/** The metrics that are measured here, one value per URL. */
export const statusMetrics = ['accessUrlStatusCode', 'downloadUrlStatusCode'] as const

export type Place = {
  readonly metric: (typeof statusMetrics)[number]
  /** The distribution. */
  readonly on: NamedNode | BlankNode
  /** As it is written; absent for a blank node. */
  readonly url?: string
  /** An IRI: only these can be URLs. */
  readonly isIri: boolean
}

/** Every access and download URL of every distribution, once each; literals without text are none. */
export function placesOf({ subject, dataset }: Payload): readonly Place[] {
  const distributions = new Set<string>()
  const found: Quad[] = []
  for (const q of dataset) {
    if (q.predicate.value === distribution && keyOf(q.subject) === subject.iri) {
      distributions.add(nodeKey(q.object))
    } else if (metrics.has(q.predicate.value)) found.push(q)
  }
  const places = new Map<string, Place>()
  for (const { subject: on, predicate, object } of found) {
    const metric = metrics.get(predicate.value)
    if (!metric || !isNode(on) || !distributions.has(nodeKey(on))) continue
    if (object.termType === 'Literal' && object.value.trim() === '') continue
    const key = `${metric} ${nodeKey(on)} ${nodeKey(object)}`
    if (!places.has(key)) places.set(key, { metric, on, ...addressOf(object) })
  }
  return [...places.values()]
}

const distribution = dcat('distribution').value

const metrics: ReadonlyMap<string, Place['metric']> = new Map([
  [dcat('accessURL').value, 'accessUrlStatusCode'],
  [dcat('downloadURL').value, 'downloadUrlStatusCode'],
])

const nodeKey = (term: Term): string => `${term.termType} ${term.value}`

const isNode = (term: Term): term is NamedNode | BlankNode =>
  term.termType === 'NamedNode' || term.termType === 'BlankNode'

const addressOf = ({ termType, value }: Term): Pick<Place, 'url' | 'isIri'> => ({
  isIri: termType === 'NamedNode',
  ...(termType !== 'BlankNode' && { url: value }),
})
