/** The uData importer: the plain list of datasets, page by page, each as a dataset of DCAT-AP. */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import { adms, dcat, dcatap, dct, foaf, prov, skos } from '../../rdf/namespaces.ts'
import { namedNode } from '../../rdf/terms.ts'
import { conceptIri } from '../../vocabularies/authorities.ts'
import type { LicenceNames } from '../../vocabularies/licences.ts'
import { fieldsOf, listOf, plainText, saidText } from '../../vocabularies/loose-values.ts'
import type { Fields } from '../../text/json.ts'
import { agent, type AgentFields, contact } from '../mapping/agents.ts'
import { concepts } from '../mapping/concepts.ts'
import { period, place } from '../mapping/coverage.ts'
import { distribution, standards } from '../mapping/distribution.ts'
import { mappingKeys } from '../mapping/record-options.ts'
import type { MappedRecord } from '../mapping/record.ts'
import type { Subject } from '../mapping/subject.ts'
import { countOf, type Entry, envelopeFailure, foundEntry, lasting } from './entry.ts'
import type { Found } from './found.ts'
import type { ImporterKind, ImportRun } from './importer.ts'
import { addressWith, licenceList, type Portal, portalOf, recordIn, rootOf } from './portal.ts'

/** What the config of a uData importer may say beside the common keys. */
const udataConfig = z.object({
  ...mappingKeys,
  /** Records per page. */
  pageSize: z.int().min(1).max(1000).default(100),
  /** Leave out what the portal harvested from this host. */
  skipHarvested: z.boolean().default(true),
})
type UdataConfig = z.infer<typeof udataConfig>

/** `ownHost`: the host under which this portal is known, so that nothing is harvested in a circle. */
export const udataImporter = (ownHost?: string): ImporterKind<UdataConfig> => ({
  names: ['importing-udata'],
  version: 2,
  config: udataConfig,
  import: (run) => importUdata(run, run.config.skipHarvested ? ownHost : undefined),
})

async function* importUdata(
  run: ImportRun<UdataConfig>,
  ownHost: string | undefined,
): AsyncGenerator<Found, void> {
  const { config, source, output } = run
  const root = rootOf(config.address, /\/api(?:\/.*)?$/)
  const licences = licenceList(namesLicence, async () => {
    const url = `${root}/api/1/datasets/licenses/`
    const { value, status } = await source.json(url, { accepts: [400, 404, 405], paged: false })
    return status < 400 ? value : []
  })
  const portal = await portalOf(run, root, licences.find)
  const headers: Record<string, string> = output === 'source' ? {} : { 'X-Fields': fieldMask }
  let total: number | undefined
  for (let page = 1; ; page += 1) {
    // Pages are counted: the links of portals behind a proxy lead to its inner name.
    const query = { page, page_size: config.pageSize, sort: 'created', ...config.filters }
    const url = addressWith(`${root}/api/1/datasets/`, query)
    // A page behind the end is not there; whether that is the end is for the total to say.
    const accepts = page > 1 && total !== undefined ? [404] : []
    const answer = await source.json(url, { headers, accepts })
    if (answer.status === 404) return
    const { data, total: told, next_page: next } = fieldsOf(answer.value)
    if (!Array.isArray(data)) throw envelopeFailure(answer.value, answer.url)
    total = countOf(told)
    if (total !== undefined) yield { kind: 'total', total }
    await licences.learn(data)
    const read = (fields: Fields) => entryOf(fields, portal, ownHost)
    for (const value of data) yield foundEntry(value, { output, read })
    yield { kind: 'page' }
    if (next === null || next === undefined || data.length === 0) break
  }
  if (total === undefined)
    yield { kind: 'end', as: 'incomplete', problem: new Failure('total-mismatch', uncounted) }
}

const namesLicence = (dataset: unknown) => plainText(fieldsOf(dataset)['license']) !== undefined

const uncounted = 'The portal does not tell how many datasets it has.'

/** Datasets with thousands of resources are megabytes: only what the mapping reads. */
const fieldMask =
  'data{id,slug,title,acronym,description,tags,badges,created_at,last_modified,frequency,license,' +
  'organization{name,page,uri,class},owner{first_name,last_name,page},' +
  'contact_points{name,email,contact_form,role},spatial{geom,zones,granularity},temporal_coverage{start,end},' +
  'page,access_type,archived,deleted,private,harvest{domain,uri,dct_identifier,remote_id},' +
  'resources{id,title,description,created_at,last_modified,filesize,mime,format,checksum{type,value},url,latest,' +
  'schema{name,version,url},type}},page,page_size,total,next_page'

function entryOf(fields: Fields, portal: Portal, ownHost: string | undefined): Entry {
  const id = plainText(fields['id']) ?? ''
  const slug = plainText(fields['slug'])
  return {
    sourceId: id,
    aliases: slug === undefined ? [] : [slug],
    sourceUrl: `${portal.root}/api/1/datasets/${encodeURIComponent(id)}/`,
    skipped: reasonToSkip(fields, ownHost),
    lasting: lasting(fields, ['metrics', 'quality', 'internal']),
    map: () => mappedDataset(fields, portal),
  }
}

function reasonToSkip(fields: Fields, ownHost: string | undefined): string | undefined {
  if (fields['private'] === true) return 'private'
  for (const state of ['archived', 'deleted'])
    if (typeof fields[state] === 'string' || fields[state] === true) return state
  const domain = plainText(fieldsOf(fields['harvest'])['domain'])
  const isOwn = ownHost !== undefined && domain?.toLowerCase() === ownHost.toLowerCase()
  return isOwn ? 'harvested from here' : undefined
}

