/** The corpus of the search contract: 19 records that say what they are for, their settings, and requests over them. */

import { readFileSync } from 'node:fs'
import type { Document, SearchIndex, SearchRequest } from '../../src/search-index/search-index.ts'
import type { IndexName, IndexSettings } from '../../src/search-index/index-settings.ts'
import { cutCodePoints } from '../../src/text/code-points.ts'
import { fold } from '../../src/text/fold.ts'

/** `zu` is not among them and lies in the bucket of the others. */
export const languages = ['en', 'de', 'fr', 'el', 'ja']

/** An empty engine; `release` gives back what it stands on. */
export type Made = { readonly index: SearchIndex; readonly release: () => Promise<void> }

/** An engine that nothing is missing in. */
export async function configured(
  index: SearchIndex,
  all: readonly IndexSettings[] = settings,
): Promise<void> {
  const { rebuild } = await index.configure(all)
  for (const name of rebuild) await index.finish(name)
}

export const settings: readonly IndexSettings[] = [
  {
    index: 'dataset',
    basis: '1',
    texts: texts(['title', 'description', 'keywords']),
    facets: facets(['country', 'format', 'theme', 'publisher']),
    dates: ['issued', 'modified'],
    numbers: ['scoring'],
    flags: ['countryData', 'dataServices'],
    boxes: true,
    orders: ['title'],
  },
  {
    index: 'catalogue',
    basis: '1',
    texts: texts(['title', 'description']),
    facets: facets(['country', 'publisher']),
    dates: ['issued', 'modified'],
    numbers: [],
    flags: ['countryData'],
    boxes: false,
    orders: ['title'],
  },
  {
    index: 'vocabulary',
    basis: '1',
    texts: texts(['pref_label', 'alt_label']),
    facets: facets(['vocabulary']),
    dates: [],
    numbers: [],
    flags: [],
    boxes: false,
    orders: [],
  },
]

function texts(names: readonly string[]) {
  return names.map((name) => ({
    name,
    boost: 1,
    autocomplete: name === 'title' || name === 'pref_label',
  }))
}

function facets(ids: readonly string[]) {
  return ids.map((id) => ({ id, title: id.toUpperCase() }))
}

/** A record as the corpus file writes it; a missing key means no value. */
export type Sample = {
  readonly index: IndexName
  readonly id: string
  readonly version?: number
  readonly text?: Document['text']
  readonly facets?: Readonly<Record<string, readonly string[]>>
  readonly issued?: string
  readonly modified?: string
  readonly scoring?: number
  readonly boxes?: Document['boxes']
  readonly dataServices?: boolean
}

const file = new URL('search-index-corpus.json', import.meta.url)
export const samples: readonly Sample[] = JSON.parse(readFileSync(file, 'utf8'))

export const sampleOf = (id: string): Sample => samples.find((sample) => sample.id === id)!

export function documentOf(sample: Sample): Document {
  const { index, id, version = 1, text = {} } = sample
  const title = text['title'] ?? {}
  const [main] = Object.keys(title)
  const sortText = (language: string) =>
    cutCodePoints(fold((title[language] ?? title[main!])?.[0] ?? ''), 100)
  const order = main
    ? Object.fromEntries([
        ['title', sortText(main)],
        ...languages.map((language) => [`title.${language}`, sortText(language)]),
      ])
    : {}
  const instants = Object.entries({ issued: sample.issued, modified: sample.modified })
  const dates = instants.flatMap(([name, at]) =>
    at ? [[name, [[Date.parse(at), Date.parse(at)]]] as const] : [],
  )
  const countries = sample.facets?.['country'] ?? []
  return {
    index,
    id,
    version,
    hash: id,
    text,
    facets: Object.fromEntries(
      Object.entries(sample.facets ?? {}).map(([facet, ids]) => [
        facet,
        ids.map((value) => ({ id: value, title: value })),
      ]),
    ),
    dates: Object.fromEntries(dates),
    numbers: sample.scoring === undefined ? {} : { scoring: sample.scoring },
    flags: {
      countryData: countries.some((country) => country !== 'eu' && country !== 'io'),
      dataServices: sample.dataServices ?? false,
    },
    boxes: sample.boxes ?? [],
    order,
    record: { id, ...recordTexts(text), version },
  }
}

/** Language maps as clients get them: one text per language, several only where there are. */
const recordTexts = (text: Document['text']) =>
  Object.fromEntries(
    Object.entries(text).map(([field, values]) => [
      field,
      Object.fromEntries(
        Object.entries(values).map(([language, all]) => [
          language,
          all.length === 1 ? all[0] : all,
        ]),
      ),
    ]),
  )

export const documents: readonly Document[] = samples.map(documentOf)

/** A request for all datasets, with what the case changes. */
export const request = (changes: Partial<SearchRequest> = {}): SearchRequest => ({
  indices: ['dataset'],
  tree: { kind: 'all' },
  filter: {},
  order: [],
  boosts: {},
  offset: 0,
  limit: 1000,
  score: false,
  ...changes,
})

/** `country: DE 2, FR 1 · theme: ` as in the cases. */
export const facetText = (
  facets: readonly { id: string; items: readonly { id: string; count: number }[] }[] | undefined,
) =>
  facets
    ?.map(({ id, items }) =>
      `${id}: ${items.map((item) => `${item.id} ${item.count}`).join(', ')}`.trim(),
    )
    .join(' · ')
