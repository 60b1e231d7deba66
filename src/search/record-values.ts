/** Reading what a record says, whatever shape its profile gives it. */

import { Failure } from '../errors.ts'
import type { IndexName } from '../search-index/index-settings.ts'
import type { SearchIndex, SearchRequest } from '../search-index/search-index.ts'
import { type Fields, isJsonObject, listed, memberFields, textAt, valueAt } from '../text/json.ts'
import { extentOf } from '../vocabularies/dates.ts'

/** All records of an index. Without words every record is equally relevant, so that the order is that of the ids. */
export const everything = (name: IndexName): SearchRequest => ({
  indices: [name],
  tree: { kind: 'all' },
  filter: {},
  order: [{ by: 'relevance', direction: 'desc' }],
  boosts: {},
  offset: 0,
  limit: 0,
  score: false,
})

/** The reads of an index that cut the long lists of a record, where `most` is given. */
export const cutReads = (
  index: Pick<SearchIndex, 'get'>,
  most?: number,
): Pick<SearchIndex, 'get'> => ({
  get: (name, id, signal) => index.get(name, id, signal, most),
})

/** JSON text of a record. Throws `unknown-dataset`, `unknown-catalogue`. */
export async function storedText(
  index: Pick<SearchIndex, 'get'>,
  kind: 'dataset' | 'catalogue',
  id: string,
  signal?: AbortSignal,
): Promise<string> {
  const text = await index.get(kind, id, signal)
  if (text !== undefined) return text
  throw new Failure(`unknown-${kind}`, `there is no ${kind} ${id}`)
}

/** The record of a finished JSON text; one without members where the text holds no object. */
export const recordFields = (record: string): Fields => memberFields(JSON.parse(record))

/** All values of a field: none, one or the array. */
export const listAt = (value: unknown, path: string): readonly unknown[] =>
  listed(valueAt(value, path))

/** A text, and the key of its language where it is known. */
export type Chosen = { readonly text: string; readonly language?: string }

/**
 * The text of a language map in the wanted language, else in the main language of its record: the first of the catalogue's
 * languages that the map has, else English, else the first. A plain text is in no known language. `record` is what the map is
 * a part of, where that is not what the path begins at.
 */
export function chosenAt(
  part: unknown,
  path: string,
  wanted: string,
  record: unknown = part,
): Chosen | undefined {
  const texts = valueAt(part, path)
  if (!isJsonObject(texts)) {
    const text = textAt(part, path)
    return text === undefined ? undefined : { text }
  }
  const order = [wanted, ...mainLanguages(record), 'en', ...Object.keys(texts)]
  const language = order.find((key) => textAt(texts, key) !== undefined)
  const text = language === undefined ? undefined : textAt(texts, language)
  return text === undefined || language === undefined ? undefined : { text, language }
}

/** Languages of the catalogue that a record is in, or of the record where it is a catalogue itself. */
const mainLanguages = (record: unknown): readonly string[] =>
  listAt(
    record,
    valueAt(record, 'catalog') === undefined ? 'language' : 'catalog.language',
  ).flatMap((one) => textAt(one, 'id') ?? [])

/** Instants that all readers of dates know: years of four digits. */
const earliest = Date.UTC(1, 0, 1)
const latest = Date.UTC(9999, 11, 31, 23, 59, 59)

/** The first of the paths that holds an instant. */
export function instantAt(record: unknown, ...paths: readonly string[]): Date | undefined {
  for (const path of paths) {
    const time = extentOf(textAt(record, path) ?? '')?.from ?? Number.NaN
    if (time >= earliest && time <= latest) return new Date(time)
  }
  return undefined
}

/** An address that a reader may open: http or https only, because others may be scripts. */
export function httpAddress(value: unknown): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined
  return /^https?:$/.test(new URL(value).protocol) ? value : undefined
}
