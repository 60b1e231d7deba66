/** Reading all hits page by page: scroll and search-after, over the embedded engine. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documents } from './suite/corpus.ts'
import { idsOf, searchFixture, type Reply, type SearchFixture } from './suite/search-fixture.ts'

let search: SearchFixture
let now = 1_700_000_000_000
beforeAll(async () => {
  const cursors = { perClient: 3, total: 4, ttlMs: 60_000, bytes: 2 ** 20 }
  search = await searchFixture(documents, { cursors, now: () => now })
})
afterAll(() => search.close())

/** All cursors have gone when a test begins. */
const later = () => {
  now += 60_001
}
const get = (query: string) => search.get(`/search?${query}`)
const next = (id: unknown) => search.get(`/scroll?scrollId=${String(id)}`)

const byModification = 'd13 d02 d05 d01 d03 d14 d06 d04 d10 d08 d07 d12 d11 d09'

async function scrolled(query: string): Promise<readonly Reply[]> {
  const pages = [await get(query)]
  while (pages.at(-1)?.body.result.results.length) {
    pages.push(await next(pages.at(-1)?.body.result['scrollId']))
  }
  return pages
}

const all = (pages: readonly Reply[]) => pages.map(idsOf).join(' ').trim()

describe('a scroll', () => {
  it('gives every hit once in the order of the search, then empty pages', async () => {
    later()
    const pages = await scrolled('filters=dataset&sort=modified desc&limit=5&scroll=true&page=7')
    expect(all(pages)).toBe(byModification)
    expect(pages.map(({ body }) => body.result.results.length)).toEqual([5, 5, 4, 0])
    const ids = new Set(pages.map(({ body }) => body.result['scrollId']))
    expect(ids.size).toBe(1)
    expect(String([...ids][0])).toMatch(/^[\w-]{16,}$/)
    const again = await next([...ids][0])
    expect([again.status, again.body.result.results]).toEqual([200, []])
  })

  it('has the count on every page, and facets on the first one', async () => {
    later()
    const [first, ...others] = await scrolled('filters=dataset&limit=8&scroll=true&q=NOT water')
    expect(Object.keys(first?.body.result ?? {})).toEqual([
      'index',
      'count',
      'scrollId',
      'facets',
      'results',
    ])
    expect(first?.body.result.facets?.length).toBeGreaterThan(0)
    for (const { body } of others) {
      expect(body.result).toMatchObject({ index: 'dataset', count: 10, facets: [] })
    }
  })

  it('needs no index and shows what was asked for at the start', async () => {
    later()
    const pages = await scrolled('q=water&limit=3&scroll=true&includes=id,count,vocabulary')
    expect(pages.every(({ body }) => !('facets' in body.result))).toBe(true)
    const hits = pages.flatMap(({ body }) => body.result.results)
    expect(hits).toHaveLength(7)
    expect(hits).toContainEqual({ id: 'c01', count: 10 })
    expect(hits).toContainEqual({ id: 'v03', vocabulary: 'themes' })
  })

  it('knows nothing of what is written meanwhile', async () => {
    later()
    const first = await get('filters=dataset&sort=modified desc&limit=10&scroll=true')
    const gone = documents.find(({ id }) => id === 'd09')
    await search.index.write([{ remove: { index: 'dataset', id: 'd09', version: 2 } }])
    const rest = await next(first.body.result['scrollId'])
    expect(`${idsOf(first)} ${idsOf(rest)}`).toBe(byModification)
    if (gone) await search.index.write([{ put: { ...gone, version: 3 } }])
  })

  it('may be kept by nobody on the way', async () => {
    later()
    const { headers, body } = await get('scroll=true')
    expect([headers.get('Cache-Control'), headers.get('ETag')]).toEqual(['no-store', null])
    const page = await next(body.result['scrollId'])
    expect(page.headers.get('Cache-Control')).toBe('no-store')
  })

  it('is forgotten a minute after its last use', async () => {
    later()
    const { body } = await get('scroll=true&limit=1')
    const id = body.result['scrollId']
    for (let i = 0; i < 3; i++) {
      now += 50_000
      expect((await next(id)).status).toBe(200)
    }
    later()
    const late = await next(id)
    expect([late.status, late.body['type']]).toEqual([404, 'urn:cartulary:problem:unknown-cursor'])
  })

  it('opens nothing where only the count is wanted, or no index is known', async () => {
    expect((await get('scroll=true&countOnly=true')).body).toEqual({ result: { count: 19 } })
    expect((await get('scroll=true&filters=nope')).body.result).toMatchObject({ count: 0 })
  })

  it('is refused to who has too many', async () => {
    later()
    for (let i = 0; i < 3; i++) expect((await get('scroll=true')).status).toBe(200)
    const { status, headers, body } = await get('filters=dataset&searchAfter=true')
    expect([status, body['type']]).toEqual([429, 'urn:cartulary:problem:too-many-cursors'])
    expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0)
    later()
    expect((await get('scroll=true')).status).toBe(200)
  })

  it('needs its name', async () => {
    const { status, body } = await search.get('/scroll')
    expect([status, body.errors?.[0]?.parameter]).toEqual([400, 'scrollId'])
  })
})

