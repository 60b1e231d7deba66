/** From a Socrata asset to DCAT-AP. */

import { z } from 'zod'
import type { LicenceNames } from '../../vocabularies/licences.ts'
import { dcat, dct, rdfs } from '../../rdf/namespaces.ts'
import { fieldsOf, listOf, plainText, saidText } from '../../vocabularies/loose-values.ts'
import type { Fields } from '../../text/json.ts'
import { agent, contact } from '../mapping/agents.ts'
import { concepts } from '../mapping/concepts.ts'
import { accessService, periodFrom, placeFrom, themesOrKeywords } from '../mapping/coverage.ts'
import { distribution, standards } from '../mapping/distribution.ts'
import { mappingKeys } from '../mapping/record-options.ts'
import type { MappedRecord } from '../mapping/record.ts'
import type { Subject } from '../mapping/subject.ts'
import { type Entry, lasting } from './entry.ts'
import { type Portal, recordIn } from './portal.ts'

/** What a field of a portal's own metadata can mean. */
const meanings = [
  'frequency',
  'temporal',
  'spatial',
  'language',
  'issued',
  'modified',
  'publisher',
  'contactName',
  'contactEmail',
  'licence',
  'accessRights',
  'conformsTo',
  'keyword',
] as const
type Meaning = (typeof meanings)[number]

const listed = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => [value].flat().flatMap((text) => text.split(',').map((one) => one.trim())))
  .refine((types) => types.every((type) => /^[a-z_]+$/i.test(type)), 'must be types of assets')
  .refine((types) => types.length > 0, 'must name a type')

export const socrataConfig = z.object({
  ...mappingKeys,
  pageSize: z.int().min(1).max(10_000).default(100),
  /** Types of assets: `dataset`, `file`, `href`, and further ones that have no data of their own. */
  only: listed.default(['dataset', 'file', 'href']),
  /** Whether views that are derived from another asset are taken. */
  derived: z.boolean().default(false),
  /** Key of the portal's own metadata → what it means. */
  fields: z.record(z.string(), z.enum(meanings)).default({}),
})
export type SocrataConfig = z.infer<typeof socrataConfig>

export type SocrataSite = Portal<SocrataConfig>

/** One asset in its site. */
type Placed = SocrataSite & {
  readonly sourceId: string
  /** The asset's page. */
  readonly page: string
}

/** An asset whose licence is known: each of its distributions has it. */
type Sharing = Placed & { readonly licences: readonly LicenceNames[] }

function mapAsset(fields: Fields, placed: Placed): MappedRecord {
  const { config, root, sourceId, page } = placed
  const asset = fieldsOf(fields['resource'])
  const classes = fieldsOf(fields['classification'])
  const told = meaningsIn(classes['domain_metadata'], config.fields)
  const record = recordIn(placed, `${root}/d/${encodeURIComponent(sourceId)}`)
  const { dataset } = record
  dataset.literal(dct('identifier'), sourceId)
  dataset.text(dct('title'), asset['name'])
  dataset.text(dct('description'), asset['description'], { html: true })
  for (const name of ['domain_tags', 'tags']) dataset.text(dcat('keyword'), classes[name])
  dataset.text(dcat('keyword'), told('keyword'))
  themesOrKeywords(dataset, classes['domain_category'])
  themesOrKeywords(dataset, classes['categories'])
  dataset.link(dcat('landingPage'), page)
  people(dataset, fields, told)
  times(dataset, asset, told)
  for (const value of told('spatial')) placeFrom(dataset, value)
  concepts(dataset, dct('language'), 'language', told('language'))
  concepts(dataset, dct('accessRights'), 'access', told('accessRights'))
  standards(dataset, told('conformsTo'))
  const statement = dataset.part(dct('provenance'), dct('ProvenanceStatement'))
  statement.text(rdfs('label'), asset['provenance'], { language: '' })
  mapDistributions(dataset, fields, { ...placed, licences: licencesIn(fields, told) })
  return record
}

function licencesIn(fields: Fields, told: Meanings) {
  const [words] = told('licence')
  return [fieldsOf(fields['metadata'])['license'], words].map((title) =>
    /^https?:/i.test(saidText(title) ?? '') ? { url: title } : { title },
  )
}

function people(dataset: Subject, fields: Fields, told: Meanings): void {
  const asset = fieldsOf(fields['resource'])
  const [named] = told('publisher')
  const owner = fieldsOf(fields['owner'])['display_name']
  const name = saidText(asset['attribution']) ?? named ?? owner
  agent(dataset, dct('publisher'), { name, url: asset['attribution_link'] })
  agent(dataset, dct('creator'), { name: fieldsOf(fields['creator'])['display_name'] })
  const [contactName] = told('contactName')
  const email = saidText(asset['contact_email']) ?? told('contactEmail')[0]
  contact(dataset, dcat('contactPoint'), { name: contactName, email })
}

