/** Catalogues that are kept out of search, and catalogues that are part of others, as a searcher sees them. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { prefixes } from '../support/repository.ts'

let directory: string
let platform: Gateway
let api: ReturnType<typeof client>
beforeAll(async () => {
  directory = await temporaryDirectory()
  platform = await gateway(directory)
  api = client(platform)
})
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

const dataset = `${prefixes}<> a dcat:Dataset ; dct:title "Lake levels"@en .`
const catalogue = (id: string, more = '') =>
  api.put(`/catalogues/${id}`, `${prefixes}<> a dcat:Catalog ; dct:title "${id}"@en ${more} .`)
const hidden =
  '; <https://europeandataportal.eu/voc#visibility> <https://europeandataportal.eu/voc#hidden>'

type Found = { result: { results: { id: string }[] } }
const found = async (filter: 'dataset' | 'catalogue', facets: object = {}) => {
  const query = new URLSearchParams({
    filters: filter,
    facets: JSON.stringify(facets),
    limit: '100',
  })
  const { result } = await api.json<Found>(`${api.search}/search?${query.toString()}`)
  return result.results.map(({ id }) => id).sort()
}

describe('a hidden catalogue', () => {
  it('is not found, nor is anything in it, and both can be read all the same', async () => {
    const told = [
      await catalogue('quiet', hidden),
      await api.putDataset('quiet', 'still-water', dataset),
      await api.putDataset('quiet', 'still-water', dataset),
    ]
    expect(told.map(({ status }) => status)).toEqual([201, 201, 304])
    expect(told.map(({ headers }) => headers.get('Index-Status'))).toEqual(['none', 'none', 'none'])
    expect(await found('catalogue')).toEqual([])
    expect(await found('dataset')).toEqual([])
    const read = await Promise.all(
      ['/catalogues/quiet', '/datasets/still-water'].map((path) => fetch(`${api.repo}${path}`)),
    )
    expect(read.map(({ status }) => status)).toEqual([200, 200])
  })

  it('is known as hidden from its own write on, for a client that does not wait too', async () => {
    const hurried = { Prefer: 'respond-async' }
    const put = (more: string) => {
      const body = `${prefixes}<> a dcat:Catalog ; dct:title "quiet"@en ${more} .`
      return api.put('/catalogues/quiet', body, hurried)
    }
    const told = [
      await put(''),
      await api.putDataset('quiet', 'still-water', dataset.replace('Lake', 'Pond'), hurried),
      await put(hidden),
      await api.putDataset('quiet', 'still-water', dataset, hurried),
    ]
    expect(told.map(({ headers }) => headers.get('Index-Status'))).toEqual([
      'pending',
      'pending',
      'none',
      'none',
    ])
    await expect.poll(() => found('dataset')).toEqual([])
  })

  it('comes into search with everything in it when it is shown, and leaves when it is hidden again', async () => {
    await catalogue('quiet')
    await expect.poll(() => found('dataset')).toEqual(['still-water'])
    expect(await found('catalogue')).toEqual(['quiet'])
    await catalogue('quiet', hidden)
    await expect.poll(() => found('dataset')).toEqual([])
    expect(await found('catalogue')).toEqual([])
  })
})

describe('a super catalogue', () => {
  const inside = (id: string) => found('dataset', { superCatalog: [id] })

  it('finds what is in its parts, whether the part or the whole names the other', async () => {
    await catalogue('lakes', '; dct:isPartOf <http://localhost:8080/id/catalogue/waters>')
    await api.putDataset('lakes', 'lake', dataset)
    await catalogue('ponds')
    await api.putDataset('ponds', 'pond', dataset)
    await catalogue('waters', '; dct:hasPart <http://localhost:8080/id/catalogue/ponds>')
    await expect.poll(() => inside('waters')).toEqual(['lake', 'pond'])
  })

  it('loses a part that it no longer names', async () => {
    await catalogue('waters')
    await expect.poll(() => inside('waters')).toEqual(['lake'])
  })
})
