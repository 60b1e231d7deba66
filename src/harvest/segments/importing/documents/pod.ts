/** From a dataset of Project Open Data (DCAT-US 1.1, the entries of a `data.json`) to DCAT-AP. */
import { dcat, dct, foaf } from '../../../../rdf/namespaces.ts'
import { agent, contact } from '../../mapping/agents.ts'
import { concepts } from '../../mapping/concepts.ts'
import { distribution, rightsStatement, standards } from '../../mapping/distribution.ts'
import { MappedRecord } from '../../mapping/record.ts'
import type { Subject } from '../../mapping/subject.ts'
import { fieldsOf, listOf, plainText, saidText, type Fields } from '../../mapping/values/json.ts'
import { periodFrom, placeFrom, themesOrKeywords } from './subjects.ts'

type Options = ConstructorParameters<typeof MappedRecord>[0]

export function mapPod(fields: Fields, options: Options): MappedRecord {
  const record = new MappedRecord(options)
  const { dataset } = record
  dataset.literal(dct('identifier'), fields['identifier'])
  dataset.text(dct('title'), fields['title'])
  dataset.text(dct('description'), fields['description'], { html: true })
  dataset.text(dcat('keyword'), fields['keyword'])
  themesOrKeywords(dataset, fields['theme'])
  dataset.date(dct('issued'), fields['issued'])
  modified(dataset, fields['modified'])
  publisher(dataset, fields)
  concepts(dataset, dct('accessRights'), 'access', fields['accessLevel'])
  rightsStatement(dataset, fields['rights'])
  concepts(dataset, dct('language'), 'language', fields['language'])
  concepts(dataset, dct('accrualPeriodicity'), 'frequency', fields['accrualPeriodicity'])
  for (const value of listOf(fields['spatial'])) placeFrom(dataset, value)
  for (const value of listOf(fields['temporal'])) periodFrom(dataset, value)
  standards(dataset, fields['conformsTo'])
  dataset.link(foaf('page'), fields['describedBy'])
  dataset.link(foaf('page'), fields['references'])
  dataset.link(dcat('landingPage'), fields['landingPage'])
  for (const series of listOf(fields['isPartOf'])) dataset.iri(dcat('inSeries'), saidText(series))
  for (const one of listOf(fields['distribution'])) file(dataset, fieldsOf(one), fields)
  return record
}

/** Ids of an entry as it tells them: the identifier, or nothing. */
export const podIdentifier = (fields: Fields): string => plainText(fields['identifier']) ?? ''

/** Why an entry of this access level is not for the public; `undefined` for public ones. */
export function podRestriction(fields: Fields): string | undefined {
  const level = saidText(fields['accessLevel'])
  return level === undefined || level.toLowerCase() === 'public' ? undefined : `is ${level}`
}

/** A repeating interval is a frequency that came into the wrong field. */
function modified(dataset: Subject, value: unknown): void {
  if (/^R\d*\/P/i.test(plainText(value) ?? ''))
    dataset.record.note('invalid-date', `dct:modified: ${plainText(value)} is a frequency`)
  else dataset.date(dct('modified'), value)
}

function publisher(dataset: Subject, fields: Fields): void {
  const one = fieldsOf(fields['publisher'])
  agent(dataset, dct('publisher'), { name: one['name'] ?? plainText(fields['publisher']) })
  for (const who of listOf(fields['contactPoint'])) {
    const { fn: name, hasEmail: email } = fieldsOf(who)
    contact(dataset, dcat('contactPoint'), { name, email })
  }
}

function file(dataset: Subject, one: Fields, fields: Fields): void {
  distribution(dataset, {
    identifier: one['identifier'],
    title: one['title'],
    description: one['description'],
    html: true,
    accessUrl: one['accessURL'],
    downloadUrl: one['downloadURL'],
    format: one['format'],
    mediaType: one['mediaType'],
    licences: [{ url: one['license'] }, { url: fields['license'] }],
    conformsTo: one['conformsTo'],
    documentation: one['describedBy'],
  })
}
