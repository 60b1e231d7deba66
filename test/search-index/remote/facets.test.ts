import { describe, expect, it } from 'vitest'
import { facetsOfAnswer } from '../../../src/search-index/remote/facet-titles.ts'
import { countsIn } from '../../../src/search-index/meilisearch/facet-values.ts'
import type { IndexSettings } from '../../../src/search-index/index-settings.ts'
import { facetText, settings } from '../../contracts/search-index-corpus.ts'

const parts = settings.slice(0, 2)
const values = new Map(
  ['DE', 'FR', 'AT', 'eu'].map((id) => [`k${id}`, { facet: 'country', value: id, title: id }]),
)
const distributions: Record<string, Record<string, number>>[] = [
  { '_k.country': { kDE: 2, kFR: 1, keu: 1, kunknown: 9 } },
  { '_k.country': { kFR: 1, kAT: 2 } },
]

describe('facets of an answer', () => {
  it('add up over the indices, by count and then by code points', () => {
    const found = facetsOfAnswer(parts, countsIn(distributions), values, { size: 50 })
    expect(facetText(found)).toBe('country: AT 2, DE 2, FR 2, eu 1 · format: · theme: · publisher:')
  })

  it('are cut at their size and come in the wanted order', () => {
    const wanted = { size: 2, ids: ['theme', 'country', 'nope'] }
    expect(facetText(facetsOfAnswer(parts, countsIn(distributions), values, wanted))).toBe(
      'theme: · country: AT 2, DE 2',
    )
  })

  it('of ranges show all their bands', () => {
    const bands = ['DE', 'none'].map((id, i) => ({ id, title: `band ${id}`, from: i, to: i + 1 }))
    const [dataset] = settings
    const ranged: IndexSettings = {
      ...dataset!,
      facets: [{ id: 'country', title: 'Country', bands }],
    }
    const [facet] = facetsOfAnswer([ranged], countsIn(distributions), values, { size: 1 })
    expect(facet!.items).toEqual([
      { id: 'DE', title: 'band DE', count: 2, from: 0, to: 1 },
      { id: 'none', title: 'band none', count: 0, from: 1, to: 2 },
    ])
  })
})
