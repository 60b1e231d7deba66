/** Random corpora: few words in many shapes, so that what is generated meets itself, and values that engines like to confuse. */

import * as fc from 'fast-check'
import type { Document, IndexChange } from '../../../src/search-index/search-index.ts'
import type { IndexName, IndexSettings } from '../../../src/search-index/index-settings.ts'

/** Languages with a bucket of their own; `zu` and `de-CH` are written too. */
export const languages = ['en', 'de', 'fr', 'el', 'ja']

const texts = (names: readonly string[]) =>
  names.map((name) => ({ name, boost: 1, autocomplete: name === 'title' }))
const titled = (ids: readonly string[]) => ids.map((id) => ({ id, title: id.toUpperCase() }))

export const settings: readonly IndexSettings[] = [
  {
    index: 'dataset',
    basis: '1',
    texts: texts(['title', 'description', 'keywords', 'distributions.title', 'publisher']),
    facets: [
      ...titled(['country', 'format', 'theme']),
      {
        id: 'quality',
        title: 'Quality',
        bands: [
          { id: 'bad', title: 'Bad', from: 0, to: 99 },
          { id: 'good', title: 'Good', from: 100, to: 400 },
        ],
      },
    ],
    dates: ['issued', 'modified', 'temporal'],
    numbers: ['scoring', 'size'],
    flags: ['countryData', 'dataServices'],
    boxes: true,
    orders: ['title', 'publisher'],
  },
  {
    index: 'catalogue',
    basis: '1',
    texts: texts(['title', 'description']),
    facets: titled(['publisher', 'country']),
    dates: ['modified', 'issued'],
    numbers: ['size'],
    flags: ['countryData'],
    boxes: false,
    orders: ['title'],
  },
  {
    index: 'resource_stations',
    basis: '1',
    texts: texts(['title']),
    facets: [],
    dates: ['modified'],
    numbers: [],
    flags: [],
    boxes: true,
    orders: [],
  },
]

const words =
  `water Water waters station stations qualities quality river rivers run running open data data's CO2 2024-05 e-mail
  Wi-Fi wifi child care childcare day Wasserstand Trinkwasser Flussbett Straßenbeleuchtung Lärm Laermkarte
  Straße Straßen strasse STRASSE Wasser Gewässer Fluss Flüsse fluss qualité qualite qualités eau l'eau donnée données
  résumé resume Łódź Œuvre νερό νερά ΑΘΉΝΑΣ αθήνα йод 東京都の水質データ 水質 データ x y foo_bar C++ ½ ﬁsh 𐐨𐐨 😀 a.b@c.d`
    .split(/\s+/)
    .filter(Boolean)

const sentence = fc
  .array(fc.constantFrom(...words), { minLength: 1, maxLength: 7 })
  .chain((all) => fc.constantFrom(' ', '  ', ' — ', '. ').map((space) => all.join(space)))
const text = fc.oneof(
  { weight: 12, arbitrary: sentence },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
)
const key = fc.constantFrom('en', 'en', 'de', 'fr', 'el', 'ja', 'zu', 'de-CH', 'EN')
const languageMap = fc.dictionary(key, fc.array(text, { minLength: 1, maxLength: 3 }), {
  maxKeys: 3,
})

/** Some differ in case, accent, or a space only; some need quoting in every language of filters. */
export const facetValues: Readonly<Record<string, readonly string[]>> = {
  country: ['DE', 'de', 'FR', 'é', 'e', 'É', 'e\u0301', 'AT', 'io'],
  format: ['CSV', 'csv', ' CSV', 'a b', '"q"', String.raw`b\s`, "it's", 'x'.repeat(600), '水質'],
  theme: ['ENVI', 'TRAN', 'http://example.org/ENVI', '-', '0'],
  quality: ['bad', 'good'],
  publisher: ['uba', 'UBA', 'ec'],
}

const day = 86_400_000
export const instants = [-9e12, -day, 0, 1, day, 1.5e12, 1.6e12, 1.7e12].map(Math.trunc)
const instant = fc.constantFrom(...instants)
const period = fc.oneof(
  { weight: 3, arbitrary: instant.map((at) => [at, at] as const) },
  fc.tuple(instant, instant).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const),
  instant.map((from) => [from, 8.64e15] as const),
  instant.map((to) => [-8.64e15, to] as const),
)
export const amounts = [-1.5, 0, 0.1, 5, 99, 100, 100.5, 400, 1e9]
const latitudes = [-90, -10.5, 0, 10, 48.2, 90]
const longitudes = [-180, -20, 0, 9.25, 16, 180]
const pairOf = (numbers: readonly number[]) =>
  fc
    .tuple(fc.constantFrom(...numbers), fc.constantFrom(...numbers))
    .map((pair) => pair.toSorted((a, b) => a - b))
