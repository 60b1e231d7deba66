/** What every search engine must do with cursors: pages of one snapshot, whatever is written meanwhile. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { CursorRequest, Page } from '../../src/search-index/search-index.ts'
import type { CursorLimits } from '../../src/search-index/cursors.ts'
import type { SearchIndex } from '../../src/search-index/search-index.ts'
import {
  configured,
  documentOf,
  documents,
  request,
  sampleOf,
  type Made,
  type Sample,
} from './search-index-corpus.ts'
import { treeOf } from './search-index-trees.ts'

/** Whoever makes the engine gives it these limits and this clock. */
export type CursorOptions = {
  readonly cursors: CursorLimits
  readonly now: () => number
  readonly searchMs?: number
}

const limits: CursorLimits = { perClient: 16, total: 40, ttlMs: 60_000, bytes: 256 * 2 ** 20 }
const newest = [{ name: 'modified', direction: 'desc' as const }]
const byTitle = [{ name: 'title.en', direction: 'asc' as const }]
const water = treeOf('water')

const asked = (changes: Partial<CursorRequest> = {}): CursorRequest => {
  const { offset: _, ...rest } = request()
  return { ...rest, client: 'somebody', note: 'as asked', limit: 2, order: newest, ...changes }
}

const idsOf = (page: Page) => page.hits.map((hit) => hit.id)
const textOf = (page: Page, at: number) => JSON.stringify(JSON.parse(page.hits[at]!.record))

/** The pages behind the first one, until an empty one. */
async function others(index: SearchIndex, first: Page): Promise<Page[]> {
  const pages: Page[] = []
  for (;;) {
    const page = await index.readPage(first.cursor)
    if (page.hits.length === 0) return pages
    pages.push(page)
  }
}