type Place = { readonly sort: readonly number[]; readonly pitId: string }
const placeOf = ({ body }: Reply) => body.result as unknown as Place
const from = ({ sort, pitId }: Place) => `searchAfterSort=${sort.join(',')}&pitId=${pitId}`

describe('search-after', () => {
  const query = 'filters=dataset&sort=modified desc'

  it('goes on behind the last hit, the same page as often as wanted', async () => {
    later()
    const pages = [await get(`${query}&limit=4&searchAfter=true`)]
    while (pages.at(-1)?.body.result.results.length) {
      const place = from(placeOf(pages.at(-1) as Reply))
      pages.push(await get(`${query}&limit=4&searchAfter=true&${place}`))
      expect(idsOf(await get(`${query}&limit=4&${place}`))).toBe(idsOf(pages.at(-1) as Reply))
    }
    expect(all(pages)).toBe(byModification)
    expect(pages.every(({ body }) => body.result.count === 14)).toBe(true)
    const [last, end] = pages.slice(-2).map(placeOf)
    expect(end).toMatchObject({ sort: last?.sort, pitId: last?.pitId })
    expect(last?.sort).toEqual([expect.any(Number), 14])
  })

  it('takes the place as JSON too, and empty values for the first page', async () => {
    later()
    const first = await get(`${query}&limit=2&searchAfter=true&searchAfterSort=&pitId=`)
    expect(idsOf(first)).toBe('d13 d02')
    const { sort, pitId } = placeOf(first)
    const json = encodeURIComponent(JSON.stringify(sort))
    const second = await get(`${query}&limit=2&searchAfterSort=${json}&pitId=${pitId}`)
    expect(idsOf(second)).toBe('d05 d01')
  })

  it('may show other fields and pages of another size', async () => {
    later()
    const first = await get(`${query}&limit=2&searchAfter=true&includes=id`)
    expect(first.body.result.results).toEqual([{ id: 'd13' }, { id: 'd02' }])
    const second = await get(`${query}&limit=1&${from(placeOf(first))}&includes=title.en`)
    expect(second.body.result.results).toEqual([{ title: { en: 'Street trees of the city' } }])
    const third = await get(`${query}&limit=3&${from(placeOf(second))}`)
    expect(idsOf(third)).toBe('d01 d03 d14')
    expect(third.body.result.results[0]).toHaveProperty('catalog')
  })

  it('of nothing is an empty page with a place all the same', async () => {
    later()
    const first = await get('filters=dataset&q=zzz&searchAfter=true')
    expect(first.body.result).toMatchObject({ count: 0, results: [], sort: [0, 0] })
    const second = await get(`filters=dataset&q=zzz&${from(placeOf(first))}`)
    expect(second.body.result).toMatchObject({ count: 0, results: [], sort: [0, 0] })
  })

  it('refuses another search, a place that is none, and cursors of another kind', async () => {
    later()
    const place = placeOf(await get(`${query}&limit=2&searchAfter=true`))
    const status = async (path: string) => (await search.get(path)).status
    expect(await status(`/search?${query}&q=water&${from(place)}`)).toBe(400)
    expect(await status(`/search?filters=dataset&sort=issued&${from(place)}`)).toBe(400)
    expect(await status(`/search?${query}&${from({ ...place, sort: [0, 99] })}`)).toBe(400)
    expect(await status(`/search?${query}&${from({ ...place, pitId: 'x' })}`)).toBe(404)
    expect(await status(`/scroll?scrollId=${place.pitId}`)).toBe(404)
    const { scrollId } = (await get(`${query}&scroll=true`)).body.result
    expect(await status(`/search?${query}&searchAfterSort=1,1&pitId=${String(scrollId)}`)).toBe(404)
    expect(await status(`/search?${query}&${from(place)}`)).toBe(200)
  })
})