function times(dataset: Subject, asset: Fields, told: Meanings): void {
  const issued = [...told('issued'), asset['publication_date'], asset['createdAt']]
  issued.some((value) => dataset.date(dct('issued'), value))
  const [own] = told('modified')
  const changes = [asset['data_updated_at'], asset['metadata_updated_at'], asset['updatedAt']]
  dataset.date(dct('modified'), latest(dataset, changes) ?? own)
  for (const value of told('frequency'))
    concepts(dataset, dct('accrualPeriodicity'), 'frequency', value)
  for (const value of told('temporal')) periodFrom(dataset, value)
}

/** The latest of some times; those that cannot be read do not count, and are told. */
function latest(dataset: Subject, values: readonly unknown[]): string | undefined {
  const times = values.map(saidText).filter((time) => time !== undefined)
  const isReadable = (time: string) => !Number.isNaN(Date.parse(time))
  for (const time of times)
    if (!isReadable(time)) dataset.record.note('invalid-date', `dct:modified: ${time}`)
  return times.filter(isReadable).toSorted((a, b) => Date.parse(b) - Date.parse(a))[0]
}

// The ways to the data of a Socrata asset: exports of a table, a file, or links to other places.

function mapDistributions(dataset: Subject, fields: Fields, sharing: Sharing): void {
  const asset = fieldsOf(fields['resource'])
  switch (asset['type']) {
    case 'dataset':
      table(dataset, asset, sharing)
      return
    case 'file':
      file(dataset, asset, sharing)
      return
    case 'href':
      links(dataset, fieldsOf(fieldsOf(fields['view'])['metadata']), sharing)
      return
    default:
  }
}

const shapes = /^(?:multi)?(?:point|polygon|line)$|^location$/i

function table(dataset: Subject, asset: Fields, { root, sourceId, licences }: Sharing): void {
  const id = encodeURIComponent(sourceId)
  const rows = `${root}/api/views/${id}/rows.csv?accessType=DOWNLOAD`
  const csv = { identifier: `${sourceId}/csv`, format: 'CSV', mediaType: 'text/csv' }
  distribution(dataset, { ...csv, accessUrl: rows, downloadUrl: rows, licences })
  const endpoint = `${root}/resource/${id}.json`
  const json = { identifier: `${sourceId}/json`, format: 'JSON', mediaType: 'application/json' }
  const queried = distribution(dataset, { ...json, accessUrl: endpoint, licences })
  accessService(queried, { title: 'Socrata Open Data API', endpoint })
  if (!listOf(asset['columns_datatype']).some((type) => shapes.test(plainText(type) ?? ''))) return
  const shown = `${root}/resource/${id}.geojson`
  const geo = { identifier: `${sourceId}/geojson`, format: 'GeoJSON' }
  const mediaType = 'application/geo+json'
  distribution(dataset, { ...geo, mediaType, accessUrl: shown, downloadUrl: shown, licences })
}

function file(dataset: Subject, asset: Fields, { root, sourceId, licences }: Sharing): void {
  const mediaType = saidText(asset['blob_mime_type'])?.split(';', 1)[0]?.trim()
  const type = encodeURIComponent(mediaType ?? 'application/octet-stream')
  const url = `${root}/download/${encodeURIComponent(sourceId)}/${type}`
  const identifier = `${sourceId}/file`
  distribution(dataset, { identifier, accessUrl: url, downloadUrl: url, mediaType, licences })
}

function links(dataset: Subject, metadata: Fields, { root, sourceId, licences }: Sharing): void {
  const more = listOf(metadata['additionalAccessPoints']).map(fieldsOf)
  const points = [
    { urls: fieldsOf(metadata['accessPoints']), title: undefined, description: undefined },
    ...more.map((one) => ({ ...one, urls: fieldsOf(one['urls']) })),
  ]
  for (const { urls, ...about } of points)
    for (const [mediaType, url] of Object.entries(urls)) {
      const { title, description } = fieldsOf(about)
      const accessUrl = withProtocol(url)
      const isMended = accessUrl?.startsWith('https:') === true && accessUrl !== saidText(url)
      if (isMended) dataset.record.note('repaired-iri', `dcat:accessURL: ${accessUrl}`)
      const names = { title, description: description ?? undefined, html: true }
      const known = /\//.test(mediaType) ? { mediaType } : {}
      distribution(dataset, { ...names, accessUrl, ...known, licences })
    }
  for (const one of listOf(metadata['attachments']).map(fieldsOf)) {
    const accessUrl = attachmentAddress(one, `${root}/api`, encodeURIComponent(sourceId))
    const title = saidText(one['name']) ?? saidText(one['filename'])
    distribution(dataset, { title, accessUrl, downloadUrl: accessUrl, licences })
  }
}

