/** People and organisations behind a dataset, and how to reach them. */
import type { NamedNode } from '@rdfjs/types'
import { dct, foaf, rdf, vcard } from '../../rdf/namespaces.ts'
import { conceptIri } from '../../vocabularies/authorities.ts'
import type { Subject } from './subject.ts'
import { saidText } from '../../vocabularies/loose-values.ts'
import type { Fields } from '../../text/json.ts'

/** Every value as the source gives it. */
export type AgentFields = {
  /** Text, or texts by language. */
  readonly name: unknown
  readonly iri?: unknown
  readonly email?: unknown
  readonly url?: unknown
  /** A kind of publisher (ADMS): its IRI or label. */
  readonly type?: unknown
  readonly identifier?: unknown
  readonly person?: boolean
}

/** A `foaf:Organization` (or person); nothing when it has neither name nor IRI. */
export function agent(
  subject: Subject,
  predicate: NamedNode,
  fields: AgentFields,
): Subject | undefined {
  const { name, iri, email, url, type, identifier, person } = fields
  const isNamed = typeof name === 'object' ? name !== null : saidText(name) !== undefined
  if (!isNamed && saidText(iri) === undefined) return undefined
  const part = subject.part(predicate, undefined, saidText(iri))
  const kind = conceptIri('publisherType', type, subject.record.options.authorities)
  if (kind === undefined) part.lost(dct('type'), type)
  const said = [
    part.text(foaf('name'), name),
    part.reach(foaf('mbox'), email, 'mail'),
    part.link(foaf('homepage'), url),
    part.literal(dct('identifier'), identifier),
    part.iri(dct('type'), kind),
  ]
  if (said.includes(true)) part.add(rdf('type'), foaf(person === true ? 'Person' : 'Organization'))
  return part
}

type ContactFields = {
  readonly name?: unknown
  readonly iri?: unknown
  readonly email?: unknown
  readonly phone?: unknown
  /** A web form or page. */
  readonly url?: unknown
  readonly kind?: 'Organization' | 'Individual'
  readonly organization?: unknown
  /** Of the post that somebody holds. */
  readonly title?: unknown
  /** Named as in vCard: `street-address`, `locality`, `region`, `postal-code`, `country-name`. */
  readonly addresses?: readonly Fields[]
}

const addressParts = [
  'street-address',
  'locality',
  'region',
  'postal-code',
  'country-name',
] as const

/** A `dcat:contactPoint` or the like; nothing when the source says nothing of it. */
export function contact(subject: Subject, predicate: NamedNode, fields: ContactFields): boolean {
  const { name, iri, email, phone, url, kind = 'Kind' } = fields
  const names = [name, fields.organization, fields.title]
  const isSilent = [iri, email, phone, url].every((one) => saidText(one) === undefined)
  if (isSilent && !names.some(hasText)) return false
  const part = subject.part(predicate, vcard(kind), saidText(iri))
  for (const address of fields.addresses ?? []) {
    const place = part.part(vcard('hasAddress'), vcard('Address'))
    for (const each of addressParts) place.literal(vcard(each), address[each])
  }
  return [
    part.text(vcard('organization-name'), fields.organization),
    part.text(vcard('title'), fields.title),
    part.text(vcard('fn'), name),
    part.reach(vcard('hasEmail'), email, 'mail'),
    part.reach(vcard('hasTelephone'), phone, 'telephone'),
    part.link(vcard('hasURL'), url),
  ].includes(true)
}

const hasText = (name: unknown) =>
  typeof name === 'object' ? name !== null : saidText(name) !== undefined
