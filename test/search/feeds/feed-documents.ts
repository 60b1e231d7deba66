/** Datasets as a portal holds them, with the settings of their index: for all doors that show records in other forms. */

import type { Document } from '../../../src/search-index/search-index.ts'
import type { IndexSettings } from '../../../src/search-index/index-settings.ts'
import { fold } from '../../../src/text/fold.ts'

const facet = (id: string, title: string) => ({ id, title })
const text = (name: string) => ({ name, boost: 1, autocomplete: false })

export const settings: readonly IndexSettings[] = [
  {
    index: 'dataset',
    basis: '1',
    texts: ['title', 'description', 'keywords', 'publisher'].map(text),
    facets: [
      facet('catalog', 'Catalogues'),
      facet('country', 'Countries'),
      facet('keywords', 'Keywords'),
      facet('categories', 'Categories'),
      facet('publisher', 'Publishers'),
      facet('format', 'Formats'),
      facet('license', 'Licenses'),
    ],
    dates: ['issued', 'modified', 'catalog_record.issued', 'catalog_record.modified'],
    numbers: ['quality_meas.scoring'],
    flags: ['countryData', 'dataServices'],
    boxes: true,
    orders: ['id', 'title'],
  },
  {
    index: 'catalogue',
    basis: '1',
    texts: [text('title')],
    facets: [facet('country', 'Countries')],
    dates: ['modified'],
    numbers: [],
    flags: ['countryData'],
    boxes: false,
    orders: ['id', 'title'],
  },
]

/** What a test says about a dataset; the rest is made up. */
export type DatasetParts = {
  readonly id: string
  readonly title?: Readonly<Record<string, string>>
  readonly description?: Readonly<Record<string, string>>
  readonly keywords?: readonly string[]
  readonly format?: string
  readonly license?: string
  readonly modified?: string
  readonly issued?: string
  readonly catalogue?: string
  /** Further members of the record, or others in place of the made ones. */
  readonly more?: Readonly<Record<string, unknown>>
}

const value = (id: string) => ({ id, title: id })

const period = (name: string, text: string | undefined): [string, [number, number][]][] =>
  text === undefined ? [] : [[name, [[Date.parse(text), Date.parse(text)]]]]

const listed = (texts: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(texts).map(([language, one]) => [language, [one]]))

export function datasetOf(told: DatasetParts): Document {
  const { id, title = { en: `Dataset ${id}` }, description = {}, keywords = [] } = told
  const { catalogue = 'c1', format, license, modified, issued } = told
  const first = Object.values(title)[0] ?? ''
  return {
    index: 'dataset',
    id,
    version: 1,
    hash: id,
    text: { title: listed(title), description: listed(description), keywords: { en: keywords } },
    facets: {
      catalog: [value(catalogue)],
      keywords: keywords.map(value),
      format: format === undefined ? [] : [value(format)],
      license: license === undefined ? [] : [value(license)],
    },
    dates: Object.fromEntries([
      ...period('issued', issued),
      ...period('modified', modified),
      ...period('catalog_record.issued', issued),
      ...period('catalog_record.modified', modified),
    ]),
    numbers: {},
    flags: {},
    boxes: [],
    order: { id, title: fold(first).slice(0, 100) },
    record: {
      id,
      resource: `https://portal.example/set/data/${id}`,
      title,
      description,
      catalog: {
        id: catalogue,
        title: { en: `Catalogue ${catalogue}` },
        language: [{ id: 'de', label: 'German' }],
      },
      catalog_record: { ...(issued && { issued }), ...(modified && { modified }) },
      keywords: keywords.map((one) => ({ id: one, label: one.toUpperCase(), language: 'en' })),
      distributions: [],
      ...(issued && { issued }),
      ...(modified && { modified }),
      ...told.more,
    },
  }
}

export const catalogueOf = (id: string, modified?: string): Document => ({
  ...datasetOf({ id, title: { en: `Catalogue ${id}` } }),
  index: 'catalogue',
  facets: {},
  dates: Object.fromEntries(period('modified', modified)),
  record: { id, title: { en: `Catalogue ${id}` }, ...(modified && { modified }) },
})
