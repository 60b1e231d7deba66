/** From an OpenDataSoft dataset to DCAT-AP. */

import { type Fields, isJsonObject } from '../../text/json.ts'
import { z } from 'zod'
import { dcat, dct, foaf, rdfs } from '../../rdf/namespaces.ts'
import { fieldsOf, listOf, plainText, saidText } from '../../vocabularies/loose-values.ts'
import { agent, contact } from '../mapping/agents.ts'
import { concepts } from '../mapping/concepts.ts'
import {
  accessService,
  period,
  periodFrom,
  place,
  placeFrom,
  themesOrKeywords,
} from '../mapping/coverage.ts'
import { distribution, type DistributionFields, standards } from '../mapping/distribution.ts'
import { mappingKeys } from '../mapping/record-options.ts'
import type { MappedRecord } from '../mapping/record.ts'
import type { Subject } from '../mapping/subject.ts'
import { type Entry, lasting } from './entry.ts'
import { type Portal, recordIn } from './portal.ts'

const most = 100
const some = z.union([z.string(), z.array(z.string())])

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
  refine: some.optional(),
  /** Facet values that datasets must not have. */
  exclude: some.optional(),
  /** Whether datasets that come from another domain are taken. */
  federated: z.boolean().default(true),
  /** Export formats that become distributions, instead of the usual ones. */
  formats: some.optional(),
})
export type OpendatasoftConfig = z.infer<typeof opendatasoftConfig>

function mapDataset(fields: Fields, placed: Placed): MappedRecord {
  const { config, page, api, sourceId } = placed
  const metas = fieldsOf(fields['metas'])
  const [own, cat] = [fieldsOf(metas['default']), fieldsOf(metas['dcat'])]
  const language = languageOf(own, config)
  const iri = `${api}/catalog/datasets/${encodeURIComponent(sourceId)}`
  const record = recordIn(placed, iri, { language })
  const { dataset } = record
  if (!dataset.literal(dct('identifier'), cat['identifier']))
    dataset.literal(dct('identifier'), sourceId)
  dataset.text(dct('title'), own['title'])
  dataset.text(dct('description'), own['description'], { html: true })
  dataset.text(dcat('keyword'), own['keyword'])
  themesOrKeywords(dataset, own['theme'])
  dataset.link(dcat('landingPage'), page)
  people(dataset, own, cat)
  times(dataset, own, cat)
  places(dataset, own, cat)
  relations(dataset, own, cat)
  mapDistributions(dataset, fields, placed)
  return record
}

/** The language in which metadata is asked for, else the one that the dataset tells. */
function languageOf(own: Fields, { filters, language }: Placed['config']): string | undefined {
  const [first] = listOf(own['metadata_languages'])
  const told = [filters?.['lang'], own['language'], first].map(saidText)
  return told.find((tag) => tag !== undefined && /^[A-Za-z]{2,3}(?:-|$)/.test(tag)) ?? language
}

function people(dataset: Subject, own: Fields, cat: Fields): void {
  agent(dataset, dct('publisher'), { name: own['publisher'] })
  for (const name of listOf(cat['creator'])) agent(dataset, dct('creator'), { name })
  for (const name of listOf(cat['contributor'])) agent(dataset, dct('contributor'), { name })
  const [name, email] = [cat['contact_name'], cat['contact_email']]
  contact(dataset, dcat('contactPoint'), { name, email })
}

function times(dataset: Subject, own: Fields, cat: Fields): void {
  if (!dataset.date(dct('issued'), cat['issued'])) dataset.date(dct('issued'), cat['created'])
  if (!dataset.date(dct('modified'), own['modified']))
    dataset.date(dct('modified'), own['data_processed'])
  const frequency = dct('accrualPeriodicity')
  if (!concepts(dataset, frequency, 'frequency', cat['accrualperiodicity']))
    concepts(dataset, frequency, 'frequency', own['update_frequency'])
  const [start, end] = [cat['temporal_coverage_start'], cat['temporal_coverage_end']]
  if (!period(dataset, { start, end }))
    for (const value of listOf(cat['temporal'])) periodFrom(dataset, value)
}

function places(dataset: Subject, own: Fields, cat: Fields): void {
  for (const value of listOf(cat['spatial'])) placeFrom(dataset, value)
  const names = listOf(own['territory'])
  // Codes of the platform's own gazetteer are worth a label only when there is no name.
  for (const value of names.length > 0 ? names : listOf(own['geographic_reference']))
    placeFrom(dataset, value)
  const { bbox } = own
  if (Array.isArray(bbox)) place(dataset, { bbox })
  else place(dataset, { geometry: fieldsOf(bbox)['geometry'] ?? bbox })
}

