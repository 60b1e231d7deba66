/** Who publishes, made and answers for a dataset of uData. */
import { dcat, dct, prov } from '../../../../rdf/namespaces.ts'
import { agent, contact, type AgentFields } from '../../mapping/agents.ts'
import type { Subject } from '../../mapping/subject.ts'
import { fieldsOf, listOf, plainText, type Fields } from '../../../../vocabularies/loose-values.ts'

export function people(dataset: Subject, fields: Fields): void {
  const contacts = listOf(fields['contact_points']).map(fieldsOf)
  const publishers = contacts.filter(({ role }) => role === 'publisher')
  // There is one publisher at most.
  const [publisher, ...others] = publishers
  if (!publisher) agent(dataset, dct('publisher'), owner(fields))
  for (const one of contacts) if (!others.includes(one)) byRole(dataset, one)
}

function owner(fields: Fields): AgentFields {
  const { name, page, uri } = fieldsOf(fields['organization'])
  if (plainText(name) !== undefined) return { name, url: page, iri: uri }
  const { first_name: first, last_name: last, page: home } = fieldsOf(fields['owner'])
  const parts = [plainText(first), plainText(last)].filter((part) => part !== undefined)
  return { name: parts.join(' '), url: home, person: true }
}

const predicates = {
  creator: dct('creator'),
  publisher: dct('publisher'),
  rightsHolder: dct('rightsHolder'),
} as const

/** Roles of ISO 19115, which uData took over. */
const roles = new Set(
  'custodian distributor originator owner pointOfContact principalInvestigator processor resourceProvider user'.split(
    ' ',
  ),
)
const roleList = 'http://inspire.ec.europa.eu/metadata-codelist/ResponsiblePartyRole/'

function byRole(dataset: Subject, { name, email, contact_form: form, role }: Fields): void {
  if (role === 'contact' || role === undefined || role === null) {
    contact(dataset, dcat('contactPoint'), { name, email, url: form })
    return
  }
  const who = { name, email, url: form }
  if (role === 'creator' || role === 'publisher' || role === 'rightsHolder') {
    agent(dataset, predicates[role], who)
    return
  }
  const attribution = dataset.part(prov('qualifiedAttribution'), prov('Attribution'))
  if (!agent(attribution, prov('agent'), who)) return
  const code = plainText(role) ?? ''
  if (roles.has(code)) attribution.iri(dcat('hadRole'), `${roleList}${code}`)
  else attribution.lost(dcat('hadRole'), role)
}
