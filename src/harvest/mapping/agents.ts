/** People and organisations behind a dataset, and how to reach them. */

import type { NamedNode } from '@rdfjs/types'
import { dct, foaf, org, rdf, vcard } from '../../rdf/namespaces.ts'
import type { Fields } from '../../text/json.ts'
import { conceptIri } from '../../vocabularies/authorities.ts'
import { saidText } from '../../vocabularies/loose-values.ts'
import type { Subject } from './record.ts'

/** Every value as the source gives it. */
export type AgentFields = {
  /** Text, or texts by language. */
  readonly name?: unknown
  readonly iri?: unknown
  readonly email?: unknown
  readonly url?: unknown
  /** A kind of publisher (ADMS): its IRI or label. */
  readonly type?: unknown
  readonly identifier?: unknown
  readonly person?: boolean
  /** Organisations that it is a part of. */
  readonly parents?: readonly AgentFields[]
}

const isSaid = (value: unknown) =>
  typeof value === 'object' ? value !== null : saidText(value) !== undefined

/** Whether an agent can be written: it has a name or an IRI. */
export const isNamed = ({ name, iri }: AgentFields): boolean =>
  isSaid(name) || saidText(iri) !== undefined

/** A `foaf:Organization` (or person); nothing when it has neither name nor IRI. */
export function agent(
  subject: Subject,
  predicate: NamedNode,
  fields: AgentFields,
): Subject | undefined {
  const { name, iri, email, url, type, identifier, person, parents } = fields
  if (!isNamed(fields)) return undefined
  const part = subject.part(predicate, undefined, saidText(iri))
  const kind = conceptIri('publisherType', type, subject.record.options.authorities)
  if (kind === undefined) part.lost(dct('type'), type)
  const written = [
    part.text(foaf('name'), name),
    part.reach(foaf('mbox'), email, 'mail'),
    part.link(foaf('homepage'), url),
    part.literal(dct('identifier'), identifier),
    part.iri(dct('type'), kind),
  ]
  if (written.includes(true))
    part.add(rdf('type'), foaf(person === true ? 'Person' : 'Organization'))
  for (const parent of parents ?? []) agent(part, org('subOrganizationOf'), parent)
  return part
}

export type ContactFields = {
  readonly name?: unknown
  readonly iri?: unknown
  readonly email?: unknown
  readonly phone?: unknown
  /** A web form or page. */
  readonly url?: unknown
  readonly organization?: unknown
  /** Of the post that somebody holds. */
  readonly title?: unknown
  /** Named as in vCard: `street-address`, `locality`, `region`, `postal-code`, `country-name`. */
  readonly addresses?: readonly Fields[]
}

const addressParts = 'street-address locality region postal-code country-name'.split(' ')

/** Whether the source says anything of a contact. */
export const isContact = ({ iri, email, phone, url, ...names }: ContactFields): boolean =>
  [iri, email, phone, url].some((one) => saidText(one) !== undefined) ||
  [names.name, names.organization, names.title].some(isSaid)

/** A `dcat:contactPoint` or the like; nothing when the source says nothing of it. */
export function contact(subject: Subject, predicate: NamedNode, fields: ContactFields): void {
  if (!isContact(fields)) return
  const part = subject.part(predicate, vcard('Kind'), saidText(fields.iri))
  for (const address of fields.addresses ?? []) {
    const place = part.part(vcard('hasAddress'), vcard('Address'))
    for (const each of addressParts) place.literal(vcard(each), address[each])
  }
  part.text(vcard('organization-name'), fields.organization)
  part.text(vcard('title'), fields.title)
  part.text(vcard('fn'), fields.name)
  part.reach(vcard('hasEmail'), fields.email, 'mail')
  part.reach(vcard('hasTelephone'), fields.phone, 'telephone')
  part.link(vcard('hasURL'), fields.url)
}