function relations(dataset: Subject, own: Fields, cat: Fields): void {
  const languages = listOf(own['language'])
  const spoken = languages.length > 0 ? languages : listOf(own['metadata_languages'])
  concepts(dataset, dct('language'), 'language', spoken)
  standards(dataset, cat['conforms_to'])
  concepts(dataset, dct('accessRights'), 'access', cat['accessRights'])
  dataset.link(dct('relation'), cat['relation'])
  dataset.link(foaf('page'), own['references'])
  for (const words of listOf(own['attributions']))
    dataset.part(dct('provenance'), dct('ProvenanceStatement')).text(rdfs('label'), words)
  const address = saidText(own['source_domain_address']) ?? saidText(own['source_domain'])
  const source = saidText(own['source_dataset'])
  if (address === undefined || !/^[\w.-]+\.[a-z]{2,}$/i.test(address)) {
    dataset.lost(dct('source'), address)
    return
  }
  const path = source === undefined ? '' : `explore/dataset/${encodeURIComponent(source)}/`
  dataset.link(dct('source'), `https://${address}/${path}`)
}

// The ways to the data of an OpenDataSoft dataset: exports in every format, the query API, and files.

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

function mapDistributions(dataset: Subject, fields: Fields, placed: Placed): void {
  const { api, id, sourceId } = placed
  const own = fieldsOf(fieldsOf(fields['metas'])['default'])
  const licences = [{ url: own['license_url'], title: own['license'] }]
  const place = `${api}/catalog/datasets/${encodeURIComponent(id)}`
  if (fields['has_records'] !== false) {
    for (const format of formatsOf(fields, placed)) {
      const url = `${place}/exports/${encodeURIComponent(format)}`
      const identifier = `${sourceId}/${format}`
      const mediaType = mediaTypes[format]
      distribution(dataset, {
        identifier,
        accessUrl: url,
        downloadUrl: url,
        format,
        mediaType,
        licences,
      })
    }
    const records = distribution(dataset, {
      identifier: `${sourceId}/records`,
      accessUrl: `${place}/records`,
      format: 'JSON',
      mediaType: 'application/json',
      licences,
    })
    accessService(records, { title: 'OpenDataSoft Explore API', endpoint: api })
  }
  for (const list of ['attachments', 'alternative_exports'])
    for (const one of listOf(fields[list]).map(fieldsOf)) {
      const about = { root: `${place}/${list}`, identifier: `${sourceId}/${list}`, licences }
      file(dataset, one, about)
    }
}

type Place = Required<Pick<DistributionFields, 'licences'>> & {
  readonly root: string
  readonly identifier: string
}

/** Inside addresses (`odsfile://`) are nobody's business; the public one is made of the ids. */
function file(dataset: Subject, one: Fields, { root, identifier, licences }: Place): void {
  const name = plainText(one['id'])
  if (name === undefined) {
    dataset.lost(dcat('distribution'), `${saidText(one['title']) ?? 'one'} has no id`)
    return
  }
  const url = `${root}/${encodeURIComponent(name)}`
  distribution(dataset, {
    identifier: `${identifier}/${name}`,
    title: one['title'],
    accessUrl: url,
    downloadUrl: url,
    mediaType: one['mimetype'],
    licences,
  })
}

function formatsOf({ features }: Fields, { config }: Placed): readonly string[] {
  if (config.formats !== undefined)
    return [config.formats].flat().flatMap((text) => text.split(',').map((one) => one.trim()))
  return listOf(features).includes('geo') ? [...usual, ...ofGeography] : usual
}

/** A domain, and the root of its API. */
type Domain = Portal<OpendatasoftConfig> & { readonly api: string }

/** One dataset in its domain. */
type Placed = Domain & {
  /** The readable id, of which addresses are made. */
  readonly id: string
  readonly sourceId: string
  /** The dataset's page. */
  readonly page: string
}

// What an entry of an OpenDataSoft list is: its ids, and whether it is for us.

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
    return {
      sourceId,
      aliases,
      sourceUrl: page,
      skipped: reasonToSkip(fields, domain.config),
      flaw: isJsonObject(fields['metas']) ? undefined : 'The dataset has no metas.',
      lasting: lastingOf(fields),
      map: () => mapDataset(fields, { ...domain, id, sourceId, page }),
    }
  }

function reasonToSkip(fields: Fields, { federated }: OpendatasoftConfig): string | undefined {
  const metas = fieldsOf(fieldsOf(fields['metas'])['default'])
  if (!federated && (metas['federated'] === true || sourceDomain(metas)))
    return 'comes from another domain'
  const files = [fields['attachments'], fields['alternative_exports'], metas['references']]
  const isEmpty = files.every((some) => listOf(some).length === 0)
  return fields['has_records'] === false && isEmpty ? 'has neither records nor files' : undefined
}

const sourceDomain = (metas: Fields) =>
  saidText(metas['source_domain']) !== undefined ||
  saidText(metas['source_domain_address']) !== undefined

/** Counts and processing times change without the dataset. */
function lastingOf(fields: Fields): unknown {
  const metas = fieldsOf(fields['metas'])
  const own = lasting(fieldsOf(metas['default']), ['records_count', 'metadata_processed'])
  return { ...fields, metas: { ...metas, default: own } }
}
