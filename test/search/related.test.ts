/** Searches with `related=true` where records have vectors: which ask for the meaning of `q`, and what their answers have. */

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { documentOf } from './suite/corpus.ts'
import { searchFixture, type SearchFixture } from './suite/search-fixture.ts'

const vector = (...first: readonly number[]) =>
  Int8Array.from({ length: 8 }, (_, i) => first[i] ?? 0)
const held = [
  ['waiters', 'Waiters and waitresses', vector(-127)],
  ['cycling', 'Cycle paths', vector(127)],
  ['beaches', 'Qualité des plages', vector(127, 127)],
] as const

let search: SearchFixture
const asked: string[] = []
const meaningOf = (q: string) => {
  asked.push(q)
  return Promise.resolve(
    q === 'late' ? undefined : { vector: vector(127, 20), weight: 0.6, most: 2 },
  )
}

beforeAll(async () => {
  const documents = held.map(([id, title]) => {
    const made = documentOf({ index: 'dataset', id, text: { title: { en: [title] } }, facets: {} })
    return { ...made, record: { id } }
  })
  search = await searchFixture(documents, { meaningOf })
  await search.index.vectors(held.map(([id, , one]) => ({ index: 'dataset', id, vector: one })))
})
afterAll(() => search.close())
beforeEach(() => {
  asked.length = 0
})

const get = async (query: string) =>
  (await search.get(`/search?filters=dataset&${query}`)).body.result

it('finds records that are close in meaning too, and marks them', async () => {
  const result = await get('q=waiters&related=true')
  expect([result.count, result['related']]).toEqual([3, 2])
  expect(result.results).toEqual([
    { index: 'dataset', id: 'waiters' },
    { index: 'dataset', related: true, id: 'cycling' },
    { index: 'dataset', related: true, id: 'beaches' },
  ])
})

it('explains how close hits are in meaning, where vectors were compared', async () => {
  const meanings = async (query: string) => {
    const { results } = await get(`${query}&explain=true&includes=id`)
    return results.map(({ id, _why }) => [id, Object(_why)['meaning']])
  }
  expect(await meanings('q=waiters&related=true')).toEqual([
    ['waiters', 0],
    ['cycling', 1],
    ['beaches', 0.91],
  ])
  expect(await meanings('q=waiters')).toEqual([['waiters', undefined]])
})

it('answers by words where there is no meaning in time', async () => {
  const result = await get('q=late&related=true')
  expect([result.count, result['related']]).toEqual([0, undefined])
})

it('asks for the meaning of the words as they were typed', async () => {
  await get(`q=${encodeURIComponent('Wo schwimmen')}&related=true`)
  expect(asked).toEqual(['Wo schwimmen'])
})

it('finds records that are close to a question', async () => {
  const q = 'Wo schwimmen?'
  const result = await get(`q=${encodeURIComponent(q)}&related=true`)
  expect([asked, result.count, result['related']]).toEqual([[q], 2, 2])
})

it.each([
  'q=waiters',
  'q="waiters"&related=true',
  'q=title:waiters&related=true',
  'q=waiters AND waitresses&related=true',
  'q=waiters&sort=modified desc&related=true',
  'q=waiters&scroll=true&related=true',
  'q=waiters&searchAfter=true&related=true',
  'q=waiters&autocomplete=true&related=true',
  'q=&related=true',
])('does not ask for the meaning of %s', async (query) => {
  const { results, related } = await get(query)
  expect([asked, related]).toEqual([[], undefined])
  expect(results.filter((hit) => 'related' in hit)).toEqual([])
})
