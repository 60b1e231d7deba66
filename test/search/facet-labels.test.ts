/** Labels of themes and catalogues in the language asked for, as records have them. */

import { expect, it } from 'vitest'
import type { Facet, SearchIndex } from '../../src/search-index/search-index.ts'
import { withTitlesIn } from '../../src/search/facet-labels.ts'

const theme = (id: string, label: object) => ({ id, label })
const item = (id: string, title: string) => ({ id, title, count: 1 })
const records = [
  { categories: [theme('ENVI', { en: 'Environment', de: 'Umwelt' }), theme('X', { en: 'X' })] },
  { categories: 'odd' },
]

function partOfIndex(): Pick<SearchIndex, 'search' | 'get'> {
  return {
    search: () =>
      Promise.resolve({
        count: records.length,
        hits: records.map((record, at) => ({
          index: 'dataset' as const,
          id: `d${at}`,
          record: JSON.stringify(record),
        })),
      }),
    get: (_index, id) =>
      Promise.resolve(id === 'c01' ? '{"title":{"en":"City","de":"Stadt"}}' : undefined),
  }
}

const facets: readonly Facet[] = [
  { id: 'categories', title: 'Categories', items: [item('ENVI', 'Environment'), item('X', 'X')] },
  { id: 'catalog', title: 'Places', items: [item('c01', 'City'), item('c02', 'Gone')] },
]

it('names what has a name in the language, and leaves everything else as it was', async () => {
  const signal = AbortSignal.timeout(5_000)
  const named = await Promise.all(
    facets.map((one) => withTitlesIn(one, 'de', partOfIndex(), signal)),
  )
  expect(named.map(({ title, items }) => [title, items.map((one) => one.title)])).toEqual([
    ['Categories', ['Umwelt', 'X']],
    ['Places', ['Stadt', 'Gone']],
  ])
})
