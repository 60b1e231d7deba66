/** What the process knows of its search engine. */

import { expect, it } from 'vitest'
import type { IndexSettings } from '../../src/search-index/index-settings.ts'
import { effectiveBoosts } from '../../src/main/search-engine.ts'

const settings = (index: IndexSettings['index'], texts: Record<string, number>): IndexSettings => ({
  index,
  basis: '',
  texts: Object.entries(texts).map(([name, boost]) => ({ name, boost, autocomplete: false })),
  facets: [],
  dates: [],
  numbers: [],
  flags: [],
  boxes: false,
  orders: [],
})

it('every field weighs what its index says, and what the configuration says in its place', () => {
  const indices = [
    settings('dataset', { id: 1, title: 3, keywords: 2 }),
    settings('catalogue', { title: 3, publisher: 1 }),
  ]
  expect(effectiveBoosts(indices, { title: 5, 'title.de': 6 })).toEqual({
    id: 1,
    title: 5,
    keywords: 2,
    publisher: 1,
    'title.de': 6,
  })
})
