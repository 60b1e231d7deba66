/** uData importer: reads the list of datasets page by page. */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import type { Fields } from '../../text/json.ts'
import { conceptIri } from '../../vocabularies/authorities.ts'
import type { LicenceNames } from '../../vocabularies/licences.ts'
import { fieldsOf, listOf, plainText, meaningfulText } from '../../vocabularies/loose-values.ts'
import type { AgentFields } from '../mapping/parts.ts'
import type { DatasetValues, DistributionFields } from '../mapping/distribution.ts'
import type { PropertyValues } from '../mapping/properties.ts'
import { mappingKeys } from '../mapping/record.ts'
import type { ImportEvent } from './import-recorder.ts'
import type { ImporterKind, ImportRun } from './importer.ts'
import {
  addressWith,
  askList,
  countOf,
  withoutVolatile,
  licenceList,
  listPages,
  type Portal,
  type PortalEntry,
  portalOf,
  siteRoot,
} from './portal.ts'

/** Config of a uData importer beside the common keys. */
const udataConfig = z.object({
  ...mappingKeys,
  /** Records per page. */
  pageSize: z.int().min(1).max(1000).default(100),
  /** Skips datasets that the portal harvested from this host. */
  skipHarvested: z.boolean().default(true),
})
type UdataConfig = z.infer<typeof udataConfig>

/** Creates the importer of uData portals. `ownHost`: host of this portal, to avoid harvesting it in a circle. */
export const udataImporter = (ownHost?: string): ImporterKind<UdataConfig> => ({
  names: ['importing-udata'],
  version: 2,
  config: udataConfig,
  addressesOf: ({ address }, id) => [{ url: datasetAddress(rootOf(address), id) }],
  import: (run) => importUdata(run, run.config.skipHarvested ? ownHost : undefined),
})

const rootOf = (address: string) => siteRoot(address, /\/api(?:\/.*)?$/)
const datasetAddress = (root: string, id: string) =>
  `${root}/api/1/datasets/${encodeURIComponent(id)}/`

/** Requested fields of mapped runs: those in the mapping, because datasets with thousands of resources have megabytes. */
const fieldMask =
  'data{id,slug,title,acronym,description,tags,badges,created_at,last_modified,frequency,license,' +
  'organization{name,page,uri,class},owner{first_name,last_name,page},' +
  'contact_points{name,email,contact_form,role},spatial{geom,zones,granularity},temporal_coverage{start,end},' +
  'page,access_type,archived,deleted,private,harvest{domain,uri,dct_identifier,remote_id},' +
  'resources{id,title,description,created_at,last_modified,filesize,mime,format,checksum{type,value},url,latest,' +
  'schema{name,version,url},type}},page,page_size,total,next_page'

/** Reads all pages of the list, which has no limit of 10,000 records as the search has. */
async function* importUdata(
  run: ImportRun<UdataConfig>,
  ownHost: string | undefined,
): AsyncGenerator<ImportEvent, void> {
  const { config, source, output } = run
  const root = rootOf(config.address)
  const namesLicence = (dataset: unknown) => plainText(fieldsOf(dataset)['license']) !== undefined
  const licences = licenceList(namesLicence, async () => {
    const url = `${root}/api/1/datasets/licenses/`
    const { value, status } = await source.json(url, { accepts: [400, 404, 405], paged: false })
    return status < 400 ? value : []
  })
  const portal = await portalOf<UdataConfig>(run, root)
  const headers: Record<string, string> = output === 'source' ? {} : { 'X-Fields': fieldMask }
  let total: number | undefined
  const ask = async ({ page }: { readonly page: number }) => {
    // Pages are counted, because links of portals behind a proxy contain its internal name.
    const query = { page, page_size: config.pageSize, sort: 'created', ...config.filters }
    const url = addressWith(`${root}/api/1/datasets/`, query)
    // A page after the last one is missing; the total shows whether it is the end.
    const accepts = page > 1 && total !== undefined ? [404] : []
    const list = await askList(source, url, 'data', { headers, accepts })
    if (list.status === 404) return { ...list, isLast: true }
    total = countOf(list.fields['total'])
    await licences.register(list.entries)
    const next = list.fields['next_page']
    return {
      ...list,
      total,
      isLast: next === null || next === undefined || list.entries.length === 0,
    }
  }
  const site = { ...portal, licence: licences.find, ownHost }
  yield* listPages(portal, { ask, read: (fields) => udataEntry(fields, site) })
  const uncounted = 'The portal does not say how many datasets it has.'
  if (total === undefined)
    yield { kind: 'end', outcome: 'incomplete', problem: new Failure('total-mismatch', uncounted) }
}

/** A portal with its licences. */
type UdataPortal = Portal & {
  /** Finds a licence by the id in a record. */
  readonly licence: (id: string) => LicenceNames | undefined
  readonly ownHost?: string
}

/** Entry for a dataset: its ids, reasons to skip, values. */
export function udataEntry(fields: Fields, portal: UdataPortal): PortalEntry {
  const id = encodeURIComponent(plainText(fields['id']) ?? '')
  const fallbackIri = `${portal.root}/datasets/${id}/`
  return {
    sourceId: plainText(fields['id']) ?? '',
    title: fields['title'],
    aliases: [plainText(fields['slug'])],
    sourceUrl: datasetAddress(portal.root, plainText(fields['id']) ?? ''),
    skipReason: reasonToSkip(fields, portal.ownHost),
    omitReason: isMarked(fields['archived']) ? 'archived' : undefined,
    stableFields: withoutVolatile(fields, ['metrics', 'quality', 'internal']),
    recordOptions: { fallbackIri },
    values: () => ({
      firstLandingPage: [fields['page'], fallbackIri],
      ...datasetValues(fields, portal),
    }),
  }
}

