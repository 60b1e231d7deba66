/** What the config of an OpenDataSoft importer may say, and from its datasets to DCAT-AP. */

import { z } from 'zod'
import { dcat, dct } from '../../rdf/namespaces.ts'
import { type Fields, isJsonObject } from '../../text/json.ts'
import { fieldsOf, listOf, plainText, saidText } from '../../vocabularies/loose-values.ts'
import { period } from '../mapping/coverage.ts'
import { distribution } from '../mapping/distribution.ts'
import { fromHtml, type PropertyValues, write } from '../mapping/properties.ts'
import { type MappedRecord, mappingKeys, type Subject } from '../mapping/record.ts'
import { type Entry, lasting, type Portal, recordIn } from './portal.ts'

const most = 100
const texts = z.union([z.string(), z.array(z.string())])

export const opendatasoftConfig = z.object({
  ...mappingKeys,
  /** The platform gives 100 at most; more is cut to that. */
  pageSize: z
    .int()
    .positive()
    .default(most)
    .transform((size) => Math.min(size, most)),
  /** Which of the two is the source id; the other is an alias. */
  identifier: z.enum(['dataset_uid', 'dataset_id']).default('dataset_uid'),
  /** Condition in ODSQL. */
  where: z.string().optional(),
  /** Facet values that datasets must have, `publisher:City`. */
  refine: texts.optional(),
  /** Facet values that datasets must not have. */
  exclude: texts.optional(),
  /** Whether datasets that come from another domain are taken. */
  federated: z.boolean().default(true),
  /** Export formats that become distributions, instead of the usual ones. */
  formats: texts.optional(),
})
export type OpendatasoftConfig = z.infer<typeof opendatasoftConfig>

/** A domain, and the root of its API. */
type Domain = Portal<OpendatasoftConfig> & { readonly api: string }

/** The ids of an entry, and whether it is for us. */
export const datasetReader =
  (domain: Domain) =>
  (fields: Fields): Entry => {
    const uid = plainText(fields['dataset_uid'])
    const slug = plainText(fields['dataset_id'])
    const ids = domain.config.identifier === 'dataset_id' ? [slug, uid] : [uid, slug]
    const [sourceId = '', ...aliases] = ids.filter((id) => id !== undefined)
    // Addresses are made of the readable id.
    const id = slug ?? sourceId
    const page = `${domain.root}/explore/dataset/${encodeURIComponent(id)}/`
    // Counts and processing times change without the dataset.
    const metas = fieldsOf(fields['metas'])
    const own = lasting(fieldsOf(metas['default']), ['records_count', 'metadata_processed'])
    return {
      sourceId,
      aliases,
      sourceUrl: page,
      skipped: reasonToSkip(fields, domain.config),
      flaw: isJsonObject(fields['metas']) ? undefined : 'The dataset has no metas.',
      lasting: { ...fields, metas: { ...metas, default: own } },
      map: () => mapDataset(fields, { ...domain, id, sourceId, page }),
    }
  }

function reasonToSkip(fields: Fields, { federated }: OpendatasoftConfig): string | undefined {
  const metas = fieldsOf(fieldsOf(fields['metas'])['default'])
  const origins = [metas['source_domain'], metas['source_domain_address']].map(saidText)
  if (!federated && (metas['federated'] === true || origins.some(Boolean)))
    return 'comes from another domain'
  const files = [fields['attachments'], fields['alternative_exports'], metas['references']]
  const isEmpty = files.every((some) => listOf(some).length === 0)
  return fields['has_records'] === false && isEmpty ? 'has neither records nor files' : undefined
}

/** One dataset in its domain. */
type OpendatasoftDataset = Domain & {
  /** The readable id, of which addresses are made. */
  readonly id: string
  readonly sourceId: string
  /** The dataset's page. */
  readonly page: string
}

