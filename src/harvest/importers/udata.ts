/** The uData importer: the plain list of datasets, page by page, each as a dataset of DCAT-AP. */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import { namedNode } from '../../rdf/terms.ts'
import { dcat, dcatap } from '../../rdf/namespaces.ts'
import type { Fields } from '../../text/json.ts'
import { conceptIri } from '../../vocabularies/authorities.ts'
import type { LicenceNames } from '../../vocabularies/licences.ts'
import { fieldsOf, listOf, plainText, saidText } from '../../vocabularies/loose-values.ts'
import type { AgentFields } from '../mapping/agents.ts'
import { distribution } from '../mapping/distribution.ts'
import { type PropertyValues, write } from '../mapping/properties.ts'
import { type MappedRecord, mappingKeys, type Subject } from '../mapping/record.ts'
import type { ImportEvent } from './reception.ts'
import type { ImporterKind, ImportRun } from './importer.ts'
import {
  addressWith,
  countOf,
  type PortalEntry,
  envelopeFailure,
  lasting,
  licenceList,
  listPages,
  type Portal,
  portalOf,
  recordIn,
  siteRoot,
} from './portal.ts'

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

/** Datasets with thousands of resources are megabytes: only what the mapping reads. */
const fieldMask =
  'data{id,slug,title,acronym,description,tags,badges,created_at,last_modified,frequency,license,' +
  'organization{name,page,uri,class},owner{first_name,last_name,page},' +
  'contact_points{name,email,contact_form,role},spatial{geom,zones,granularity},temporal_coverage{start,end},' +
  'page,access_type,archived,deleted,private,harvest{domain,uri,dct_identifier,remote_id},' +
  'resources{id,title,description,created_at,last_modified,filesize,mime,format,checksum{type,value},url,latest,' +
  'schema{name,version,url},type}},page,page_size,total,next_page'

async function* importUdata(
  run: ImportRun<UdataConfig>,
  ownHost: string | undefined,
): AsyncGenerator<ImportEvent, void> {
  const { config, source, output } = run
  const root = siteRoot(config.address, /\/api(?:\/.*)?$/)
  const namesLicence = (one: unknown) => plainText(fieldsOf(one)['license']) !== undefined
  const licences = licenceList(namesLicence, async () => {
    const url = `${root}/api/1/datasets/licenses/`
    const { value, status } = await source.json(url, { accepts: [400, 404, 405], paged: false })
    return status < 400 ? value : []
  })
  const portal = { ...(await portalOf(run, root)), licence: licences.find }
  const headers: Record<string, string> = output === 'source' ? {} : { 'X-Fields': fieldMask }
  let total: number | undefined
  const ask = async ({ page }: { readonly page: number }) => {
    // Pages are counted: the links of portals behind a proxy lead to its inner name.
    const query = { page, page_size: config.pageSize, sort: 'created', ...config.filters }
    const url = addressWith(`${root}/api/1/datasets/`, query)
    // A page after the last one is not there; whether that is the end is for the total to say.
    const accepts = page > 1 && total !== undefined ? [404] : []
    const answer = await source.json(url, { headers, accepts })
    if (answer.status === 404) return { entries: [], pointer: '', isLast: true }
    const { data, total: declared, next_page: next } = fieldsOf(answer.value)
    if (!Array.isArray(data)) throw envelopeFailure(answer.value, answer.url)
    total = countOf(declared)
    await licences.learn(data)
    const entries: readonly unknown[] = data
    const isLast = next === null || next === undefined || data.length === 0
    return { entries, pointer: '/data', total, isLast }
  }
  yield* listPages({ output, ask, read: (fields) => entryOf(fields, portal, ownHost) })
  const uncounted = 'The portal does not tell how many datasets it has.'
  if (total === undefined)
    yield { kind: 'end', as: 'incomplete', problem: new Failure('total-mismatch', uncounted) }
}

type UdataPortal = Portal & {
  /** What the portal knows of a licence that its records name. */
  readonly licence: (id: string) => LicenceNames | undefined
}

