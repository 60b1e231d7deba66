/** Config of a Socrata importer, and the mapping of its assets to DCAT-AP. */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import type { Fields } from '../../text/json.ts'
import { fieldsOf, listOf, plainText, meaningfulText } from '../../vocabularies/loose-values.ts'
import { type DatasetValues, type DistributionFields, exportFile } from '../mapping/distribution.ts'
import { fromHtml } from '../mapping/properties.ts'
import { type MappedRecord, mappingKeys } from '../mapping/record.ts'
import { type EntryReader, withoutVolatile, type Portal } from './portal.ts'

/** Meanings of fields in a portal's custom metadata. */
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

const assetTypes = z
  .union([z.string(), z.array(z.string())])
  .transform((value) =>
    [value].flat().flatMap((text) => text.split(',').map((type) => type.trim())),
  )
  .refine((types) => types.every((type) => /^[a-z_]+$/i.test(type)), 'must be types of assets')
  .refine((types) => types.length > 0, 'must name a type')

/** Config of a Socrata importer beside the common keys. */
export const socrataConfig = z.object({
  ...mappingKeys,
  pageSize: z.int().min(1).max(10_000).default(100),
  /** Types of assets: `dataset`, `file`, `href`, and others without data of their own. */
  only: assetTypes.default(['dataset', 'file', 'href']),
  /** Whether to import views derived from another asset. */
  derived: z.boolean().default(false),
  /** Key of the portal's custom metadata → meaning. */
  fields: z.record(z.string(), z.enum(meanings)).default({}),
})
export type SocrataConfig = z.infer<typeof socrataConfig>

type Site = Portal<SocrataConfig>

/** Asset of a search result. */
export const assetIn = (value: unknown): Fields => fieldsOf(fieldsOf(value)['resource'])

/** Whether an asset that is not skipped only links to other places, which its own description names. */
export const isLink = (value: unknown, site: Site): boolean =>
  assetIn(value)['type'] === 'href' && reasonToSkip(fieldsOf(value), site) === undefined

/** Makes a reader of the assets of a site. */
export const assetReader =
  (site: Site): EntryReader =>
  (fields) => {
    const asset = assetIn(fields)
    const sourceId = plainText(asset['id']) ?? ''
    const link = meaningfulText(fields['permalink']) ?? meaningfulText(fields['link']) ?? ''
    const page = /^https?:/i.test(link) ? link : `${site.root}/d/${encodeURIComponent(sourceId)}`
    const { problem } = fieldsOf(fields['view'])
    const isNamed = meaningfulText(asset['name']) !== undefined
    const flaw = isNamed ? undefined : 'The asset has no name (resource.name).'
    return {
      sourceId,
      title: asset['name'],
      sourceUrl: page,
      skipReason: reasonToSkip(fields, site),
      flaw: problem instanceof Failure ? problem : flaw,
      stableFields: {
        ...fields,
        resource: withoutVolatile(asset, ['page_views', 'download_count']),
      },
      recordOptions: { fallbackIri: `${site.root}/d/${encodeURIComponent(sourceId)}` },
      values: (record) => ({
        identifier: sourceId,
        landingPage: page,
        ...assetValues(fields, site, record),
        distributions: distributionsOf(fields, site.root, record),
      }),
    }
  }

/** Reason to skip an asset: of another domain, or derived from another asset (unless `derived`). */
function reasonToSkip(fields: Fields, { root, config }: Site): string | undefined {
  const domain = meaningfulText(fieldsOf(fields['metadata'])['domain'])
  if (domain !== undefined && domain.toLowerCase() !== new URL(root).host)
    return 'belongs to another domain'
  const parents = listOf(assetIn(fields)['parent_fxf'])
  return !config.derived && parents.length > 0 ? 'is derived from another asset' : undefined
}

// Custom metadata: keys in the config, and suffixes that many portals use.