/** Some are without a protocol (`data.example/x`), some relative to the site; the latter are left as they are. */
function withProtocol(url: unknown): string | undefined {
  const text = saidText(url)
  if (text === undefined || /^[a-z][a-z0-9+.-]*:|^\.{0,2}\/(?!\/)|^\?/i.test(text)) return text
  if (text.startsWith('//')) return `https:${text}`
  return /^[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:[/?#]|$)/.test(text) ? `https://${text}` : `/${text}`
}

function attachmentAddress(one: Fields, api: string, id: string): string | undefined {
  const [asset, blob] = [plainText(one['assetId']), plainText(one['blobId'])]
  const name = encodeURIComponent(plainText(one['filename']) ?? '')
  if (asset !== undefined)
    return `${api}/views/${id}/files/${encodeURIComponent(asset)}?filename=${name}`
  return blob === undefined ? undefined : `${api}/assets/${encodeURIComponent(blob)}?download=true`
}

// What the portal's own metadata of an asset means: keys that the config names, and endings that many portals use.

/** The texts that have a meaning, in the order of the source. */
type Meanings = (meaning: Meaning) => readonly string[]

/** Keys are `{field set}_{field}` with hyphens for spaces. */
const usual: readonly (readonly [RegExp, Meaning])[] = [
  [/(?:update|posting|publishing|refresh)-frequency$/i, 'frequency'],
  [/(?:temporal-(?:applicability|coverage)|time-period|period-of-time)$/i, 'temporal'],
  [/(?:spatial|geographic(?:al)?)-(?:coverage|area)$/i, 'spatial'],
  [/(?:^|[_-])language$/i, 'language'],
  [/contact-email$/i, 'contactEmail'],
  [/contact-name$/i, 'contactName'],
  [/(?:^|_)publisher$/i, 'publisher'],
  [/(?:^|_)(?:license|licence)$/i, 'licence'],
  [/public-access-level$/i, 'accessRights'],
]

function meaningsIn(metadata: unknown, configured: Readonly<Record<string, Meaning>>): Meanings {
  const own = new Map(Object.entries(configured))
  const told = Map.groupBy(
    listOf(metadata)
      .map(fieldsOf)
      .map(({ key, value }) => ({ key: saidText(key) ?? '', value: saidText(value) })),
    ({ key }) => own.get(key) ?? usual.find(([ending]) => ending.test(key))?.[1],
  )
  return (meaning) =>
    (told.get(meaning) ?? []).flatMap(({ value }) => (value === undefined ? [] : [value]))
}

// What an asset of a Socrata domain is: its id, and whether it is for us.

export const assetIn = (value: unknown): Fields => fieldsOf(fieldsOf(value)['resource'])

/** A different view of the asset is fetched for these alone: they lead to files elsewhere. */
export function isLink(value: unknown, site: SocrataSite): boolean {
  const asset = assetIn(value)
  return asset['type'] === 'href' && reasonToSkip(fieldsOf(value), site) === undefined
}

export const assetReader =
  (site: SocrataSite) =>
  (fields: Fields): Entry => {
    const asset = assetIn(fields)
    const sourceId = plainText(asset['id']) ?? ''
    const page = pageOf(fields, site, sourceId)
    return {
      sourceId,
      aliases: [],
      sourceUrl: page,
      skipped: reasonToSkip(fields, site),
      flaw:
        saidText(asset['name']) === undefined
          ? 'The asset has no name (resource.name).'
          : undefined,
      lasting: { ...fields, resource: lasting(asset, ['page_views', 'download_count']) },
      map: () => mapAsset(fields, { ...site, sourceId, page }),
    }
  }

function reasonToSkip(fields: Fields, { root, config }: SocrataSite): string | undefined {
  const domain = saidText(fieldsOf(fields['metadata'])['domain'])
  if (domain !== undefined && domain.toLowerCase() !== new URL(root).host)
    return 'belongs to another domain'
  const parents = listOf(assetIn(fields)['parent_fxf'])
  return !config.derived && parents.length > 0 ? 'is derived from another asset' : undefined
}

/** Its permanent link, where that is one. */
function pageOf(fields: Fields, { root }: SocrataSite, id: string): string {
  const told = saidText(fields['permalink']) ?? saidText(fields['link'])
  return told !== undefined && /^https?:/i.test(told) ? told : `${root}/d/${encodeURIComponent(id)}`
}
