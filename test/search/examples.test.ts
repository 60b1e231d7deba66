/** Queries over a small English corpus. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentOf } from './suite/corpus.ts'
import { idsOf, searchFixture, type SearchFixture } from './suite/search-fixture.ts'

const corpus = [
  ['Water quality of rivers', 'Nitrate in ground water'],
  ['River levels', 'Hourly gauge readings'],
  ['Forest fires 2023', 'Burnt area, fire by fire'],
  ['Air quality', 'PM10 and ozone'],
  ['Quality of drinking water', 'Tap water tests'],
  ['Waterways', 'Canals and locks'],
] as const

describe('among six datasets', () => {
  let search: SearchFixture
  beforeAll(async () => {
    const documents = corpus.map(([title, description], n) =>
      documentOf({
        index: 'dataset',
        id: String(n + 1),
        text: { title: { en: [title] }, description: { en: [description] } },
        facets: {},
      }),
    )
    search = await searchFixture(documents)
  })
  afterAll(() => search.close())

  it.each([
    ['', '1 2 3 4 5 6'],
    ['*', '1 2 3 4 5 6'],
    ['water', '1 5'],
    ['WATER', '1 5'],
    ['water quality', '1 4 5'],
    ['water AND quality', '1 5'],
    ['water and quality', '1 4 5 6'],
    ['quality NOT water', '4'],
    ['NOT water', '2 3 4 6'],
    ['water OR air AND ozone', '1 4 5'],
    ['(water OR air) AND quality', '1 4 5'],
    ['(river OR forest) AND (fire OR nitrate)', '1 3'],
    ['river', '1 2'],
    ['rivers*', '1'],
    ['wat?r', '1 5'],
    ['water*', '1 5 6'],
    ['w*er', '1 5'],
    ['*water', '1 5'],
    ['*water*', '1 5 6'],
    ['"water quality"', '1'],
    ['"WATER Quality"', '1'],
    ['"quality water"', ''],
    ['(water', '1 5'],
    ['water) AND quality', '1 5'],
    ['"water quality', '1 4 5'],
    ['water AND', '1 4 5 6'],
    ['AND', '4 6'],
    ['()', ''],
  ])('%s finds %s', async (q, ids) => {
    const answer = await search.get(`/search?q=${encodeURIComponent(q)}`)
    expect(idsOf(answer).split(' ').sort().join(' ')).toBe(ids)
  })
})