export const box = fc
  .tuple(pairOf(longitudes), pairOf(latitudes))
  .map(([[west, east], [south, north]]) => [west!, south!, east!, north!] as const)

const id = fc.oneof(
  { weight: 3, arbitrary: fc.nat(200).map((n) => `record-${n}`) },
  fc.constantFrom(
    'a',
    'A',
    'á',
    'a/b',
    'a~~1',
    'water',
    '-',
    '_',
    '_61',
    'ü.b:c/d',
    "o'x",
    '"',
    String.raw`\ `,
    '水質',
    '𐐨',
    '\uFF41',
    'y'.repeat(500),
  ),
)

/** Values for some of the names. */
const some = <Value>(names: readonly string[], value: fc.Arbitrary<Value>) =>
  fc
    .array(fc.option(value, { freq: 4 }), { minLength: names.length, maxLength: names.length })
    .map((all): Record<string, Value> =>
      Object.fromEntries(names.flatMap((name, at) => (all[at] === null ? [] : [[name, all[at]!]]))),
    )

function documentOf(own: IndexSettings): fc.Arbitrary<Omit<Document, 'version'>> {
  const facet = ({ id: name }: { id: string }) =>
    fc
      .subarray([...(facetValues[name] ?? [])], {
        maxLength: Math.min(4, facetValues[name]?.length ?? 0),
      })
      .map((values) => [name, values.map((value) => ({ id: value, title: `<${value}>` }))] as const)
  return fc
    .record({
      id,
      text: some(
        own.texts.map(({ name }) => name),
        languageMap,
      ),
      facets: fc.tuple(...own.facets.map(facet)).map((all) => Object.fromEntries(all)),
      dates: some(own.dates, fc.array(period, { minLength: 1, maxLength: 4 })),
      numbers: some(own.numbers, fc.constantFrom(...amounts)),
      flags: some(own.flags, fc.boolean()),
      boxes: own.boxes ? fc.array(box, { maxLength: 4 }) : fc.constant([]),
      order: some(
        own.orders.flatMap((name) => [name, `${name}.de`, `${name}.fr`]),
        fc.constantFrom('a', 'aa', 'a b', 'b', 'z', 'ω', '水', '𐐨', '\uFF41'),
      ),
      mark: fc.nat(1e6),
    })
    .map(({ mark, ...document }) => ({
      ...document,
      index: own.index,
      hash: `#${mark}`,
      record: { id: document.id, mark, title: document.text['title'] ?? {} },
    }))
}

const document = fc.oneof(
  ...[6, 2, 1].map((weight, at) => ({ weight, arbitrary: documentOf(settings[at]!) })),
)

/** Writes in batches: versions go up and down, some records are deleted, some come back. */
export const history: fc.Arbitrary<IndexChange[][]> = fc
  .array(
    fc.record({
      document,
      version: fc.integer({ min: 1, max: 9 }),
      kind: fc.integer({ min: 0, max: 5 }),
    }),
    { minLength: 150, maxLength: 220 },
  )
  .map((steps) => {
    const changes = steps.map(({ document: one, version, kind }): IndexChange => {
      if (kind === 0) return { remove: { index: one.index, id: one.id, version } }
      return { put: { ...one, version } }
    })
    return Array.from({ length: Math.ceil(changes.length / 25) }, (_, n) =>
      changes.slice(n * 25, (n + 1) * 25),
    )
  })

/** What a history leaves: of every record the newest version, the first of equal ones; a deletion stays until a newer write. */
export function remaining(batches: readonly (readonly IndexChange[])[]): Document[] {
  const kept = new Map<string, { version: number; document?: Document }>()
  for (const change of batches.flat()) {
    const one = 'put' in change ? change.put : change.remove
    const name = JSON.stringify([one.index, one.id])
    if ((kept.get(name)?.version ?? 0) >= one.version) continue
    kept.set(name, { version: one.version, ...('put' in change && { document: change.put }) })
  }
  return [...kept.values()].flatMap((one) => one.document ?? [])
}

export const indexNames: readonly IndexName[] = settings.map(({ index }) => index)
