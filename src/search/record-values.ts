/** Reading of values from the JSON of records, for all endpoints of the search service. It does not depend on the profile. */

import { Failure } from '../errors.ts'
import type { IndexName } from '../search-index/index-settings.ts'
import type { DocumentReader, SearchRequest } from '../search-index/search-index.ts'
import { type Fields, isJsonObject, listed, memberFields, textAt, valueAt } from '../text/json.ts'
import { timeRangeOf } from '../vocabularies/dates.ts'

/**
 * Makes a request that matches all records of an index; callers set `limit`. All are equally relevant, so they are sorted by id.
 */
export const allRecords = (name: IndexName): SearchRequest => ({
  indices: [name],
  tree: { kind: 'all' },
  filter: {},
  order: [{ name: 'relevance', direction: 'desc' }],
  boosts: {},
  offset: 0,
  limit: 0,
  score: false,
})

/** Makes a reader of records that cuts long lists to `maxEntries` entries, if it is set. */
export const readTruncated = (index: DocumentReader, maxEntries?: number): DocumentReader => ({
  get: (name, id, signal) => index.get(name, id, signal, maxEntries),
})

/** Returns the JSON text of a record. Throws `unknown-dataset`, `unknown-catalogue`. */
export async function storedText(
  index: DocumentReader,
  kind: 'dataset' | 'catalogue',
  id: string,
  signal?: AbortSignal,
): Promise<string> {
  const text = await index.get(kind, id, signal)
  if (text !== undefined) return text
  throw new Failure(`unknown-${kind}`, `there is no ${kind} ${id}`)
}

/** Parses the JSON text of a record; an object without members when the text is not an object. */
export const recordFields = (record: string): Fields => memberFields(JSON.parse(record))

/** Returns all values of a field: none, one or the array. */
export const valuesAtPath = (value: unknown, path: string): readonly unknown[] =>
  listed(valueAt(value, path))

/** Text with the key of its language, where known. */
export type TextWithLanguage = { readonly text: string; readonly language?: string }

/**
 * Returns the text of a language map in the requested language, else in the main language of its record: the first of the
 * catalogue's languages that the map has, else English, else the first. A plain text has no known language. `record` is the
 * enclosing record, where the path begins inside it.
 */
export function textInLanguage(
  part: unknown,
  path: string,
  requested: string,
  record: unknown = part,
): TextWithLanguage | undefined {
  const texts = valueAt(part, path)
  if (!isJsonObject(texts)) {
    const text = textAt(part, path)
    return text === undefined ? undefined : { text }
  }
  const order = [requested, ...mainLanguages(record), 'en', ...Object.keys(texts)]
  const language = order.find((key) => textAt(texts, key) !== undefined)
  const text = language === undefined ? undefined : textAt(texts, language)
  return text === undefined || language === undefined ? undefined : { text, language }
}

/** Returns the languages of a record's catalogue, or of the record when it is a catalogue. */
const mainLanguages = (record: unknown): readonly string[] =>
  valuesAtPath(
    record,
    valueAt(record, 'catalog') === undefined ? 'language' : 'catalog.language',
  ).flatMap((language) => textAt(language, 'id') ?? [])

/** First and last instant that is returned: those whose year has four digits in feeds; `Date.UTC` adds 1900 to years below 100. */
const earliest = Date.parse('0001-01-01')
const latest = Date.UTC(9999, 11, 31, 23, 59, 59)

/** Returns the instant at the first path that holds one. */
export function instantAt(record: unknown, ...paths: readonly string[]): Date | undefined {
  for (const path of paths) {
    const time = timeRangeOf(textAt(record, path) ?? '')?.from ?? Number.NaN
    if (time >= earliest && time <= latest) return new Date(time)
  }
  return undefined
}

/** Returns an address that is safe to open: http or https only, because others may run scripts. */
export function httpAddress(value: unknown): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined
  return /^https?:$/.test(new URL(value).protocol) ? value : undefined
}