function entryOf(fields: Fields, portal: UdataPortal, ownHost: string | undefined): PortalEntry {
  const id = plainText(fields['id']) ?? ''
  const slug = plainText(fields['slug'])
  return {
    sourceId: id,
    title: fields['title'],
    aliases: [slug],
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

/** The regulation on high-value datasets (EU 2023/138). */
const highValue = namedNode('http://data.europa.eu/eli/reg_impl/2023/138/oj')

/** Codes of the EU table of rights of access. */
const accessTypes = new Map([
  ['open', 'PUBLIC'],
  ['open_with_account', 'PUBLIC'],
  ['restricted', 'NON_PUBLIC'],
])

/** Deterministic; whatever the fields hold. */
export function mappedDataset(fields: Fields, portal: UdataPortal): MappedRecord {
  const id = plainText(fields['id']) ?? ''
  const page = `${portal.root}/datasets/${encodeURIComponent(id)}/`
  const record = recordIn(portal, page)
  const { dataset } = record
  const badges = listOf(fields['badges']).map((badge) => fieldsOf(badge)['kind'])
  if (badges.includes('hvd')) dataset.add(dcatap('applicableLegislation'), highValue)
  const { dct_identifier: identifier, uri, remote_id: remote } = fieldsOf(fields['harvest'])
  const access = accessTypes.get(plainText(fields['access_type']) ?? '')
  const hasPage = dataset.link(dcat('landingPage'), fields['page'])
  // A shape, and the zones that it is made of: names when the portal gives them, else their ids.
  const { geom: geometry, zones } = fieldsOf(fields['spatial'])
  write(dataset, {
    identifier: id,
    otherIdentifiers: [identifier, uri, remote],
    title: fields['title'],
    alternative: fields['acronym'],
    description: fields['description'],
    keyword: listOf(fields['tags']),
    landingPage: hasPage ? undefined : page,
    ...people(fields),
    issued: fields['created_at'],
    modified: fields['last_modified'],
    frequency: fields['frequency'],
    accessLevel:
      access === undefined
        ? fields['access_type']
        : conceptIri('accessRight', access, portal.authorities),
    places: [
      { geometry },
      ...listOf(zones).map((zone) => {
        const { name, uri: iri, id: zoneId } = fieldsOf(zone)
        return { iri, label: name ?? zoneId ?? plainText(zone) }
      }),
    ],
    periods: [fieldsOf(fields['temporal_coverage'])],
  })
  const licence = plainText(fields['license'])
  const known = licence === undefined ? undefined : portal.licence(licence)
  for (const one of listOf(fields['resources']))
    resource(dataset, fieldsOf(one), { id: licence, ...known })
  return record
}

/** Roles of ISO 19115, which uData took over. */
const isoRoles =
  'custodian distributor originator owner pointOfContact principalInvestigator processor resourceProvider user'.split(
    ' ',
  )
const roleList = 'http://inspire.ec.europa.eu/metadata-codelist/ResponsiblePartyRole/'

/** Who publishes, made and answers for a dataset. */
function people(fields: Fields): PropertyValues {
  const all = listOf(fields['contact_points']).map((one) => {
    const { name, email, contact_form: url, role } = fieldsOf(one)
    return { name, email, url, role: plainText(role) ?? (role ? '?' : 'contact') }
  })
  const { publisher, creator, rightsHolder, contact, ...others } = Object.groupBy(
    all,
    ({ role }) => role,
  )
  const attributions = Object.entries(others).flatMap(([role, some = []]) =>
    some.map((who) => ({ who, role: isoRoles.includes(role) ? roleList + role : role })),
  )
  // There is one publisher at most.
  const publishers = publisher?.slice(0, 1) ?? owner(fields)
  return { publisher: publishers, creator, rightsHolder, contact, attributions }
}

function owner(fields: Fields): AgentFields {
  const { name, page, uri } = fieldsOf(fields['organization'])
  if (plainText(name) !== undefined) return { name, url: page, iri: uri }
  const { first_name: first, last_name: last, page: home } = fieldsOf(fields['owner'])
  const parts = [first, last].flatMap((part) => plainText(part) ?? [])
  return { name: parts.join(' '), url: home, person: true }
}

/** Files and services are distributions, the others are pages about the dataset. */
function resource(dataset: Subject, fields: Fields, licence: LicenceNames): void {
  const { url, latest, title } = fields
  const type = plainText(fields['type'])
  if (type === 'documentation' || type === 'code') {
    write(dataset, { page: url ?? latest })
    return
  }
  const id = saidText(fields['id'])
  const { type: algorithm, value } = fieldsOf(fields['checksum'])
  const { url: schema, name } = fieldsOf(fields['schema'])
  // The permanent link is where to get a file; its address changes with every upload.
  const file = {
    accessUrl: latest ?? url,
    downloadUrl: url,
    size: fields['filesize'],
    checksum: { value, algorithm },
  }
  distribution(dataset, {
    iri: dataset.below('#/resources/', id),
    identifier: id,
    title,
    description: fields['description'],
    format: fields['format'],
    mediaType: fields['mime'],
    issued: fields['created_at'],
    modified: fields['last_modified'],
    licences: [licence],
    conformsTo: schema ?? name ?? plainText(fields['schema']),
    ...(type === 'api' ? { accessUrl: url, services: [{ title, endpoint: url }] } : file),
  })
}
