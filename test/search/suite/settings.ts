/** Index settings of the suite: few fields, every kind of them. */

import type { IndexSettings } from '../../../src/indices/settings.ts'

const text = (name: string, autocomplete = false) => ({ name, boost: 1, autocomplete })
const facet = (id: string) => ({ id, title: id })

export const scoreBands = [
  { id: 'excellentScoring', title: 'Excellent', from: 351, to: 405 },
  { id: 'goodScoring', title: 'Good', from: 221, to: 350 },
  { id: 'sufficientScoring', title: 'Sufficient', from: 121, to: 220 },
  { id: 'badScoring', title: 'Bad', from: 0, to: 120 },
]

export const settings: readonly IndexSettings[] = [
  {
    index: 'dataset',
    texts: [text('title', true), text('description'), text('keywords'), text('theme.label')],
    facets: [
      ...['country', 'format', 'theme', 'publisher', 'catalog', 'hvdCategory'].map(facet),
      { id: 'quality', title: 'Quality', bands: scoreBands },
    ],
    dates: ['issued', 'modified'],
    numbers: ['scoring'],
    flags: ['countryData', 'dataServices'],
    boxes: true,
    orders: ['title'],
  },
  {
    index: 'catalogue',
    texts: [text('title', true), text('description')],
    facets: ['country', 'publisher'].map(facet),
    dates: ['issued', 'modified'],
    numbers: [],
    flags: ['countryData'],
    boxes: false,
    orders: ['title'],
  },
  {
    index: 'vocabulary',
    texts: [text('pref_label', true), text('alt_label')],
    facets: [facet('vocabulary')],
    dates: [],
    numbers: [],
    flags: [],
    boxes: false,
    orders: [],
  },
]
