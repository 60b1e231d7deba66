/**
 * Layout of indices of OpenSearch: names, mappings, and the document of a record. The tokens are ours, joined by blanks, and the engine
 * only splits them again.
 */

import { hash } from 'node:crypto'
import { cutCodePoints } from '../../text/code-points.ts'
import { otherBucket } from '../../text/language.ts'
import { idField } from '../field-reach.ts'
import type { IndexName, IndexSettings } from '../index-settings.ts'
import type { FacetEntry } from '../remote/facet-titles.ts'
import { indexedValues } from '../remote/indexed-texts.ts'
import { encodedName, escapeBytes, facetCode } from '../remote/names.ts'
import type { IndexedWord } from '../remote/term-rows.ts'
import type { Document } from '../search-index.ts'
import { titleField } from '../scoring.ts'

/** Version of the layout; indices of another one are filled again. */
export const clusterLayout = 1

/** Names of the indices of one platform, which begin with its prefix. */
export type ClusterNames = {
  /** Alias of the generation that is searched. */
  readonly alias: (index: IndexName) => string
  /** Name of a new generation. */
  readonly generation: (index: IndexName, instance: string) => string
  /** Index of the vectors of an index. */
  readonly vectors: (index: IndexName) => string
  /** Whether a name is that of a generation. */
  readonly isGeneration: (name: string) => boolean
  /** Pattern of all names. */
  readonly all: string
  /** Index of all tokens (`TermRow`), for word forms and suggestions. */
  readonly terms: string
  /** Index of facet values by their codes; also has the largest version of a removal. */
  readonly facetValues: string
}

/** Names with a prefix. An encoded name has no hyphen. */
export function clusterNames(prefix: string): ClusterNames {
  const alias = (index: IndexName) => prefix + escapeBytes(index, /[^a-z0-9]/gu)
  return {
    alias,
    generation: (index, instance) => `${alias(index)}-${instance.slice(0, 8)}`,
    vectors: (index) => `${alias(index)}-vectors`,
    isGeneration: (name) =>
      name.startsWith(prefix) && /^[a-z0-9_]+-[0-9a-f]{8}$/.test(name.slice(prefix.length)),
    all: `${prefix}*`,
    terms: `${prefix}-terms`,
    facetValues: `${prefix}-facet-values`,
  }
}

/** Number of shards and copies of an index; without `replicas` one copy where there is a second node. */
export type Sharding = { readonly shards?: number; readonly replicas?: number | undefined }

/** Most bytes of an id in a key, and of a facet value that is stored as it is; most code points of a sort text. */
const [longestKey, longestValue, longestOrder] = [500, 8_000, 4_000]

/** Key of the document of a record: the id, or a hash of a long one. */
export const recordKey = (id: string): string =>
  Buffer.byteLength(id) <= longestKey ? `i${id}` : `h${hash('sha256', id, 'hex')}`

/** Facet value as it is stored: itself, or the code of a long one after U+0000. */
export const storedValue = (facet: string, value: string): string =>
  Buffer.byteLength(value) > longestValue || value.startsWith('\0')
    ? `\0${facetCode(facet, value.toWellFormed())}`
    : value.toWellFormed()

/** Code of a stored facet value. */
export const codeOfStored = (facet: string, stored: string): string =>
  stored.startsWith('\0') ? stored.slice(1) : facetCode(facet, stored)

/** Paths of the fields of a document. `all…` have the tokens of all text fields. */
export const fieldPaths = {
  tokens: (field: string) => `t.${encodedName(field)}`,
  bucketTokens: (field: string) => `l.${encodedName(field)}`,
  allTokens: 'ta',
  allBucketTokens: 'la',
  facet: (facet: string) => `f.${encodedName(facet)}`,
  number: (name: string) => `n.${encodedName(name)}`,
  /** A flag as 0 or 1; no encoded name ends so. */
  flag: (name: string) => `n.${encodedName(name)}_f`,
  date: (name: string) => `d.${encodedName(name)}`,
  firstDate: (name: string) => `df.${encodedName(name)}`,
  lastDate: (name: string) => `dt.${encodedName(name)}`,
  order: (name: string) => `o.${encodedName(name)}`,
} as const

/** Token with its language bucket. */
export const clusterToken = (bucket: string, token: string): string => `${bucket}:${token}`

/** Places of the boxes of a document. */
export const boxPlaces: readonly number[] = [0, 1, 2, 3]

