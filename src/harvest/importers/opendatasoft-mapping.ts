/** Config of an OpenDataSoft importer, and the mapping of its datasets to DCAT-AP. */

import { z } from 'zod'
import { dcat, dct } from '../../rdf/namespaces.ts'
import { type Fields, isJsonObject } from '../../text/json.ts'
import { fieldsOf, listOf, plainText, meaningfulText } from '../../vocabularies/loose-values.ts'
import { type DatasetValues, type DistributionFields, exportFile } from '../mapping/distribution.ts'
import { fromHtml, type PropertyValues } from '../mapping/properties.ts'
import { type MappedRecord, mappingKeys } from '../mapping/record.ts'
import { type EntryReader, withoutVolatile, type Portal } from './portal.ts'

const maxPageSize = 100
const texts = z.union([z.string(), z.array(z.string())])

/** Config of an OpenDataSoft importer beside the common keys. */
export const opendatasoftConfig = z.object({
  ...mappingKeys,
  /** Datasets per page; the platform permits at most 100. */
  pageSize: z
    .int()
    .positive()
    .default(maxPageSize)
    .transform((size) => Math.min(size, maxPageSize)),
  /** Field used as source id; the other one is an alias. */
  identifier: z.enum(['dataset_uid', 'dataset_id']).default('dataset_uid'),
  /** Condition in ODSQL. */
  where: z.string().optional(),
  /** Facet values that datasets must have, such as `publisher:City`. */
  refine: texts.optional(),
  /** Facet values that datasets must not have. */
  exclude: texts.optional(),
  /** Whether to import datasets of other domains. */
  federated: z.boolean().default(true),
  /** Export formats that become distributions; replaces the defaults. */
  formats: texts.optional(),
})
export type OpendatasoftConfig = z.infer<typeof opendatasoftConfig>

/** A domain, and the root of its API. */
type Domain = Portal<OpendatasoftConfig> & { readonly api: string }

/** Creates the reader of entries: ids, reasons to skip, values. */
export const datasetReader =
  (domain: Domain): EntryReader =>
  (fields) => {
    const uid = plainText(fields['dataset_uid'])
    const slug = plainText(fields['dataset_id'])
    const ids = domain.config.identifier === 'dataset_id' ? [slug, uid] : [uid, slug]
    const [sourceId = '', ...aliases] = ids.filter((id) => id !== undefined)
    // Addresses contain the readable id.
    const id = slug ?? sourceId
    const page = `${domain.root}/explore/dataset/${encodeURIComponent(id)}/`
    // Counts and processing times change without the dataset.
    const metas = fieldsOf(fields['metas'])
    const stableMetas = withoutVolatile(fieldsOf(metas['default']), [
      'records_count',
      'metadata_processed',
    ])
    return {
      sourceId,
      title: fieldsOf(metas['default'])['title'],
      aliases,
      sourceUrl: page,
      skipReason: reasonToSkip(fields, domain.config),
      flaw: isJsonObject(fields['metas']) ? undefined : 'The dataset has no metas.',
      stableFields: { ...fields, metas: { ...metas, default: stableMetas } },
      recordOptions: {
        fallbackIri: `${domain.api}/catalog/datasets/${encodeURIComponent(sourceId)}`,
        language: languageIn(fieldsOf(metas['default']), domain.config),
      },
      values: (record) => ({
        landingPage: page,
        ...datasetValues(metas, sourceId),
        sourcePage: originOf(fieldsOf(metas['default']), record),
        distributions: [
          ...exportsOf(fields, domain, { id, sourceId }),
          ...filesOf(fields, domain, { id, sourceId }, record),
        ],
      }),
    }
  }

/** Reason to skip a dataset: of another domain (unless `federated`), or without records and files. */
function reasonToSkip(fields: Fields, { federated }: OpendatasoftConfig): string | undefined {
  const metas = fieldsOf(fieldsOf(fields['metas'])['default'])
  const origins = [metas['source_domain'], metas['source_domain_address']].map(meaningfulText)
  if (!federated && (metas['federated'] === true || origins.some(Boolean)))
    return 'comes from another domain'
  const files = [fields['attachments'], fields['alternative_exports'], metas['references']]
  const isEmpty = files.every((list) => listOf(list).length === 0)
  return fields['has_records'] === false && isEmpty ? 'has neither records nor files' : undefined
}

/** Language in which metadata is requested, else that of the dataset. */
function languageIn(metas: Fields, { filters, language }: Domain['config']): string | undefined {
  const [first] = listOf(metas['metadata_languages'])
  const tags = [filters?.['lang'], metas['language'], first].map(meaningfulText)
  return tags.find((tag) => /^[A-Za-z]{2,3}(?:-|$)/.test(tag ?? '')) ?? language
}

