/** From a Socrata asset to DCAT-AP. */
import { dcat, dct, rdfs } from '../../../../rdf/namespaces.ts'
import { agent, contact } from '../../mapping/agents.ts'
import { concepts } from '../../mapping/concepts.ts'
import { standards } from '../../mapping/distribution.ts'
import { MappedRecord } from '../../mapping/record.ts'
import type { Subject } from '../../mapping/subject.ts'
import { fieldsOf, saidText, type Fields } from '../../../../vocabularies/loose-values.ts'
import { periodFrom, placeFrom, themesOrKeywords } from '../documents/subjects.ts'
import { mapDistributions } from './distributions.ts'
import { meaningsIn, type Meanings } from './meanings.ts'
import type { Placed } from './site.ts'

export function mapAsset(fields: Fields, placed: Placed): MappedRecord {
  const { config, authorities, origin, sourceId, page } = placed
  const asset = fieldsOf(fields['resource'])
  const classes = fieldsOf(fields['classification'])
  const told = meaningsIn(classes['domain_metadata'], config.fields)
  const record = new MappedRecord({
    ...config,
    authorities,
    language: config.language,
    fallbackIri: `${origin}/d/${encodeURIComponent(sourceId)}`,
    base: `${origin}/`,
  })
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