function mapDataset(fields: Fields, context: OpendatasoftDataset): MappedRecord {
  const { config, page, api, sourceId } = context
  const metas = fieldsOf(fields['metas'])
  const [own, cat] = [fieldsOf(metas['default']), fieldsOf(metas['dcat'])]
  const named = (name: string) => listOf(cat[name]).map((one) => ({ name: one }))
  // The language in which metadata is asked for, else the one that the dataset tells.
  const [first] = listOf(own['metadata_languages'])
  const tags = [config.filters?.['lang'], own['language'], first].map(saidText)
  const language = tags.find((tag) => /^[A-Za-z]{2,3}(?:-|$)/.test(tag ?? '')) ?? config.language
  const iri = `${api}/catalog/datasets/${encodeURIComponent(sourceId)}`
  const record = recordIn(context, iri, { language })
  const { dataset } = record
  const languages = [own['language'], own['metadata_languages']].map(listOf)
  write(dataset, {
    identifier: saidText(listOf(cat['identifier'])[0]) === undefined ? sourceId : cat['identifier'],
    title: own['title'],
    description: fromHtml(own['description']),
    keyword: own['keyword'],
    themes: own['theme'],
    landingPage: page,
    publisher: { name: own['publisher'] },
    creator: named('creator'),
    contributor: named('contributor'),
    contact: [{ name: cat['contact_name'], email: cat['contact_email'] }],
    issued: [cat['issued'], cat['created']],
    modified: [own['modified'], own['data_processed']],
    frequency: [cat['accrualperiodicity'], own['update_frequency']],
    language: languages.find(({ length }) => length > 0),
    conformsTo: cat['conforms_to'],
    accessLevel: cat['accessRights'],
    page: own['references'],
    provenance: listOf(own['attributions']),
    ...extent(dataset, own, cat),
  })
  dataset.link(dct('relation'), cat['relation'])
  origin(dataset, own)
  mapDistributions(dataset, fields, context)
  return record
}

function extent(dataset: Subject, own: Fields, cat: Fields): PropertyValues {
  // Codes of the platform's own gazetteer are worth a label only when there is no name.
  const names = [own['territory'], own['geographic_reference']].map(listOf)
  const { bbox } = own
  const [start, end] = [cat['temporal_coverage_start'], cat['temporal_coverage_end']]
  return {
    spatial: [...listOf(cat['spatial']), ...(names.find(({ length }) => length > 0) ?? [])],
    places: [Array.isArray(bbox) ? { bbox } : { geometry: fieldsOf(bbox)['geometry'] ?? bbox }],
    temporal: period(dataset, { start, end }) ? undefined : cat['temporal'],
  }
}

/** The domain and dataset that this one was taken from. */
function origin(dataset: Subject, own: Fields): void {
  const address = saidText(own['source_domain_address']) ?? saidText(own['source_domain'])
  const source = saidText(own['source_dataset'])
  const path = source === undefined ? '' : `explore/dataset/${encodeURIComponent(source)}/`
  if (/^[\w.-]+\.[a-z]{2,}$/i.test(address ?? ''))
    dataset.link(dct('source'), `https://${address}/${path}`)
  else dataset.lost(dct('source'), address)
}

// The ways to the data of a dataset: exports in every format, the query API, and files.

const usual = ['csv', 'json', 'xlsx']
const ofGeography = ['geojson', 'shp', 'kml']

const mediaTypes: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  json: 'application/json',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  geojson: 'application/geo+json',
  kml: 'application/vnd.google-earth.kml+xml',
  shp: 'application/zip',
  rdf: 'application/rdf+xml',
  ttl: 'text/turtle',
  jsonld: 'application/ld+json',
}

function mapDistributions(dataset: Subject, fields: Fields, context: OpendatasoftDataset): void {
  const { api, id, sourceId, config } = context
  const own = fieldsOf(fieldsOf(fields['metas'])['default'])
  const licences = [{ url: own['license_url'], title: own['license'] }]
  const root = `${api}/catalog/datasets/${encodeURIComponent(id)}`
  const shipped = listOf(fields['features']).includes('geo') ? [...usual, ...ofGeography] : usual
  const chosen = [config.formats ?? shipped].flat().flatMap((text) => text.split(','))
  const formats = chosen.map((format) => format.trim())
  if (fields['has_records'] !== false) {
    for (const format of formats) {
      const url = `${root}/exports/${encodeURIComponent(format)}`
      const about = { identifier: `${sourceId}/${format}`, mediaType: mediaTypes[format] }
      distribution(dataset, { ...about, accessUrl: url, downloadUrl: url, format, licences })
    }
    distribution(dataset, {
      identifier: `${sourceId}/records`,
      accessUrl: `${root}/records`,
      format: 'JSON',
      mediaType: 'application/json',
      licences,
      services: [{ title: { '': 'OpenDataSoft Explore API' }, endpoint: api }],
    })
  }
  for (const list of ['attachments', 'alternative_exports'])
    for (const { id: file, title, mimetype } of listOf(fields[list]).map(fieldsOf)) {
      const name = plainText(file)
      if (name === undefined)
        dataset.lost(dcat('distribution'), `${saidText(title) ?? 'one'} has no id`)
      else {
        // Inside addresses (`odsfile://`) are nobody's business; the public one is made of the ids.
        const url = `${root}/${list}/${encodeURIComponent(name)}`
        const about = { identifier: `${sourceId}/${list}/${name}`, title, mediaType: mimetype }
        distribution(dataset, { ...about, accessUrl: url, downloadUrl: url, licences })
      }
    }
}