const text = (copyTo: string) => ({
  type: 'text',
  analyzer: 'tokens',
  norms: false,
  copy_to: copyTo,
})
const sorted = { type: 'keyword', index: false }
const stored = { type: 'keyword', index: false, doc_values: false, store: true }

/** Settings of shards and copies, and limits of an index. */
export const shardSettings = ({ shards = 1, replicas }: Sharding) => ({
  index: {
    number_of_shards: shards,
    ...(replicas === undefined
      ? { auto_expand_replicas: '0-1' }
      : { number_of_replicas: replicas }),
    // Versions of deleted documents, so that a late write does not bring them back.
    gc_deletes: '1d',
    max_result_window: 20_000,
    max_terms_count: 65_536,
    mapping: { total_fields: { limit: 5_000 } },
  },
})

/** Body by which the index of a generation is made; `known` is what is noted of it. */
export function recordIndex(
  settings: IndexSettings,
  languages: readonly string[],
  { known, ...sharding }: Sharding & { readonly known: string },
) {
  const { index, ...rest } = shardSettings(sharding)
  const analysis = { analyzer: { tokens: { type: 'custom', tokenizer: 'whitespace' } } }
  return {
    settings: { ...rest, index, analysis },
    mappings: {
      dynamic: 'strict',
      _source: { includes: ['r'] },
      _meta: { known },
      properties: propertiesOf(settings, languages),
    },
  }
}

function propertiesOf(settings: IndexSettings, languages: readonly string[]) {
  const fields = [...new Set([idField, ...settings.texts.map(({ name }) => name)])]
  const group = (names: readonly string[], type: object) =>
    names.length > 0
      ? { properties: Object.fromEntries(names.map((name) => [encodedName(name), type])) }
      : { type: 'object' }
  const boxes = boxPlaces.flatMap((place) => [`bx${place}`, `by${place}`])
  const orders = settings.orders.flatMap((name) => [
    name,
    ...languages.map((one) => `${name}.${one}`),
  ])
  return {
    r: { type: 'object', enabled: false },
    i: { type: 'keyword' },
    x: { type: 'keyword' },
    v: { type: 'long' },
    h: { type: 'keyword', index: false },
    y: stored,
    w: { type: 'keyword', doc_values: false },
    // With norms, because the first hits are found by the frequency of words in it.
    ta: { type: 'text', analyzer: 'tokens' },
    la: { type: 'text', analyzer: 'tokens', norms: false },
    t: group(fields, text('ta')),
    l: group(fields, text('la')),
    f: group(
      settings.facets.map(({ id }) => id),
      { type: 'keyword', eager_global_ordinals: true },
    ),
    n: {
      properties: Object.fromEntries(
        [...settings.numbers.map(fieldPaths.number), ...settings.flags.map(fieldPaths.flag)].map(
          (path) => [path.slice(2), { type: 'double' }],
        ),
      ),
    },
    d: group(settings.dates, { type: 'long_range' }),
    df: group(settings.dates, { type: 'long', index: false }),
    dt: group(settings.dates, { type: 'long', index: false }),
    o: group(orders, sorted),
    ...Object.fromEntries(boxes.map((name) => [name, { type: 'double_range' }])),
  }
}

/** Body by which an index with entries of a dictionary is made. */
export const dictionaryIndex = ({ replicas }: Sharding) => ({
  // One shard holds millions of its small documents, and each lookup is one search.
  settings: shardSettings({ replicas }),
  mappings: {
    dynamic: 'strict',
    properties: {
      term: { type: 'keyword' },
      bucket: { type: 'keyword' },
      stems: { type: 'keyword' },
      mirror: { type: 'keyword' },
      facet: { type: 'keyword', index: false, doc_values: false },
      value: { type: 'keyword', index: false, doc_values: false },
      title: { type: 'keyword', index: false, doc_values: false },
      version: { type: 'long' },
    },
  },
})

/** Settings for the documents of one index, and callbacks for the dictionary entries that must be written before them. */
export type ClusterDocuments = {
  readonly settings: IndexSettings
  readonly languages: readonly string[]
  readonly onWord: (word: IndexedWord) => void
  readonly onFacetValue: (code: string, value: FacetEntry) => void
}

/** Texts of a record as they are stored for scores: field → bucket → values, each its tokens joined by blanks. */
export type StoredTexts = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

type Members = Record<string, unknown>

