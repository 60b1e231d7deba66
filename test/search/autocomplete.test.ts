/** Suggestions while somebody types: every word begins a word of a title or label. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { autocompleteQuery } from '../../src/search/request/search-request.ts'
import { queryLimits } from '../../src/search/query/parser.ts'
import { settings } from './suite/settings.ts'
import { idsOf, searchFixture, type SearchFixture } from './suite/search-fixture.ts'
import { treeText } from './suite/tree-text.ts'

let search: SearchFixture
beforeAll(async () => {
  search = await searchFixture()
})
afterAll(() => search.close())

const suggested = async (q: string, more = 'filters=dataset') =>
  idsOf(await search.get(`/search?autocomplete=true&limit=50&${more}&q=${encodeURIComponent(q)}`))
    .split(' ')
    .sort()
    .join(' ')

describe('autocomplete', () => {
  it.each([
    ['wat', 'd01 d07 d14'],
    ['WAT', 'd01 d07 d14'],
    ['water qual', 'd01 d07'],
    ['qual wat', 'd01 d07'],
    ['wassserq', ''],
    ['wasserq', 'd01'],
    ['luftqualitat', 'd02'],
    ['cafe', 'd12'],
    ['street tr', 'd05'],
    ['street t', 'd04 d05'],
    ['bathing', ''],
    ['wat*', 'd01 d07 d14'],
    ['"quality water"', 'd01 d07'],
    ['water NOT', ''],
    ['w', ''],
    ['', ''],
    ['*', ''],
  ])('%s suggests %s', async (q, ids) => {
    expect(await suggested(q)).toBe(ids)
  })

  it('looks into the labels of concepts, and with filters and facets as ever', async () => {
    expect(await suggested('wasserb', 'filters=vocabulary')).toBe('v01')
    expect(await suggested('str', 'filters=dataset,vocabulary')).toBe('d04 d05 v02')
    expect(await suggested('wat', 'filters=dataset&facets={"country":["FR"]}')).toBe('d14')
    const { body } = await search.get('/search?autocomplete=1&filters=dataset&q=wat&includes=id')
    expect(Object.keys(body.result)).toEqual(['index', 'count', 'facets', 'results'])
  })

  it('looks nowhere else, whatever fields are named', async () => {
    expect(await suggested('bathing', 'filters=dataset&fields=description')).toBe('')
  })

  it('looks at twenty characters of a word', () => {
    const of = (q: string) => treeText(autocompleteQuery(q, settings, queryLimits).tree)
    expect(of('a'.repeat(25))).toBe(`prefix(${'a'.repeat(20)})`)
    expect(of('Dcat-AP x')).toBe('and(prefix(dcat), prefix(ap))')
    expect(of(' - ')).toBe('none')
  })

  it('is a problem where no field is for it, and where the text is too long', async () => {
    const bare = settings.map((one) => ({
      ...one,
      texts: one.texts.map((text) => ({ ...text, autocomplete: false })),
    }))
    expect(() => autocompleteQuery('a', bare, queryLimits)).toThrow(
      expect.objectContaining({ kind: 'field-not-configured' }),
    )
    const long = await search.get(`/search?autocomplete=true&q=${'a'.repeat(4097)}`)
    expect([long.status, long.body['type']]).toEqual([
      400,
      'urn:cartulary:problem:query-too-complex',
    ])
  })
})
