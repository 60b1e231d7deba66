/** From an OpenDataSoft dataset to DCAT-AP. */
import { dcat, dct, foaf, rdfs } from '../../../../rdf/namespaces.ts'
import { agent, contact } from '../../mapping/agents.ts'
import { concepts } from '../../mapping/concepts.ts'
import { period, place } from '../../mapping/coverage.ts'
import { standards } from '../../mapping/distribution.ts'
import { MappedRecord } from '../../mapping/record.ts'
import type { Subject } from '../../mapping/subject.ts'
import { fieldsOf, listOf, saidText, type Fields } from '../../../../vocabularies/loose-values.ts'
import { periodFrom, placeFrom, themesOrKeywords } from '../documents/subjects.ts'
import { mapDistributions } from './distributions.ts'
import type { Placed } from './domain.ts'

export function mapDataset(fields: Fields, placed: Placed): MappedRecord {
  const { authorities, config, page, domain, api, sourceId } = placed
  const metas = fieldsOf(fields['metas'])
  const [own, cat] = [fieldsOf(metas['default']), fieldsOf(metas['dcat'])]
  const language = languageOf(own, config)
  const record = new MappedRecord({
    ...config,
    authorities,
    language,
    fallbackIri: `${api}/catalog/datasets/${encodeURIComponent(sourceId)}`,
    base: `${domain}/`,
  })
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
