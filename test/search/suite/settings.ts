/** Index settings of the suite: those of the contract, and what only the station knows: bands and a label. */

import type { FacetSettings, IndexSettings } from '../../../src/search-index/index-settings.ts'
import { settings as contracted } from '../../contracts/search-index-corpus.ts'

export const scoreBands = [
  { id: 'excellentScoring', title: 'Excellent', from: 351, to: 405 },
  { id: 'goodScoring', title: 'Good', from: 221, to: 350 },
  { id: 'sufficientScoring', title: 'Sufficient', from: 121, to: 220 },
  { id: 'badScoring', title: 'Bad', from: 0, to: 120 },
]

/** What the dataset index has beyond the contract of the engines. */
const more = {
  texts: [{ name: 'theme.label', boost: 1, autocomplete: false }],
  facets: [
    { id: 'catalog', title: 'CATALOG' },
    { id: 'hvdCategory', title: 'HVDCATEGORY' },
    {
      id: 'license',
      title: 'LICENSE',
      within: { array: 'distributions', value: 'license.id' },
    },
    { id: 'quality', title: 'Quality', bands: scoreBands },
  ],
}

/** Where the facets of distributions stand in records. */
const places: Readonly<Record<string, Pick<FacetSettings, 'within'>>> = {
  format: { within: { array: 'distributions', value: 'format.id' } },
}

/** Concepts are found by the fingerprints of their IRIs. */
const fingerprints = ['resource']

export const settings: readonly IndexSettings[] = contracted.map((one) => {
  if (one.index === 'vocabulary') return { ...one, numbers: [...one.numbers, ...fingerprints] }
  if (one.index !== 'dataset') return one
  const facets = one.facets.map((facet) => ({ ...facet, ...places[facet.id] }))
  return { ...one, texts: [...one.texts, ...more.texts], facets: [...facets, ...more.facets] }
})
