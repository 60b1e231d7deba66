/**
 * Labels of facet values and records in the language of the parameter `locale`; values without a label in it keep the one that they
 * have. Facets themselves, and values defined by the platform, are labelled by the client.
 */

import type { Facet, SearchIndex, DocumentReader } from '../search-index/search-index.ts'
import { isJsonObject, textAt, valueAt } from '../text/json.ts'
import { fingerprint } from '../text/fingerprint.ts'
import { shippedAuthorities } from '../vocabularies/authorities.ts'
import { allRecords, valuesAtPath, recordFields } from './record-values.ts'
import type { RecordText } from './search-answers.ts'

type Index = Pick<SearchIndex, 'get' | 'search'>
type Labels = ReadonlyMap<string, string | undefined>
/** Reads the labels of the values of a facet in a language (two or three letters, lower case). */
type LabelReader = (
  facet: Facet,
  language: string,
  index: Index,
  signal: AbortSignal,
) => Labels | Promise<Labels>

/** Most catalogues and datasets that are read at a time for labels, and most reads of datasets. */
const [mostRecords, mostReads] = [50, 4]

const readers: ReadonlyMap<string, LabelReader> = new Map<string, LabelReader>([
  ['country', countryNames],
  ['catalog', catalogueNames],
  ['categories', labelsAt('categories')],
  ['hvdCategory', labelsAt('hvd_category')],
  ['subject', labelsAt('subject')],
  ['spatial', placeNames],
])

/** Returns a facet with the titles of its values in a language. */
export async function withTitlesIn(...[facet, ...args]: Parameters<LabelReader>): Promise<Facet> {
  const labels = await readers.get(facet.id)?.(facet, ...args)
  const items = facet.items.map((item) => ({ ...item, title: labels?.get(item.id) ?? item.title }))
  return { ...facet, items }
}

/** Reads the names of countries by two-letter codes, of languages by two- or three-letter codes. */
function codeNames(type: 'region' | 'language', language: string) {
  const displayNames = new Intl.DisplayNames([language, 'en'], { type, fallback: 'none' })
  const codePattern = type === 'region' ? /^[a-z]{2}$/i : /^[a-z]{2,3}$/i
  return (id: string) => (codePattern.test(id) ? displayNames.of(id.toUpperCase()) : undefined)
}

function countryNames({ items }: Facet, language: string): Labels {
  const nameOf = codeNames('region', language)
  return new Map(items.map(({ id }) => [id, nameOf(id)]))
}

/** Reads the names of places that are concepts of shipped or installed vocabularies. */
async function placeNames(...[{ items }, language, index, signal]: Parameters<LabelReader>) {
  if (items.length === 0) return new Map()
  const { concept } = await shippedAuthorities()
  const ids = items.slice(0, mostRecords).map(({ id }) => id)
  const names = new Map(ids.map((id) => [id, concept(id)?.prefLabel[language]]))
  const operands = ids
    .filter((id) => names.get(id) === undefined)
    .map(
      (id) =>
        ({ kind: 'range', name: 'resource', from: fingerprint(id), to: fingerprint(id) }) as const,
    )
  const include = ['resource', 'pref_label']
  const request = { ...allRecords('vocabulary'), limit: mostRecords, include }
  const { hits } = await index.search({ ...request, tree: { kind: 'or', operands } }, signal)
  for (const fields of hits.map(({ record }) => recordFields(record)))
    names.set(textAt(fields, 'resource') ?? '', textAt(fields, `pref_label.${language}`))
  return names
}

async function catalogueNames(...[facet, language, index, signal]: Parameters<LabelReader>) {
  const ids = facet.items.slice(0, mostRecords).map(({ id }) => id)
  const titles = await catalogueTitles(index, ids, signal)
  return new Map([...titles].map(([id, title]) => [id, textAt(title, language)]))
}

/** Returns a record with the names of its languages, countries and bundled concepts in a language. */
export async function translateRecord<Record extends RecordText>(
  record: Record,
  language: string | undefined,
): Promise<Record> {
  if (language === undefined) return record
  const { concept } = await shippedAuthorities()
  const [countryOf, languageOf] = [codeNames('region', language), codeNames('language', language)]
  const nameOf = (id: string, iri: string): string | undefined => {
    if (/\/(?:language|iso639-\d)\//.test(iri)) return languageOf(id)
    return iri.includes('/country/') ? countryOf(id) : concept(iri)?.prefLabel[language]
  }
  const value: unknown = JSON.parse(record.text, (_key, member: unknown) => {
    if (!isJsonObject(member) || typeof member['label'] !== 'string') return member
    const name = nameOf(textAt(member, 'id') ?? '', textAt(member, 'resource') ?? '')
    return { ...member, label: name ?? member['label'] }
  })
  return { ...record, text: JSON.stringify(value) }
}

/** Returns the titles of catalogues, in all languages. */
export async function catalogueTitles(
  index: DocumentReader,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, unknown>> {
  const titles = [...new Set(ids)].map(async (id) => {
    const record = await index.get('catalogue', id, signal)
    return [id, valueAt(recordFields(record ?? '{}'), 'title')] as const
  })
  return new Map(await Promise.all(titles))
}

/** Reads labels at a path of datasets that have the values: a few datasets contain nearly all of them. */
function labelsAt(path: string): LabelReader {
  return async ({ id: facet, items }, language, index, signal) => {
    const labels = new Map<string, string | undefined>()
    // Titles are English by default.
    let unlabelled = language === 'en' ? [] : items.map(({ id }) => id)
    for (let round = 0; round < mostReads && unlabelled.length > 0; round++) {
      const operands = unlabelled.map((value) => ({ kind: 'value', facet, value }) as const)
      const request = { ...allRecords('dataset'), limit: mostRecords, include: [path] }
      const { hits } = await index.search({ ...request, tree: { kind: 'or', operands } }, signal)
      for (const value of hits.flatMap(({ record }) => valuesAtPath(recordFields(record), path))) {
        const id = textAt(value, 'id') ?? ''
        labels.set(id, labels.get(id) ?? textAt(value, `label.${language}`))
      }
      const remaining = unlabelled.filter((id) => !labels.has(id))
      if (remaining.length === unlabelled.length) break
      unlabelled = remaining
    }
    return labels
  }
}