/** Makes the document of a record. */
export function clusterDocument(document: Document, layout: ClusterDocuments): Members {
  const { id, index, version, hash: recordHash, text: texts, record } = document
  const { settings } = layout
  const [tokens, bucketTokens]: Members[] = [{}, {}]
  const all: Record<string, Record<string, string[]>> = {}
  for (const field of new Set([idField, ...settings.texts.map(({ name }) => name)])) {
    const values = field === idField ? { [otherBucket]: [id] } : texts[field]
    if (!values) continue
    const [plain, inBucket]: [string[], string[]] = [[], []]
    for (const { bucket, words } of indexedValues(values, layout.languages)) {
      const joined = words.map(({ token }) => token).join(' ')
      plain.push(joined)
      inBucket.push(words.map(({ token }) => clusterToken(bucket, token)).join(' '))
      if (field !== idField) ((all[field] ??= {})[bucket] ??= []).push(joined)
      for (const word of words) layout.onWord(word)
    }
    if (plain.length === 0 || !tokens || !bucketTokens) continue
    tokens[encodedName(field)] = plain
    bucketTokens[encodedName(field)] = inBucket
  }
  const titles = Object.values(all[titleField] ?? {}).flat()
  return {
    r: JSON.stringify(record),
    i: id,
    x: index,
    v: version,
    h: recordHash,
    t: tokens,
    l: bucketTokens,
    ...(Object.keys(all).length > 0 && { y: JSON.stringify(all) }),
    ...(titles.length > 0 && { w: titles.filter((title) => title.length <= longestValue) }),
    f: facetsOf(document, layout),
    ...numbersOf(document, settings),
    o: ordersOf(document, layout),
  }
}

function facetsOf({ facets }: Document, { settings, onFacetValue }: ClusterDocuments): Members {
  return Object.fromEntries(
    settings.facets.flatMap(({ id: facet }) => {
      const values = (facets[facet] ?? []).map(({ id: value, title }) => {
        const kept = storedValue(facet, value)
        onFacetValue(codeOfStored(facet, kept), { facet, value, title })
        return kept
      })
      return values.length > 0 ? [[encodedName(facet), [...new Set(values)]]] : []
    }),
  )
}

function numbersOf(document: Document, settings: IndexSettings): Members {
  const [n, d, df, dt]: [Members, Members, Members, Members] = [{}, {}, {}, {}]
  for (const name of settings.numbers) {
    const value = document.numbers[name]
    if (value !== undefined && Number.isFinite(value)) n[fieldPaths.number(name).slice(2)] = value
  }
  for (const name of settings.flags) {
    const value = document.flags[name]
    if (value !== undefined) n[fieldPaths.flag(name).slice(2)] = value ? 1 : 0
  }
  for (const name of settings.dates) {
    const periods = document.dates[name] ?? []
    if (periods.length === 0) continue
    const key = encodedName(name)
    d[key] = periods
      .map(([from, to]) => ({ gte: Math.floor(from), lte: Math.floor(to) }))
      .filter(({ gte, lte }) => gte <= lte)
    df[key] = Math.min(...periods.map(([from]) => from))
    dt[key] = Math.max(...periods.map(([, to]) => to))
  }
  // A reversed range would be refused, and with it the document.
  const isBox = ([west, south, east, north]: Document['boxes'][number]) =>
    west <= east && south <= north
  const boxes = settings.boxes ? document.boxes.filter(isBox) : []
  return { n, d, df, dt, ...Object.fromEntries(boxes.slice(0, 4).flatMap(boxMembers)) }
}

const boxMembers = ([west, south, east, north]: Document['boxes'][number], place: number) => [
  [`bx${place}`, { gte: west, lte: east }],
  [`by${place}`, { gte: south, lte: north }],
]

/** Sort texts of each sortable field: one for each configured language, or that of the main language in its place. */
function ordersOf({ order }: Document, { settings, languages }: ClusterDocuments): Members {
  return Object.fromEntries(
    settings.orders.flatMap((name) => {
      const main = order[name]
      const ofLanguages = languages.map((language) => [
        encodedName(`${name}.${language}`),
        order[`${name}.${language}`] ?? main,
      ])
      return [[encodedName(name), main], ...ofLanguages].flatMap(([path, value]) =>
        // A longer one would be refused, and with it the document.
        path === undefined || value === undefined
          ? []
          : [[path, cutCodePoints(value, longestOrder)]],
      )
    }),
  )
}