/** Meanings by the ends of keys. Keys are `{field set}_{field}` with hyphens for spaces. */
const usualKeys: readonly (readonly [RegExp, Meaning])[] = [
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

/** Finds the texts with a meaning in custom metadata, in the order of the source. */
function meaningsIn(metadata: unknown, configured: Readonly<Record<string, Meaning>>) {
  const configuredMeanings = new Map(Object.entries(configured))
  const texts = Map.groupBy(listOf(metadata).map(fieldsOf), (field) => {
    const key = meaningfulText(field['key']) ?? ''
    return configuredMeanings.get(key) ?? usualKeys.find(([ending]) => ending.test(key))?.[1]
  })
  return (meaning: Meaning): readonly string[] =>
    (texts.get(meaning) ?? []).flatMap(({ value }) => meaningfulText(value) ?? [])
}

/** Values of an asset. Licences are names or addresses, because the API has no ids. */
function assetValues(fields: Fields, { config }: Site, record: MappedRecord): DatasetValues {
  const asset = assetIn(fields)
  const classes = fieldsOf(fields['classification'])
  const customTexts = meaningsIn(classes['domain_metadata'], config.fields)
  const nameOf = (role: string) => fieldsOf(fields[role])['display_name']
  const email = meaningfulText(asset['contact_email']) ?? customTexts('contactEmail')[0]
  const changes = [asset['data_updated_at'], asset['metadata_updated_at'], asset['updatedAt']]
  const licences = [fieldsOf(fields['metadata'])['license'], customTexts('licence')[0]]
  return {
    title: asset['name'],
    description: fromHtml(asset['description']),
    keywords: [classes['domain_tags'], classes['tags'], customTexts('keyword')],
    themes: [...listOf(classes['domain_category']), ...listOf(classes['categories'])],
    publisher: {
      name: meaningfulText(asset['attribution']) ?? customTexts('publisher')[0] ?? nameOf('owner'),
      url: asset['attribution_link'],
    },
    creator: { name: nameOf('creator') },
    contact: [{ name: customTexts('contactName')[0], email }],
    issued: [...customTexts('issued'), asset['publication_date'], asset['createdAt']],
    modified: latest(record, changes) ?? customTexts('modified')[0],
    frequency: customTexts('frequency'),
    temporal: customTexts('temporal'),
    spatial: customTexts('spatial'),
    language: customTexts('language'),
    accessLevel: customTexts('accessRights'),
    conformsTo: customTexts('conformsTo'),
    provenance: listOf(asset['provenance']).map((text) => ({ '': text })),
    licences: licences.map((title) =>
      /^https?:/i.test(meaningfulText(title) ?? '') ? { url: title } : { title },
    ),
  }
}

/** Latest of several times; unreadable ones are reported. */
function latest(record: MappedRecord, values: readonly unknown[]): string | undefined {
  const times = values.map(meaningfulText).filter((time) => time !== undefined)
  const { readable = [], broken = [] } = Object.groupBy(times, (time) =>
    Number.isNaN(Date.parse(time)) ? 'broken' : 'readable',
  )
  for (const time of broken) record.note('invalid-date', time, 'dct:modified')
  return readable.sort((a, b) => Date.parse(b) - Date.parse(a))[0]
}

/** Distributions of an asset: exports of a table, a file, or links; none for other types. */
function distributionsOf(
  fields: Fields,
  root: string,
  record: MappedRecord,
): readonly DistributionFields[] {
  const asset = assetIn(fields)
  const sourceId = plainText(asset['id']) ?? ''
  const id = encodeURIComponent(sourceId)
  switch (asset['type']) {
    case 'dataset':
      return table(asset, root, sourceId)
    case 'file': {
      const mediaType = meaningfulText(asset['blob_mime_type'])?.split(';', 1)[0]?.trim()
      const type = encodeURIComponent(mediaType ?? 'application/octet-stream')
      const downloadUrl = `${root}/download/${id}/${type}`
      return [{ identifier: `${sourceId}/file`, downloadUrl, mediaType }]
    }
    case 'href': {
      const metadata = fieldsOf(fieldsOf(fields['view'])['metadata'])
      return [...links(metadata, record), ...attachments(metadata, `${root}/api`, id)]
    }
    default:
      return []
  }
}

const geometryTypes = /^(?:multi)?(?:point|polygon|line)$|^location$/i

/** Exports of every table, and the one of tables with places. */
function table(asset: Fields, root: string, sourceId: string): readonly DistributionFields[] {
  const id = encodeURIComponent(sourceId)
  const endpoint = `${root}/resource/${id}.json`
  const services = [{ title: { '': 'Socrata Open Data API' }, endpoint }]
  const rows = `${root}/api/views/${id}/rows.csv?accessType=DOWNLOAD`
  const map = { downloadUrl: `${root}/resource/${id}.geojson` }
  const columns = listOf(asset['columns_datatype'])
  const isMap = columns.some((type) => geometryTypes.test(plainText(type) ?? ''))
  return [
    exportFile(sourceId, 'csv', { downloadUrl: rows }),
    exportFile(sourceId, 'json', { accessUrl: endpoint, services }),
    ...(isMap ? [exportFile(sourceId, 'geojson', map)] : []),
  ]
}

/** External access points: media type or name → address. */
function links(metadata: Fields, record: MappedRecord): readonly DistributionFields[] {
  const otherPoints = listOf(metadata['additionalAccessPoints']).map(fieldsOf)
  const points: readonly Fields[] = [{ urls: metadata['accessPoints'] }, ...otherPoints]
  return points.flatMap(({ urls, title, description }) =>
    Object.entries(fieldsOf(urls)).map(([type, url]) => {
      const accessUrl = withProtocol(url)
      if (accessUrl?.startsWith('https:') === true && accessUrl !== meaningfulText(url))
        record.note(
          'repaired-iri',
          meaningfulText(url) ?? '',
          'dcat:accessURL',
          `became ${accessUrl}`,
        )
      const mediaType = type.includes('/') ? type : undefined
      return { title: fromHtml(title), description: fromHtml(description), accessUrl, mediaType }
    }),
  )
}

/** Attachments of the asset `id`. */
function attachments(metadata: Fields, api: string, id: string): readonly DistributionFields[] {
  const encodedText = (value: unknown) => encodeURIComponent(plainText(value) ?? '')
  return listOf(metadata['attachments']).map((attachment) => {
    const { assetId, blobId, filename, name } = fieldsOf(attachment)
    const view = `${api}/views/${id}/files/${encodedText(assetId)}?filename=${encodedText(filename)}`
    const asset = encodedText(blobId) && `${api}/assets/${encodedText(blobId)}?download=true`
    const title = meaningfulText(name) ?? meaningfulText(filename)
    return { title, downloadUrl: encodedText(assetId) ? view : asset }
  })
}

/** Adds a missing protocol (`data.example/x`); other texts without one become paths below the root of the site. */
function withProtocol(url: unknown): string | undefined {
  const text = meaningfulText(url)
  if (text === undefined || /^[a-z][a-z0-9+.-]*:|^\.{0,2}\/(?!\/)|^\?/i.test(text)) return text
  if (text.startsWith('//')) return `https:${text}`
  return /^[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:[/?#]|$)/.test(text) ? `https://${text}` : `/${text}`
}
