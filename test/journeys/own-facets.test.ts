/** Facets that are shown are chosen by the configuration; filters and vocabularies do not depend on the choice. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  client,
  eventually,
  gateway,
  remove,
  temporaryDirectory,
  type Gateway,
} from '../support/gateway.ts'
import { prefixes } from '../support/repository.ts'

type Facet = {
  readonly id: string
  readonly title: string
  readonly items: readonly { readonly id: string; readonly title: string }[]
}
type Found = {
  readonly result: { readonly count: number; readonly facets?: readonly Facet[] }
}

const river = 'https://water.example/river'

describe('with {"facets":["catalog","categories",{…}]}', () => {
  let directory: string
  let platform: Gateway
  let api: ReturnType<typeof client>
  const find = (query: string) => api.json<Found>(`${api.search}/search?${query}`)

  beforeAll(async () => {
    directory = await temporaryDirectory()
    const facets = ['categories', { name: 'catalog', title: 'Portals', path: 'catalog' }]
    platform = await gateway(directory, { PLATFORM_SEARCH_CONFIG: JSON.stringify({ facets }) })
    api = client(platform)
    await api.put(
      '/catalogues/c',
      `${prefixes}<> a dcat:Catalog ; dct:title "Rivers of Europe"@en .`,
    )
    await api.putDataset(
      'c',
      'd',
      `${prefixes}<> a dcat:Dataset ; dct:title "Inn"@en ; dcat:keyword "gauge"@en .`,
    )
    await api.put(
      '/vocabularies/river',
      `${prefixes}@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
      <${river}> a skos:ConceptScheme ; skos:prefLabel "Rivers"@en .
      <${river}/inn> a skos:Concept ; skos:inScheme <${river}> ; skos:prefLabel "Inn"@en .`,
    )
    await eventually(
      async () => (await find('vocabulary=river&filters=vocabulary')).result.count === 1,
    )
  })
  afterAll(async () => {
    await platform.stop()
    await remove(directory)
  })

  it('shows those two, the object with the kind of the default one', async () => {
    const { result } = await find('filters=dataset')
    expect(result.facets?.map(({ id, title, items }) => [id, title, items])).toEqual([
      ['categories', expect.any(String), []],
      ['catalog', 'Portals', [{ id: 'c', title: 'Rivers of Europe', count: 1 }]],
    ])
  })

  it('lists vocabularies and filters by them', async () => {
    expect(await api.json(`${api.search}/vocabularies`)).toEqual(['river'])
    expect((await find('vocabulary=none&filters=vocabulary')).result.count).toBe(0)
  })

  it('filters by a facet that is not shown, and counts it when it is named', async () => {
    const keywords = (value: string) => encodeURIComponent(JSON.stringify({ keywords: [value] }))
    expect((await find(`filters=dataset&facets=${keywords('gauge')}`)).result.count).toBe(1)
    expect((await find(`filters=dataset&facets=${keywords('none')}`)).result.count).toBe(0)
    const named = await find(
      'filters=dataset&aggregationAllFields=false&aggregationFields=keywords',
    )
    expect(named.result.facets?.map(({ id }) => id)).toEqual(['keywords'])
  })
})

it('a facet that cannot be served stops the start with its place', async () => {
  const directory = await temporaryDirectory()
  const facets = JSON.stringify({ facets: ['catalog', { name: 'level', path: 'nowhere' }] })
  await expect(gateway(directory, { PLATFORM_SEARCH_CONFIG: facets })).rejects.toThrow(
    /PLATFORM_SEARCH_CONFIG: facets\.1 \(level\) cannot be served: the profile has no field nowhere/,
  )
  await remove(directory)
})
