/** A dataset of uData as a dataset of DCAT-AP. */

import { adms, dcat, dcatap, dct, foaf, prov, skos } from '../../rdf/namespaces.ts'
import { namedNode } from '../../rdf/terms.ts'
import { type Authorities, conceptIri } from '../../vocabularies/authorities.ts'
import type { LicenceNames } from '../../vocabularies/licences.ts'
import {
  type Fields,
  fieldsOf,
  listOf,
  plainText,
  saidText,
} from '../../vocabularies/loose-values.ts'
import { agent, type AgentFields, contact } from '../mapping/agents.ts'
import { concepts } from '../mapping/concepts.ts'
import { MappedRecord } from '../mapping/record.ts'
import type { MappingConfig } from '../mapping/record-options.ts'
import { period, place } from '../mapping/coverage.ts'
import { distribution, standards } from '../mapping/distribution.ts'
import type { Subject } from '../mapping/subject.ts'

import type { ImportConfig } from './import-config.ts'

/** What is the same for all datasets of a run. */
export type UdataSite = {
  readonly root: string
  readonly config: ImportConfig & MappingConfig & { readonly skipHarvested: boolean }
  readonly authorities: Authorities
  readonly licence: (id: string) => LicenceNames | undefined
}

/** The regulation on high-value datasets (EU 2023/138). */
const highValue = namedNode('http://data.europa.eu/eli/reg_impl/2023/138/oj')

/** Deterministic; whatever the fields hold. */
export function mappedDataset(fields: Fields, site: UdataSite): MappedRecord {
  const { root, config, authorities, licence } = site
  const { language, timezone, dateOrder } = config
  const id = plainText(fields['id']) ?? ''
  const record = new MappedRecord({
    authorities,
    fallbackIri: `${root}/datasets/${encodeURIComponent(id)}/`,
    base: `${root}/`,
    language,
    timezone,
    dateOrder,
  })
  const { dataset } = record
  naming(dataset, fields, id)
  people(dataset, fields)
  dataset.date(dct('issued'), fields['created_at'])
  dataset.date(dct('modified'), fields['last_modified'])
  concepts(dataset, dct('accrualPeriodicity'), 'frequency', fields['frequency'])
  access(dataset, fields['access_type'])
  if (!dataset.link(dcat('landingPage'), fields['page']))
    dataset.link(dcat('landingPage'), `${root}/datasets/${encodeURIComponent(id)}/`)
  spatial(dataset, fieldsOf(fields['spatial']))
  const { start, end } = fieldsOf(fields['temporal_coverage'])
  period(dataset, { start, end })
  const named = plainText(fields['license'])
  const known = named === undefined ? undefined : licence(named)
  resources(dataset, listOf(fields['resources']), { id: named, ...known })
  return record
}

function naming(dataset: Subject, fields: Fields, id: string): void {
  dataset.text(dct('title'), fields['title'])
  dataset.text(skos('altLabel'), fields['acronym'])
  dataset.text(dct('description'), fields['description'])
  dataset.literal(dct('identifier'), id)
  dataset.text(dcat('keyword'), listOf(fields['tags']))
  const { dct_identifier: identifier, uri, remote_id: remote } = fieldsOf(fields['harvest'])
  const others = [identifier, uri, remote].map(saidText).filter((text) => text !== undefined)
  for (const text of new Set(others))
    dataset.part(adms('identifier'), adms('Identifier')).literal(skos('notation'), text)
  const badges = listOf(fields['badges']).map((badge) => fieldsOf(badge)['kind'])
  if (badges.includes('hvd')) dataset.add(dcatap('applicableLegislation'), highValue)
}

const accessTypes: Readonly<Record<string, string>> = {
  open: 'PUBLIC',
  open_with_account: 'PUBLIC',
  restricted: 'NON_PUBLIC',
}

function access(dataset: Subject, value: unknown): void {
  const type = plainText(value) ?? ''
  const code = Object.hasOwn(accessTypes, type) ? accessTypes[type] : undefined
  if (code === undefined) dataset.lost(dct('accessRights'), value)
  const { authorities } = dataset.record.options
  dataset.iri(dct('accessRights'), conceptIri('accessRight', code, authorities))
}

/** A shape, and the zones that it is made of: names when the portal gives them, else their ids. */
function spatial(dataset: Subject, { geom, zones }: Fields): void {
  place(dataset, { geometry: geom })
  for (const zone of listOf(zones)) {
    const { name, uri, id } = fieldsOf(zone)
    place(dataset, { iri: uri, label: name ?? id ?? plainText(zone) })
  }
}

// Who publishes, made and answers for a dataset of uData.

function people(dataset: Subject, fields: Fields): void {
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
const isoRoles = new Set(
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
  if (isoRoles.has(code)) attribution.iri(dcat('hadRole'), `${roleList}${code}`)
  else attribution.lost(dcat('hadRole'), role)
}

// The resources of uData: files and services as distributions, the others as pages about the dataset.

/** Kinds of resources that are about the data. */
const about = new Set(['documentation', 'code'])

function resources(dataset: Subject, values: readonly unknown[], licence: LicenceNames): void {
  for (const value of values) {
    const resource = fieldsOf(value)
    const type = plainText(resource['type'])
    if (type !== undefined && about.has(type))
      dataset.link(foaf('page'), resource['url'] ?? resource['latest'])
    else if (type === 'api') service(dataset, resource, licence)
    else file(dataset, resource, licence)
  }
}

/** The permanent link is where to get it; the address of the file changes with every upload. */
function file(dataset: Subject, resource: Fields, licence: LicenceNames): void {
  const { url, latest } = resource
  const part = distribution(dataset, {
    ...described(dataset, resource, licence),
    accessUrl: latest ?? url,
    downloadUrl: url,
    size: resource['filesize'],
    checksum: checksumOf(resource['checksum']),
  })
  if (part) schema(part, resource['schema'])
}

function service(dataset: Subject, resource: Fields, licence: LicenceNames): void {
  const { url, title } = resource
  const part = distribution(dataset, { ...described(dataset, resource, licence), accessUrl: url })
  if (!part) return
  schema(part, resource['schema'])
  const access = part.part(dcat('accessService'), dcat('DataService'))
  if (access.link(dcat('endpointURL'), url)) access.text(dct('title'), title)
}

function described(dataset: Subject, resource: Fields, licence: LicenceNames) {
  const id = saidText(resource['id'])
  const of = dataset.term.termType === 'NamedNode' ? dataset.term.value : ''
  return {
    iri: id === undefined ? undefined : `${of}#/resources/${encodeURIComponent(id)}`,
    identifier: id,
    title: resource['title'],
    description: resource['description'],
    format: resource['format'],
    mediaType: resource['mime'],
    issued: resource['created_at'],
    modified: resource['last_modified'],
    licences: [licence],
  }
}

function checksumOf(value: unknown) {
  const { type, value: sum } = fieldsOf(value)
  return { value: sum, algorithm: type }
}

function schema(part: Subject, value: unknown): void {
  const { url, name } = fieldsOf(value)
  standards(part, url ?? name ?? plainText(value))
}
