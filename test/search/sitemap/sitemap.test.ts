/** The sitemap through its doors, over the snapshots of the real engine. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { address, feedsFixture, type FeedsFixture } from '../feeds/feeds-fixture.ts'
import { catalogueOf, datasetOf } from '../feeds/feed-documents.ts'
import { children, textOf, xmlTree, type Node } from '../feeds/xml-tree.ts'

const start = Date.parse('2026-11-21T12:00:00Z')
const hour = 3_600_000

const rivers = datasetOf({
  id: 'rivers',
  title: { de: 'Flüsse', en: 'Rivers', tlh: 'bIQtIqmey' },
  modified: '2024-03-01T10:00:00Z',
  more: { modified: '2020-01-01T00:00:00Z' },
})

const pageOf = async (site: FeedsFixture, n = 1) => xmlTree(await site.text(`/sitemap/${n}`))
const locations = (page: Node) => children(page, 'url').map((url) => textOf(url, 'loc'))

describe('a sitemap', () => {
  let site: FeedsFixture
  beforeAll(async () => {
    site = await feedsFixture([
      rivers,
      datasetOf({ id: 'plain', title: { en: 'Plain' } }),
      catalogueOf('c1', '2023-01-01T00:00:00Z'),
    ])
  })
  afterAll(() => site.close())

  it('names its pages and when they were made', async () => {
    const index = xmlTree(await site.text('/sitemap'))
    expect(index).toMatchObject({
      name: 'sitemapindex',
      attributes: { xmlns: 'http://www.sitemaps.org/schemas/sitemap/0.9' },
    })
    expect(
      children(index, 'sitemap').map((one) => [textOf(one, 'loc'), textOf(one, 'lastmod')]),
    ).toEqual([[`${address}/sitemap/1`, '2026-11-21T12:00:00.000Z']])
  })

  it('has the pages of all catalogues and datasets', async () => {
    const page = await pageOf(site)
    expect(page.name).toBe('urlset')
    expect(locations(page)).toEqual([
      'https://portal.example/catalogues/c1',
      'https://portal.example/datasets/plain',
      'https://portal.example/datasets/rivers',
    ])
  })

  it('tells when a page changed and in which languages of a portal there is one', async () => {
    const [catalogue, plain, own] = children(await pageOf(site), 'url')
    expect(textOf(catalogue!, 'lastmod')).toBe('2023-01-01T00:00:00.000Z')
    expect(textOf(plain!, 'lastmod')).toBeUndefined()
    expect(textOf(own!, 'lastmod')).toBe('2024-03-01T10:00:00.000Z')
    expect(children(own!, 'xhtml:link').map(({ attributes }) => attributes)).toEqual([
      { rel: 'alternate', hreflang: 'de', href: 'https://portal.example/de/datasets/rivers' },
      { rel: 'alternate', hreflang: 'en', href: 'https://portal.example/en/datasets/rivers' },
    ])
  })

  it.each(['0', '2', '01', '-1', 'x', '1e0', '99999999999'])('has no page %s', async (n) => {
    expect((await site.request(`/sitemap/${n}`)).status).toBe(404)
  })

  it('comes as gzip or plain, whatever its reader takes', async () => {
    const plain = await site.request('/sitemap/1')
    const coded = await site.request('/sitemap/1', { headers: { 'Accept-Encoding': 'gzip' } })
    const heads = [plain, coded].map(({ headers }) =>
      ['Content-Type', 'Content-Encoding', 'Vary'].map((name) => headers.get(name)),
    )
    expect(heads).toEqual([
      ['application/xml; charset=utf-8', null, 'Accept-Encoding'],
      ['application/xml; charset=utf-8', 'gzip', 'Accept-Encoding'],
    ])
    const unpacked = coded.body!.pipeThrough(new DecompressionStream('gzip'))
    expect(await new Response(unpacked).text()).toBe(await plain.text())
  })

  it.each(['/sitemap', '/sitemap/1'])('answers 304 at %s to whoever has it', async (path) => {
    const { headers } = await site.request(path)
    expect(headers.get('Last-Modified')).toBe('Sat, 21 Nov 2026 12:00:00 GMT')
    const known = { 'If-None-Match': headers.get('ETag') ?? '' }
    expect((await site.request(path, { headers: known })).status).toBe(304)
    expect((await site.request(`${path}/`, { headers: known })).status).toBe(304)
  })
})

describe('the age of a sitemap', () => {
  it('is a day at most: then it is made anew when somebody asks', async () => {
    let time = start
    const site = await feedsFixture([rivers], () => new Date(time))
    expect(locations(await pageOf(site))).toHaveLength(1)
    await site.index.write([{ put: datasetOf({ id: 'new' }) }])
    time += 23 * hour
    expect(locations(await pageOf(site))).toHaveLength(1)
    time += hour
    await expect.poll(async () => locations(await pageOf(site))).toHaveLength(2)
    await site.index.write([{ remove: { index: 'dataset', id: 'rivers', version: 2 } }])
    time += 24 * hour
    await expect
      .poll(async () => locations(await pageOf(site)))
      .toEqual(['https://portal.example/datasets/new'])
    await site.close()
  })

  it('is a minute where nothing is in it, because a portal is being filled', async () => {
    let time = start
    const site = await feedsFixture([], () => new Date(time))
    const pages = async () => children(xmlTree(await site.text('/sitemap')), 'sitemap').length
    expect(await pages()).toBe(0)
    await site.index.write([{ put: rivers }])
    expect(await pages()).toBe(0)
    time += 60_000
    expect(await pages()).toBe(1)
    await site.close()
  })
})

describe('a large sitemap', () => {
  it('has up to 10,000 addresses on a page, each record on one of them', async () => {
    const many = Array.from({ length: 10_500 }, (_, n) =>
      datasetOf({ id: `d${String(n).padStart(5, '0')}`, title: { en: 'x', de: 'y' } }),
    )
    const site = await feedsFixture([...many, catalogueOf('c1')])
    expect(children(xmlTree(await site.text('/sitemap')), 'sitemap')).toHaveLength(2)
    const pages = [await pageOf(site, 1), await pageOf(site, 2)].map(locations)
    expect(pages.every(({ length }) => length <= 10_000)).toBe(true)
    const all = pages.flat()
    expect(all).toHaveLength(10_501)
    expect(new Set(all).size).toBe(10_501)
    await site.close()
  })
})