/** Deterministic; whatever the fields hold. */
export function mappedDataset(fields: Fields, portal: Portal): MappedRecord {
  const id = plainText(fields['id']) ?? ''
  const page = `${portal.root}/datasets/${encodeURIComponent(id)}/`
  const record = recordIn(portal, page)
  const { dataset } = record
  naming(dataset, fields, id)
  people(dataset, fields)
  dataset.date(dct('issued'), fields['created_at'])
  dataset.date(dct('modified'), fields['last_modified'])
  concepts(dataset, dct('accrualPeriodicity'), 'frequency', fields['frequency'])
  access(dataset, fields['access_type'])
  if (!dataset.link(dcat('landingPage'), fields['page'])) dataset.link(dcat('landingPage'), page)
  // A shape, and the zones that it is made of: names when the portal gives them, else their ids.
  const { geom: geometry, zones } = fieldsOf(fields['spatial'])
  place(dataset, { geometry })
  for (const zone of listOf(zones)) {
    const { name, uri: iri, id: zoneId } = fieldsOf(zone)
    place(dataset, { iri, label: name ?? zoneId ?? plainText(zone) })
  }
  period(dataset, fieldsOf(fields['temporal_coverage']))
  const licence = plainText(fields['license'])
  const known = licence === undefined ? undefined : portal.licence(licence)
  for (const one of listOf(fields['resources']))
    resource(dataset, fieldsOf(one), { id: licence, ...known })
  return record
}

/** The regulation on high-value datasets (EU 2023/138). */
const highValue = namedNode('http://data.europa.eu/eli/reg_impl/2023/138/oj')

function naming(dataset: Subject, fields: Fields, id: string): void {
  dataset.text(dct('title'), fields['title'])
  dataset.text(skos('altLabel'), fields['acronym'])
  dataset.text(dct('description'), fields['description'])
  dataset.literal(dct('identifier'), id)
  dataset.text(dcat('keyword'), listOf(fields['tags']))
  const { dct_identifier: identifier, uri, remote_id: remote } = fieldsOf(fields['harvest'])
  for (const text of new Set([identifier, uri, remote].map(saidText)))
    if (text !== undefined)
      dataset.part(adms('identifier'), adms('Identifier')).literal(skos('notation'), text)
  const badges = listOf(fields['badges']).map((badge) => fieldsOf(badge)['kind'])
  if (badges.includes('hvd')) dataset.add(dcatap('applicableLegislation'), highValue)
}

const accessTypes = new Map([
  ['open', 'PUBLIC'],
  ['open_with_account', 'PUBLIC'],
  ['restricted', 'NON_PUBLIC'],
])

function access(dataset: Subject, value: unknown): void {
  const code = accessTypes.get(plainText(value) ?? '')
  if (code === undefined) dataset.lost(dct('accessRights'), value)
  const { authorities } = dataset.record.options
  dataset.iri(dct('accessRights'), conceptIri('accessRight', code, authorities))
}

/** Who publishes, made and answers for a dataset of uData. */
function people(dataset: Subject, fields: Fields): void {
  const contacts = listOf(fields['contact_points']).map(fieldsOf)
  // There is one publisher at most.
  const [publisher, ...others] = contacts.filter(({ role }) => role === 'publisher')
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

/** Roles of ISO 19115, which uData took over. */
const isoRoles =
  'custodian distributor originator owner pointOfContact principalInvestigator processor resourceProvider user'.split(
    ' ',
  )
const roleList = 'http://inspire.ec.europa.eu/metadata-codelist/ResponsiblePartyRole/'

function byRole(dataset: Subject, { name, email, contact_form: url, role }: Fields): void {
  const who = { name, email, url }
  if (role === 'contact' || role === undefined || role === null) {
    contact(dataset, dcat('contactPoint'), who)
    return
  }
  if (role === 'creator' || role === 'publisher' || role === 'rightsHolder') {
    agent(dataset, dct(role), who)
    return
  }
  const attribution = dataset.part(prov('qualifiedAttribution'), prov('Attribution'))
  if (!agent(attribution, prov('agent'), who)) return
  const code = plainText(role) ?? ''
  if (isoRoles.includes(code)) attribution.iri(dcat('hadRole'), `${roleList}${code}`)
  else attribution.lost(dcat('hadRole'), role)
}

/** Files and services are distributions, the others are pages about the dataset. */
function resource(dataset: Subject, fields: Fields, licence: LicenceNames): void {
  const { url, latest, title } = fields
  const type = plainText(fields['type'])
  if (type === 'documentation' || type === 'code') {
    dataset.link(foaf('page'), url ?? latest)
    return
  }
  const id = saidText(fields['id'])
  const { type: algorithm, value } = fieldsOf(fields['checksum'])
  // The permanent link is where to get a file; its address changes with every upload.
  const file = {
    accessUrl: latest ?? url,
    downloadUrl: url,
    size: fields['filesize'],
    checksum: { value, algorithm },
  }
  const part = distribution(dataset, {
    iri: dataset.below('#/resources/', id),
    identifier: id,
    title,
    description: fields['description'],
    format: fields['format'],
    mediaType: fields['mime'],
    issued: fields['created_at'],
    modified: fields['last_modified'],
    licences: [licence],
    ...(type === 'api' ? { accessUrl: url } : file),
  })
  const { url: schema, name } = fieldsOf(fields['schema'])
  if (part) standards(part, schema ?? name ?? plainText(fields['schema']))
  if (!part || type !== 'api') return
  const service = part.part(dcat('accessService'), dcat('DataService'))
  if (service.link(dcat('endpointURL'), url)) service.text(dct('title'), title)
}
