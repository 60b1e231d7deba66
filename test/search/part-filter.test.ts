/** `filterDistributions`: datasets with the distributions that were asked for, and no others. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { searchFixture, type SearchFixture } from './suite/search-fixture.ts'

let search: SearchFixture
beforeAll(async () => {
  search = await searchFixture()
})
afterAll(() => search.close())

type Shown = { readonly distributions?: readonly { readonly id?: string }[] }

async function shown(facets: object, more = ''): Promise<readonly Shown[]> {
  const given = encodeURIComponent(JSON.stringify(facets))
  const path = `/search?filters=dataset&sort=title.en asc&limit=3&facets=${given}${more}`
  const { body } = await search.get(path)
  return body.result.results
}

const parts = (hits: readonly Shown[]) =>
  hits.map(({ distributions }) => (distributions ?? []).map(({ id }) => id).join(' ')).join(', ')

const on = '&filterDistributions=true'

describe('distributions', () => {
  it('are all there without it, and without a facet of distributions', async () => {
    expect(parts(await shown({ format: ['JSON'] }))).toBe('d07-0, d01-0 d01-1')
    expect(parts(await shown({ publisher: ['uba'], country: ['DE'] }, on))).toBe(
      'd02-0, d10-0, d01-0 d01-1',
    )
    expect(parts(await shown({ format: [], theme: ['ECON'] }, on))).toBe('d08-0, d12-0')
  })

  it('are those of the wanted values', async () => {
    expect(parts(await shown({ format: ['JSON'] }, on))).toBe('d07-0, d01-1')
    expect(parts(await shown({ format: ['JSON', 'CSV'] }, on))).toBe('d02-0, d03-0, d12-0')
    expect(parts(await shown({ format: ['JSON', 'CSV'] }, `${on}&facetOperator=AND`))).toBe(
      'd01-0 d01-1',
    )
  })

  it('fit every group, or one of them', async () => {
    const both = { format: ['GEOJSON'], license: ['CC_BY'] }
    expect(parts(await shown(both, on))).toBe('d05-1')
    expect(parts(await shown({ format: ['GEOJSON'], license: ['CC0'] }, on))).toBe(', d04-0')
    const either = await shown(
      { format: ['GEOJSON'], license: ['CC0'] },
      `${on}&facetGroupOperator=OR`,
    )
    expect(parts(either)).toBe('d02-0, d08-0, d11-0')
  })

  it('are shown as includes says, with nothing added', async () => {
    expect(await shown({ format: ['JSON'] }, `${on}&includes=id,distributions.title.de`)).toEqual([
      { id: 'd07', distributions: [{ title: { de: 'JSON of d07' } }] },
      { id: 'd01', distributions: [{ title: { de: 'JSON of d01' } }] },
    ])
    expect(await shown({ format: ['JSON'] }, `${on}&includes=id`)).toEqual([
      { id: 'd07' },
      { id: 'd01' },
    ])
    const whole = await shown({ format: ['JSON'] }, `${on}&includes=distributions`)
    expect(whole[1]).toEqual({ distributions: [expect.objectContaining({ id: 'd01-1' })] })
  })

  it('are narrowed on later pages of a run too', async () => {
    const facets = encodeURIComponent('{"format":["JSON"]}')
    const query = `filters=dataset&sort=title.en asc&limit=1&facets=${facets}${on}&includes=distributions.id`
    const first = await search.get(`/search?${query}&scroll=true`)
    const second = await search.get(`/scroll?scrollId=${String(first.body.result['scrollId'])}`)
    expect(second.body.result.results).toEqual([{ distributions: [{ id: 'd01-1' }] }])
    const begun = await search.get(`/search?${query}&searchAfter=true`)
    expect(begun.body.result.results).toEqual([{ distributions: [{ id: 'd07-0' }] }])
    const { sort, pitId } = begun.body.result
    const after = await search.get(
      `/search?${query}&searchAfterSort=${String(sort)}&pitId=${String(pitId)}`,
    )
    expect(after.body.result.results).toEqual([{ distributions: [{ id: 'd01-1' }] }])
  })
})
