/**
 * Values of facets and of records named in the language that was asked for; what has no name in it keeps the one that it has. Facets
 * themselves, and values that are words of the platform's own, are named by those who show them.
 */

import type { Facet, SearchIndex } from '../search-index/search-index.ts'
import { isJsonObject } from '../text/json.ts'
import { shippedAuthorities } from '../vocabularies/authorities.ts'
import { at, everything, listAt, recordFields, textAt } from './record-values.ts'
import type { RecordText } from './search-answers.ts'

type Index = Pick<SearchIndex, 'get' | 'search'>
type Labels = ReadonlyMap<string, string | undefined>
/** Labels of values of a facet in a language (two or three letters, lower case). */
type LabelReader = (
  index: Index,
  ids: readonly string[],
  language: string,
  signal: AbortSignal,
) => Labels | Promise<Labels>

/** Catalogues, and datasets at a time, that are read for labels; and how often datasets are. */
const [mostRecords, mostRounds] = [50, 4]

const readers: ReadonlyMap<string, LabelReader> = new Map<string, LabelReader>([
  [
    'country',
    (_index, ids, language) => {
      const { country } = codeNames(language)
      return new Map(ids.map((id) => [id, country(id)]))
    },
  ],
  [
    'catalog',
    async (index, ids, language, signal) => {
      const titles = await catalogueTitles(index, ids.slice(0, mostRecords), signal)
      return new Map([...titles].map(([id, title]) => [id, textAt(title, language)]))
    },
  ],
  ['categories', labelsAt('categories', 'categories')],
  ['hvdCategory', labelsAt('hvdCategory', 'hvd_category')],
  ['subject', labelsAt('subject', 'subject')],
])

/** The facet with titles of its values in a language. */
export async function namedIn(
  index: Index,
  { id, title, items }: Facet,
  language: string,
  signal: AbortSignal,
): Promise<Facet> {
  const ids = items.map((item) => item.id)
  const labels = await readers.get(id)?.(index, ids, language, signal)
  const named = items.map((item) => ({ ...item, title: labels?.get(item.id) ?? item.title }))
  return { id, title, items: named }
}

/** Countries by codes of two letters, languages by codes of two or three. */
function codeNames(language: string) {
  const namesOf = (type: 'region' | 'language') =>
    new Intl.DisplayNames([language, 'en'], { type, fallback: 'none' })
  const [regions, languages] = [namesOf('region'), namesOf('language')]
  return {
    country: (id: string) => (/^[a-z]{2}$/i.test(id) ? regions.of(id.toUpperCase()) : undefined),
    language: (id: string) => (/^[a-z]{2,3}$/i.test(id) ? languages.of(id) : undefined),
  }
}

/** The record with its languages, its countries and its concepts of the shipped tables named in a language. */
export async function recordIn<Record extends RecordText>(
  record: Record,
  language: string | undefined,
): Promise<Record> {
  if (language === undefined) return record
  const { concept } = await shippedAuthorities()
  const codes = codeNames(language)
  const nameOf = (id: string, iri: string): string | undefined => {
    if (/\/(?:language|iso639-\d)\//.test(iri)) return codes.language(id)
    return iri.includes('/country/') ? codes.country(id) : concept(iri)?.prefLabel[language]
  }
  const value: unknown = JSON.parse(record.text, (_key, one: unknown) => {
    if (!isJsonObject(one) || typeof one['label'] !== 'string') return one
    const name = nameOf(textAt(one, 'id') ?? '', textAt(one, 'resource') ?? '')
    return { ...one, label: name ?? one['label'] }
  })
  return { ...record, text: JSON.stringify(value) }
}

/** The titles of catalogues, in all languages. */
export async function catalogueTitles(
  index: Pick<SearchIndex, 'get'>,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, unknown>> {
  const titles = [...new Set(ids)].map(async (id) => {
    const record = await index.get('catalogue', id, signal)
    return [id, at(recordFields(record ?? '{}'), 'title')] as const
  })
  return new Map(await Promise.all(titles))
}

/** Labels as they stand at a path in datasets that have the values: a few datasets have nearly all of them. */
function labelsAt(facet: string, path: string): LabelReader {
  return async (index, ids, language, signal) => {
    const labels = new Map<string, string | undefined>()
    // Titles are English as they come.
    let missing = language === 'en' ? [] : ids
    for (let round = 0; round < mostRounds && missing.length > 0; round++) {
      const of = missing.map((value) => ({ kind: 'value', facet, value }) as const)
      const request = { ...everything('dataset'), limit: mostRecords, include: [path] }
      const { hits } = await index.search({ ...request, tree: { kind: 'or', of } }, signal)
      for (const value of hits.flatMap(({ record }) => listAt(recordFields(record), path))) {
        const id = textAt(value, 'id') ?? ''
        labels.set(id, labels.get(id) ?? textAt(value, `label.${language}`))
      }
      const left = missing.filter((id) => !labels.has(id))
      if (left.length === missing.length) break
      missing = left
    }
    return labels
  }
}