export function cursorContract(
  name: string,
  make: (options: CursorOptions) => Promise<Made>,
): void {
  let made: Made
  let index: SearchIndex
  let clock = 1_000_000
  const start = async () => {
    made = await make({ cursors: limits, now: () => clock })
    index = made.index
    await configured(index)
    await index.write(documents.map((put) => ({ put })))
  }

  describe(`${name}: the pages of a cursor`, () => {
    beforeAll(start)
    afterAll(() => made.release())
    // What a case leaves open is too old for the next one.
    afterEach(() => void (clock += limits.ttlMs))

    it('K01: pages follow in turn, an empty one is the end, and further calls stay there', async () => {
      const first = await index.openCursor(asked({ tree: water }))
      expect([idsOf(first), first.count]).toEqual([['d02', 'd01'], 4])
      const second = await index.readPage(first.cursor)
      expect([idsOf(second), second.count]).toEqual([['d14', 'd07'], 4])
      for (let i = 0; i < 3; i++) {
        const { last, hits, count } = await index.readPage(first.cursor)
        expect({ last, hits, count }).toEqual({ last: undefined, hits: [], count: 4 })
      }
    })

    it('K05: the page behind a place is the same as often as it is asked for', async () => {
      const first = await index.openCursor(asked({ tree: water }))
      const after = first.last![1]
      const pages = []
      for (let i = 0; i < 2; i++) pages.push(await index.readPage(first.cursor, { after }))
      expect(pages.map(idsOf)).toEqual([
        ['d14', 'd07'],
        ['d14', 'd07'],
      ])
      expect(pages[0]!.last).toEqual(pages[1]!.last)
      expect(idsOf(await index.readPage(first.cursor, { after: pages[0]!.last![1] }))).toEqual([])
      expect(idsOf(await index.readPage(first.cursor, { after }))).toEqual(['d14', 'd07'])
    })

    it('K06: a text order is walked to its end by places that are numbers', async () => {
      const { hits } = await index.search(request({ order: byTitle }))
      let page = await index.openCursor(asked({ order: byTitle, limit: 5 }))
      const seen = []
      while (page.last) {
        seen.push(...idsOf(page))
        expect(page.last.every((number) => Number.isFinite(number))).toBe(true)
        page = await index.readPage(page.cursor, { after: page.last[1] })
      }
      expect(seen).toHaveLength(14)
      expect(seen).toEqual(hits.map(({ id }) => id))
    })

    it('the sort value of the last hit is what it is sorted by', async () => {
      const scoring = [{ name: 'scoring', direction: 'desc' as const }]
      const byDate = await index.openCursor(asked({ tree: water }))
      expect(byDate.last![0]).toBe(Date.parse(sampleOf('d01').modified!))
      const byNumber = await index.openCursor(asked({ tree: water, order: scoring }))
      expect(byNumber.last![0]).toBe(300)
      const byScore = await index.openCursor(asked({ tree: water, order: [], score: true }))
      expect(byScore.last![0]).toBe(byScore.hits[1]!.score)
      expect(byScore.last![0]).toBeGreaterThan(0)
      const next = await index.readPage(byScore.cursor)
      expect(next.hits[0]!.score).toBeLessThanOrEqual(byScore.last![0])
    })

    it('K10: a first page that holds all is followed by an empty one', async () => {
      const first = await index.openCursor(asked({ limit: 1000 }))
      expect(first.hits).toHaveLength(14)
      expect((await index.readPage(first.cursor)).hits).toEqual([])
    })

    it('facets come with the first page only; the count with every one', async () => {
      const facets = { size: 50, global: false, ids: ['theme'] }
      const first = await index.openCursor(asked({ tree: water, facets }))
      expect(first.facets).toEqual((await index.search(request({ tree: water, facets }))).facets)
      const second = await index.readPage(first.cursor)
      expect([second.facets, second.count]).toEqual([undefined, 4])
    })

    it('a page keeps what was asked for at the start, unless it asks for something else', async () => {
      const first = await index.openCursor(asked({ include: ['id'] }))
      expect([first.note, first.hits[0]!.record]).toEqual(['as asked', '{"id":"d13"}'])
      const second = await index.readPage(first.cursor, {
        note: 'anew',
        limit: 3,
        include: ['version'],
      })
      expect([second.note, second.hits.map((hit) => hit.record)]).toEqual([
        'anew',
        Array.from({ length: 3 }, () => '{"version":1}'),
      ])
      const third = await index.readPage(first.cursor)
      expect([third.note, third.hits.length]).toEqual(['anew', 2])
      expect(third.hits[0]!.record).toMatch(/^\{"id":"d\d\d"\}$/)
    })

    it.each([-1, 1.5, 15, Number.NaN])('a place that is none (%d) is refused', async (after) => {
      const { cursor } = await index.openCursor(asked())
      const refused = index.readPage(cursor, { after })
      await expect(refused).rejects.toMatchObject({ kind: 'invalid-parameter' })
    })

    it('several indices are one list', async () => {
      const indices = ['dataset', 'catalogue'] as const
      const { hits, count } = await index.search(request({ indices, tree: water, order: newest }))
      const first = await index.openCursor(asked({ indices, tree: water }))
      const all = [first, ...(await others(index, first))].flatMap((page) => page.hits)
      expect([all, first.count]).toEqual([hits, count])
      const titles = await index.openCursor(asked({ indices, order: byTitle, limit: 5 }))
      const inOrder = await index.search(request({ indices, order: byTitle }))
      const walked = [titles, ...(await others(index, titles))].flatMap(idsOf)
      expect(walked).toEqual(inOrder.hits.map((hit) => hit.id))
    })

    it('nothing found is an end at once that takes no place', async () => {
      for (let i = 0; i < 20; i++) {
        const empty = await index.openCursor(asked({ tree: treeOf('nothingatall') }))
        expect([empty.count, empty.hits, empty.last]).toEqual([0, [], undefined])
        expect((await index.readPage(empty.cursor)).hits).toEqual([])
      }
    })
  })

  describe(`${name}: cursors while something else happens`, () => {
    beforeEach(start)
    afterEach(() => made.release())

    const put = (sample: Partial<Sample> & { id: string }) =>
      index.write([{ put: documentOf({ index: 'dataset', version: 2, ...sample }) }])
    /** The changes of K02. */
    const change = async () => {
      await index.write([{ remove: { index: 'dataset', id: 'd14', version: 2 } }])
      const text = { ...sampleOf('d07').text, title: { en: ['Changed'] } }
      await put({ ...sampleOf('d07'), text, version: 2 })
      const modified = '2026-11-21T00:00:00Z'
      await put({ id: 'd15', modified, text: { title: { en: ['water'] } } })
    }

    it('K02, K03: changes and deletions do not reach the pages, and do reach a new search', async () => {
      const first = await index.openCursor(asked({ tree: water }))
      await change()
      const second = await index.readPage(first.cursor)
      expect(idsOf(second)).toEqual(['d14', 'd07'])
      expect(textOf(second, 0)).toBe(
        JSON.stringify(documents.find(({ id }) => id === 'd14')!.record),
      )
      expect(textOf(second, 1)).toContain('Tokyo water quality data')
      expect(await others(index, first)).toEqual([])
      const { hits } = await index.search(request({ tree: water }))
      expect(hits.map(({ id }) => id).sort()).toEqual(['d01', 'd02', 'd15'])
    })

    it('K04: two cursors show two states', async () => {
      const before = await index.openCursor(asked({ tree: water }))
      await change()
      const after = await index.openCursor(asked({ tree: water }))
      expect(idsOf(after)).toEqual(['d15', 'd02'])
      expect((await others(index, before)).map(idsOf)).toEqual([['d14', 'd07']])
      expect((await others(index, after)).map(idsOf)).toEqual([['d01']])
    })

    it('K07: an unknown cursor and one that nobody used for its life are not found', async () => {
      const missing = { kind: 'unknown-cursor' }
      await expect(index.readPage('nothing-like-it')).rejects.toMatchObject(missing)
      const { cursor } = await index.openCursor(asked())
      clock += limits.ttlMs
      await expect(index.readPage(cursor)).rejects.toMatchObject(missing)
    })

    it('K08: every use begins the life of a cursor anew', async () => {
      const { cursor } = await index.openCursor(asked())
      for (let i = 0; i < 6; i++) {
        clock += limits.ttlMs - 1
        expect((await index.readPage(cursor, { after: 0 })).hits).toHaveLength(2)
      }
    })

    it('K09: one too many of a client is refused until one has ended; others are not concerned', async () => {
      const open = []
      for (let i = 0; i < limits.perClient; i++)
        open.push(await index.openCursor(asked({ tree: water })))
      const refused = index.openCursor(asked())
      await expect(refused).rejects.toMatchObject({ kind: 'too-many-cursors', retryAfter: 60 })
      await index.openCursor(asked({ client: 'another' }))
      await others(index, open[3]!)
      await index.openCursor(asked())
      await expect(index.openCursor(asked())).rejects.toMatchObject({ kind: 'too-many-cursors' })
      expect(idsOf(await index.readPage(open[0]!.cursor))).toEqual(['d14', 'd07'])
    })

    it('too many of all clients are refused, and the open ones go on answering', async () => {
      const open = await Promise.all(
        Array.from({ length: limits.total }, (_, i) => index.openCursor(asked({ client: `${i}` }))),
      )
      const more = Array.from({ length: 50 }, (_, i) =>
        index.openCursor(asked({ client: `more ${i}` })),
      )
      for (const one of more) await expect(one).rejects.toMatchObject({ kind: 'too-many-cursors' })
      for (const { cursor } of open) expect((await index.readPage(cursor)).hits).toHaveLength(2)
      clock += limits.ttlMs
      await index.openCursor(asked())
    })

    it('K11: pages are as at the start while 1,000 records are written twice', async () => {
      const state = (version: number) =>
        Array.from({ length: 1000 }, (_, i) => {
          const text = { title: { en: [`K11 state${version}`] } }
          return { put: documentOf({ index: 'dataset', id: `k11-${i}`, version, text }) }
        })
      await index.write(state(1))
      const first = await index.openCursor(asked({ tree: treeOf('k11'), limit: 100 }))
      const writing = [2, 3].flatMap((version) =>
        Array.from({ length: 5 }, (_, i) =>
          index.write(state(version).slice(i * 200, i * 200 + 200)),
        ),
      )
      const pages = [first]
      for (let i = 0; i < 4; i++) pages.push(await index.readPage(first.cursor))
      await Promise.all(writing)
      // An end gives the engine a reason to tidy up.
      await index.openCursor(asked({ tree: treeOf('nothingatall') }))
      pages.push(...(await others(index, first)))
      const hits = pages.flatMap((page) => page.hits)
      expect(new Set(hits.map((hit) => hit.id)).size).toBe(1000)
      expect(hits.filter((hit) => !hit.record.includes('state1'))).toEqual([])
    })

    it('an index that is swapped away is read to its end', async () => {
      const first = await index.openCursor(asked({ limit: 4 }))
      const { rebuild } = await index.configure(
        index.currentSettings().map((one) => ({ ...one, basis: 'another' })),
      )
      for (const name of rebuild) await index.finish(name)
      await put({ id: 'new' })
      const all = [first, ...(await others(index, first))].flatMap(idsOf)
      expect(all).toHaveLength(14)
      expect((await index.search(request())).count).toBe(1)
    })

    it('values of a facet are all there with their counts, ids ascending', async () => {
      const values = await index.facetValues('dataset', 'format')
      expect(values.map(({ id, title, count }) => [id, title, count].join(' ')).join(', ')).toBe(
        'CSV CSV 6, GEOJSON GEOJSON 2, JSON JSON 2, PDF PDF 2, TXT TXT 1, XLSX XLSX 1, XML XML 1, csv csv 1',
      )
      await index.write([{ remove: { index: 'dataset', id: 'd09', version: 2 } }])
      await put({ id: 'more', facets: { format: ['JSON', 'ZIP'] } })
      const changed = await index.facetValues('dataset', 'format')
      expect(changed.map(({ id, count }) => `${id} ${count}`).join(', ')).toBe(
        'CSV 6, GEOJSON 2, JSON 3, PDF 2, XLSX 1, XML 1, ZIP 1, csv 1',
      )
      expect(await index.facetValues('dataset', 'nothing')).toEqual([])
      expect(await index.facetValues('vocabulary', 'format')).toEqual([])
    })

    it('the state is another one after a change', async () => {
      const before = index.stateTag()
      expect(index.stateTag()).toBe(before)
      await put({ id: 'another' })
      expect(index.stateTag()).not.toBe(before)
    })
  })
}
