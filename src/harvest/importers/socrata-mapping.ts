/** What the config of a Socrata importer may say, and from its assets to DCAT-AP. */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import type { Fields } from '../../text/json.ts'
import type { LicenceNames } from '../../vocabularies/licences.ts'
import { fieldsOf, listOf, plainText, saidText } from '../../vocabularies/loose-values.ts'
import { distribution, exportFile } from '../mapping/distribution.ts'
import { fromHtml, write } from '../mapping/properties.ts'
import { type MappedRecord, mappingKeys, type Subject } from '../mapping/record.ts'
import { type EntryReader, lasting, type Portal, recordIn } from './portal.ts'

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

export const assetIn = (value: unknown): Fields => fieldsOf(fieldsOf(value)['resource'])

/** A different view of the asset is fetched for these alone: they lead to files elsewhere. */
export const isLink = (value: unknown, site: SocrataSite): boolean =>
  assetIn(value)['type'] === 'href' && reasonToSkip(fieldsOf(value), site) === undefined

export const assetReader =
  (site: SocrataSite): EntryReader =>
  (fields) => {
    const asset = assetIn(fields)
    const sourceId = plainText(asset['id']) ?? ''
    const link = saidText(fields['permalink']) ?? saidText(fields['link']) ?? ''
    const page = /^https?:/i.test(link) ? link : `${site.root}/d/${encodeURIComponent(sourceId)}`
    const nameless = 'The asset has no name (resource.name).'
    const { problem } = fieldsOf(fields['view'])
    return {
      sourceId,
      title: asset['name'],
      sourceUrl: page,
      skipped: reasonToSkip(fields, site),
      flaw: problem instanceof Failure ? problem : saidText(asset['name']) ? undefined : nameless,
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

// What the portal's own metadata of an asset means: keys that the config names, and endings that many portals use.

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

/** The texts that have a meaning, in the order of the source. */
function meaningsIn(metadata: unknown, configured: Readonly<Record<string, Meaning>>) {
  const own = new Map(Object.entries(configured))
  const texts = Map.groupBy(listOf(metadata).map(fieldsOf), (one) => {
    const key = saidText(one['key']) ?? ''
    return own.get(key) ?? usual.find(([ending]) => ending.test(key))?.[1]
  })
  return (meaning: Meaning): readonly string[] =>
    (texts.get(meaning) ?? []).flatMap(({ value }) => saidText(value) ?? [])
}

/** One asset in its site. */
type Asset = SocrataSite & {
  readonly sourceId: string
  /** The asset's page. */
  readonly page: string
}

function mapAsset(fields: Fields, context: Asset): MappedRecord {
  const { config, root, sourceId, page } = context
  const asset = assetIn(fields)
  const classes = fieldsOf(fields['classification'])
  const own = meaningsIn(classes['domain_metadata'], config.fields)
  const nameOf = (role: string) => fieldsOf(fields[role])['display_name']
  const record = recordIn(context, `${root}/d/${encodeURIComponent(sourceId)}`)
  const { dataset } = record
  const changes = [asset['data_updated_at'], asset['metadata_updated_at'], asset['updatedAt']]
  write(dataset, {
    identifier: sourceId,
    title: asset['name'],
    description: fromHtml(asset['description']),
    keyword: [...listOf(classes['domain_tags']), ...listOf(classes['tags']), ...own('keyword')],
    themes: [...listOf(classes['domain_category']), ...listOf(classes['categories'])],
    landingPage: page,
    publisher: {
      name: saidText(asset['attribution']) ?? own('publisher')[0] ?? nameOf('owner'),
      url: asset['attribution_link'],
    },
    creator: { name: nameOf('creator') },
    contact: [
      {
        name: own('contactName')[0],
        email: saidText(asset['contact_email']) ?? own('contactEmail')[0],
      },
    ],
    issued: [...own('issued'), asset['publication_date'], asset['createdAt']],
    modified: latest(dataset, changes) ?? own('modified')[0],
    frequency: own('frequency'),
    temporal: own('temporal'),
    spatial: own('spatial'),
    language: own('language'),
    accessLevel: own('accessRights'),
    conformsTo: own('conformsTo'),
    provenance: listOf(asset['provenance']).map((text) => ({ '': text })),
  })
  const licences = [fieldsOf(fields['metadata'])['license'], own('licence')[0]].map((title) =>
    /^https?:/i.test(saidText(title) ?? '') ? { url: title } : { title },
  )
  mapDistributions(dataset, fields, { ...context, licences })
  return record
}

/** The latest of some times; those that cannot be read do not count, and are noted. */
function latest(dataset: Subject, values: readonly unknown[]): string | undefined {
  const times = values.map(saidText).filter((time) => time !== undefined)
  const { readable = [], broken = [] } = Object.groupBy(times, (time) =>
    Number.isNaN(Date.parse(time)) ? 'broken' : 'readable',
  )
  for (const time of broken) dataset.record.note('invalid-date', time, 'dct:modified')
  return readable.sort((a, b) => Date.parse(b) - Date.parse(a))[0]
}

// The ways to the data of an asset: exports of a table, a file, or links to other places. Each has the licence of the asset.

type Files = Asset & { readonly licences: readonly LicenceNames[] }

function mapDistributions(dataset: Subject, fields: Fields, files: Files): void {
  const asset = assetIn(fields)
  const { type } = asset
  if (type === 'dataset') table(dataset, asset, files)
  else if (type === 'file') file(dataset, asset, files)
  else if (type === 'href') links(dataset, fieldsOf(fieldsOf(fields['view'])['metadata']), files)
}

const shapes = /^(?:multi)?(?:point|polygon|line)$|^location$/i

function table(dataset: Subject, asset: Fields, { root, sourceId, licences }: Files): void {
  const id = encodeURIComponent(sourceId)
  const rows = `${root}/api/views/${id}/rows.csv?accessType=DOWNLOAD`
  exportFile(dataset, { id: sourceId, name: 'csv', downloadUrl: rows, licences })
  const endpoint = `${root}/resource/${id}.json`
  const services = [{ title: { '': 'Socrata Open Data API' }, endpoint }]
  exportFile(dataset, { id: sourceId, name: 'json', accessUrl: endpoint, licences, services })
  if (!listOf(asset['columns_datatype']).some((type) => shapes.test(plainText(type) ?? ''))) return
  const map = `${root}/resource/${id}.geojson`
  exportFile(dataset, { id: sourceId, name: 'geojson', downloadUrl: map, licences })
}

function file(dataset: Subject, asset: Fields, { root, sourceId, licences }: Files): void {
  const mediaType = saidText(asset['blob_mime_type'])?.split(';', 1)[0]?.trim()
  const type = encodeURIComponent(mediaType ?? 'application/octet-stream')
  const url = `${root}/download/${encodeURIComponent(sourceId)}/${type}`
  const identifier = `${sourceId}/file`
  distribution(dataset, { identifier, downloadUrl: url, mediaType, licences })
}

function links(dataset: Subject, metadata: Fields, { root, sourceId, licences }: Files): void {
  const more = listOf(metadata['additionalAccessPoints']).map(fieldsOf)
  const points: readonly Fields[] = [{ urls: metadata['accessPoints'] }, ...more]
  for (const { urls, title, description } of points)
    for (const [type, url] of Object.entries(fieldsOf(urls))) {
      const accessUrl = withProtocol(url)
      if (accessUrl?.startsWith('https:') === true && accessUrl !== saidText(url))
        dataset.record.note('repaired-iri', accessUrl, 'dcat:accessURL')
      const names = { title: fromHtml(title), description: fromHtml(description) ?? undefined }
      const mediaType = type.includes('/') ? type : undefined
      distribution(dataset, { ...names, accessUrl, mediaType, licences })
    }
  for (const { assetId, blobId, filename, name } of listOf(metadata['attachments']).map(fieldsOf)) {
    const [asset, blob] = [assetId, blobId].map((one) => encoded(one))
    const views = `${root}/api/views/${encodeURIComponent(sourceId)}/files/${asset}`
    const assets = blob && `${root}/api/assets/${blob}?download=true`
    const url = asset ? `${views}?filename=${encoded(filename) ?? ''}` : assets
    const title = saidText(name) ?? saidText(filename)
    distribution(dataset, { title, downloadUrl: url, licences })
  }
}

const encoded = (value: unknown): string | undefined => {
  const text = plainText(value)
  return text === undefined ? undefined : encodeURIComponent(text)
}

/** Some are without a protocol (`data.example/x`), some relative to the site; the latter are left as they are. */
function withProtocol(url: unknown): string | undefined {
  const text = saidText(url)
  if (text === undefined || /^[a-z][a-z0-9+.-]*:|^\.{0,2}\/(?!\/)|^\?/i.test(text)) return text
  if (text.startsWith('//')) return `https:${text}`
  return /^[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:[/?#]|$)/.test(text) ? `https://${text}` : `/${text}`
}