/** Values in the `metas` of a dataset. */
function datasetValues(metas: Fields, sourceId: string): DatasetValues {
  const [basic, cat] = [fieldsOf(metas['default']), fieldsOf(metas['dcat'])]
  const agentsIn = (name: string) => listOf(cat[name]).map((name) => ({ name }))
  const languages = [basic['language'], basic['metadata_languages']].map(listOf)
  return {
    identifier:
      meaningfulText(listOf(cat['identifier'])[0]) === undefined ? sourceId : cat['identifier'],
    title: basic['title'],
    description: fromHtml(basic['description']),
    keywords: [basic['keyword']],
    themes: basic['theme'],
    publisher: { name: basic['publisher'] },
    creator: agentsIn('creator'),
    contributor: agentsIn('contributor'),
    contact: [{ name: cat['contact_name'], email: cat['contact_email'] }],
    issued: [cat['issued'], cat['created']],
    modified: [basic['modified'], basic['data_processed']],
    frequency: [cat['accrualperiodicity'], basic['update_frequency']],
    language: languages.find(({ length }) => length > 0),
    conformsTo: cat['conforms_to'],
    accessLevel: cat['accessRights'],
    page: basic['references'],
    provenance: listOf(basic['attributions']),
    relatedPage: cat['relation'],
    licences: [{ url: basic['license_url'], title: basic['license'] }],
    ...coverage(basic, cat),
  }
}

/** Spatial and temporal coverage: `metas.dcat` first, then values computed by the platform. */
function coverage(basic: Fields, cat: Fields): PropertyValues {
  // Codes of the platform's own gazetteer are used only without a name.
  const names = [basic['territory'], basic['geographic_reference']].map(listOf)
  const { bbox } = basic
  const period = { start: cat['temporal_coverage_start'], end: cat['temporal_coverage_end'] }
  const hasEnds = [period.start, period.end].some((end) => meaningfulText(end) !== undefined)
  return {
    spatial: [...listOf(cat['spatial']), ...(names.find(({ length }) => length > 0) ?? [])],
    places: [Array.isArray(bbox) ? { bbox } : { geometry: fieldsOf(bbox)['geometry'] ?? bbox }],
    periods: [period],
    temporal: hasEnds ? undefined : cat['temporal'],
  }
}

/** Page of the original dataset; a value that is no domain is reported. */
function originOf(metas: Fields, { dataset }: MappedRecord): string | undefined {
  const address =
    meaningfulText(metas['source_domain_address']) ?? meaningfulText(metas['source_domain'])
  const source = meaningfulText(metas['source_dataset'])
  const path = source === undefined ? '' : `explore/dataset/${encodeURIComponent(source)}/`
  if (/^[\w.-]+\.[a-z]{2,}$/i.test(address ?? '')) return `https://${address}/${path}`
  dataset.noteLoss(dct('source'), address)
  return undefined
}

// Distributions: exports in every format, the query API, and files.

/** `id` is the readable one, used in addresses. */
type Ids = { readonly id: string; readonly sourceId: string }

const tableFormats = ['csv', 'json', 'xlsx']
const mapFormats = ['geojson', 'shp', 'kml']

/** The exports that the config chooses, and the API that answers queries. */
function exportsOf(
  fields: Fields,
  { api, config }: Domain,
  { id, sourceId }: Ids,
): readonly DistributionFields[] {
  if (fields['has_records'] === false) return []
  const root = `${api}/catalog/datasets/${encodeURIComponent(id)}`
  const defaultFormats = listOf(fields['features']).includes('geo')
    ? [...tableFormats, ...mapFormats]
    : tableFormats
  const chosen = [config.formats ?? defaultFormats].flat().flatMap((text) => text.split(','))
  const exports = chosen.map((format) => {
    const name = format.trim()
    const downloadUrl = `${root}/exports/${encodeURIComponent(name)}`
    return exportFile(sourceId, name, { downloadUrl })
  })
  const records = exportFile(sourceId, 'json', {
    identifier: `${sourceId}/records`,
    accessUrl: `${root}/records`,
    services: [{ title: { '': 'OpenDataSoft Explore API' }, endpoint: api }],
  })
  return [...exports, records]
}

/** Internal addresses (`odsfile://`) are not published; public ones are built from the file ids. */
function filesOf(
  fields: Fields,
  { api }: Domain,
  { id, sourceId }: Ids,
  { dataset }: MappedRecord,
): readonly DistributionFields[] {
  return ['attachments', 'alternative_exports'].flatMap((list) =>
    listOf(fields[list]).flatMap((file) => {
      const { id: fileId, title, mimetype: mediaType } = fieldsOf(file)
      const name = plainText(fileId)
      if (name === undefined) {
        dataset.noteLoss(dcat('distribution'), `${meaningfulText(title) ?? 'one'} has no id`)
        return []
      }
      const root = `${api}/catalog/datasets/${encodeURIComponent(id)}`
      const downloadUrl = `${root}/${list}/${encodeURIComponent(name)}`
      return [{ identifier: `${sourceId}/${list}/${name}`, title, mediaType, downloadUrl }]
    }),
  )
}