/** Whether a state is set: a time, or `true`. */
const isMarked = (state: unknown): boolean => typeof state === 'string' || state === true

/** Reason to skip a dataset: not public (visible with a key), or harvested from this portal. */
function reasonToSkip(fields: Fields, ownHost: string | undefined): string | undefined {
  if (fields['private'] === true) return 'private'
  if (isMarked(fields['deleted'])) return 'deleted'
  const domain = plainText(fieldsOf(fields['harvest'])['domain'])
  const isFromHere = ownHost !== undefined && domain?.toLowerCase() === ownHost.toLowerCase()
  return isFromHere ? 'harvested from here' : undefined
}

/** Regulation on high-value datasets (EU 2023/138). */
const highValueRegulation = 'http://data.europa.eu/eli/reg_impl/2023/138/oj'

/** Codes of the EU authority table of access rights. */
const accessTypes = new Map([
  ['open', 'PUBLIC'],
  ['open_with_account', 'PUBLIC'],
  ['restricted', 'NON_PUBLIC'],
])

/** Values of a dataset, in the terms of the uData API (v1). */
function datasetValues(fields: Fields, { authorities, licence }: UdataPortal): DatasetValues {
  const badges = listOf(fields['badges']).map((badge) => fieldsOf(badge)['kind'])
  const { dct_identifier: identifier, uri, remote_id: remote } = fieldsOf(fields['harvest'])
  const accessType = fields['access_type']
  const accessCode = accessTypes.get(plainText(accessType) ?? '')
  // A geometry and its zones, by name if given, else by id.
  const { geom: geometry, zones } = fieldsOf(fields['spatial'])
  const zoneNames = listOf(zones).map((zone) => {
    const { name, uri: iri, id } = fieldsOf(zone)
    return { iri, label: name ?? id ?? plainText(zone) }
  })
  const id = plainText(fields['license'])
  const licenceNames = id === undefined ? undefined : licence(id)
  const resources = listOf(fields['resources']).map(fieldsOf)
  return {
    identifier: fields['id'],
    otherIdentifiers: [identifier, uri, remote],
    title: fields['title'],
    alternative: fields['acronym'],
    description: fields['description'],
    keywords: [fields['tags']],
    ...people(fields),
    issued: fields['created_at'],
    modified: fields['last_modified'],
    frequency: fields['frequency'],
    legislation: badges.includes('hvd') ? highValueRegulation : undefined,
    accessLevel:
      accessCode === undefined ? accessType : conceptIri('accessRight', accessCode, authorities),
    places: [{ geometry }, ...zoneNames],
    periods: [fieldsOf(fields['temporal_coverage'])],
    page: resources.filter(isPage).map(({ url, latest }) => url ?? latest),
    licences: [{ id, ...licenceNames }],
    distributions: resources.filter((resource) => !isPage(resource)).map(distributionOf),
  }
}

/** Roles of ISO 19115, as used by uData. */
const isoRoles =
  'custodian distributor originator owner pointOfContact principalInvestigator processor resourceProvider user'.split(
    ' ',
  )
const roleList = 'http://inspire.ec.europa.eu/metadata-codelist/ResponsiblePartyRole/'

/** Agents and contacts by role. A role that is no text becomes `?`, which is reported. */
function people(fields: Fields): PropertyValues {
  const contacts = listOf(fields['contact_points']).map((contact) => {
    const { name, email, contact_form: url, role } = fieldsOf(contact)
    return { name, email, url, role: plainText(role) ?? (role ? '?' : 'contact') }
  })
  const { publisher, creator, rightsHolder, contact, ...otherRoles } = Object.groupBy(
    contacts,
    ({ role }) => role,
  )
  const attributions = Object.entries(otherRoles).flatMap(([role, agents = []]) =>
    agents.map((agent) => ({ agent, role: isoRoles.includes(role) ? roleList + role : role })),
  )
  // DCAT-AP permits one publisher.
  const publishers = publisher?.slice(0, 1) ?? owner(fields)
  return { publisher: publishers, creator, rightsHolder, contact, attributions }
}

/** Publishing organisation, else the person. */
function owner(fields: Fields): AgentFields {
  const { name, page, uri } = fieldsOf(fields['organization'])
  if (plainText(name) !== undefined) return { name, url: page, iri: uri }
  const { first_name: first, last_name: last, page: home } = fieldsOf(fields['owner'])
  const parts = [first, last].flatMap((part) => plainText(part) ?? [])
  return { name: parts.join(' '), url: home, isPerson: true }
}

/** Whether a resource is a page about the dataset; files and services are distributions. */
const isPage = ({ type }: Fields) => type === 'documentation' || type === 'code'

/** Distribution of a file with its permanent link, or of an API. */
function distributionOf(fields: Fields): DistributionFields {
  const { url, latest, title } = fields
  const id = meaningfulText(fields['id'])
  const { type: algorithm, value } = fieldsOf(fields['checksum'])
  const { url: schema, name } = fieldsOf(fields['schema'])
  // The permanent link is the access address; the download address changes with every upload.
  const file = {
    accessUrl: latest ?? url,
    downloadUrl: url,
    size: fields['filesize'],
    checksum: { value, algorithm },
  }
  const service = { accessUrl: url, services: [{ title, endpoint: url }] }
  return {
    iriSuffix: id && `#/resources/${encodeURIComponent(id)}`,
    identifier: id,
    title,
    description: fields['description'],
    format: fields['format'],
    mediaType: fields['mime'],
    issued: fields['created_at'],
    modified: fields['last_modified'],
    conformsTo: schema ?? name ?? plainText(fields['schema']),
    ...(fields['type'] === 'api' ? service : file),
  }
}
