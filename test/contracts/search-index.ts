/** What every search engine behind the port must do, over one corpus. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { IndexChange, SearchRequest } from '../../src/search-index/search-index.ts'
import { scopesOf } from '../../src/search/query/leaves.ts'
import { parseQuery } from '../../src/search/query/parser.ts'
import {
  configured,
  documentOf,
  documents,
  facetText,
  request,
  sampleOf,
  samples,
  settings,
  type Made,
  type Sample,
} from './search-index-corpus.ts'
import { requestCases } from './search-index-requests.ts'
import { swapContract } from './search-index-swap.ts'
import { treeOf } from './search-index-trees.ts'
import { formCases, wordCases } from './search-index-words.ts'

const all = settings.map(({ index }) => index)
const datasets = samples.filter((sample) => sample.index === 'dataset').map((sample) => sample.id)
const idsOf = (text: string) => (text === '*' ? datasets : text.split(' ').filter(Boolean))

export function searchIndexContract(name: string, make: () => Promise<Made>): void {
  describe(`${name}: reading`, () => {
    let made: Made
    const search = (changes?: Partial<SearchRequest>) => made.index.search(request(changes))
    const found = async (changes?: Partial<SearchRequest>) =>
      (await search(changes)).hits.map((hit) => hit.id)

    beforeAll(async () => {
      made = await make()
      expect(await made.index.configure(settings)).toEqual({ rebuild: all })
      for (const name of all) await made.index.finish(name)
      for (const put of documents) await made.index.write([{ put }])
    })
    afterAll(() => made.release())

    it.each(wordCases)('%s: q=%s as %s finds %s', async (_, __, tree, ids) => {
      const answer = await search({ tree: treeOf(tree) })
      expect(answer.hits.map((hit) => hit.id).sort()).toEqual(idsOf(ids))
      expect(answer.count).toBe(idsOf(ids).length)
    })

    it.each(formCases)('%s: q=%s finds other forms of its words', async (_, q, __, ids) => {
      const answer = await search({ tree: parseQuery(q, scopesOf(settings)) })
      expect(answer.hits.map((hit) => hit.id).sort()).toEqual(idsOf(ids))
      expect(answer.count).toBe(idsOf(ids).length)
    })

    it('tells in which forms a word is searched', async () => {
      const term = { kind: 'term', token: 'strasse', parts: true } as const
      const [forms = []] = await made.index.wordForms([term])
      expect(
        forms.map(({ bucket, tokens, how }) => `${bucket} ${how} ${tokens.join(' ')}`).sort(),
      ).toEqual([
        'de part strassenbaume',
        'de part strassennetz',
        'de root strassen',
        'de word strasse',
      ])
      expect(await made.index.wordForms([])).toEqual([])
    })

    it.each(requestCases)('$no finds $ids', async (one) => {
      const answer = await search(one.request)
      const ids = answer.hits.map((hit) => hit.id)
      const inOrder = (list: readonly string[]) => (one.ordered ? list : list.toSorted())
      expect(inOrder(ids)).toEqual(inOrder(idsOf(one.ids)))
      expect(answer.count).toBe(one.count ?? idsOf(one.ids).length)
      expect(facetText(answer.facets)).toBe(one.facets)
    })

    it('lists tokens that begin with a text, the most frequent or the shortest first', async () => {
      const beginning = (text: string) => made.index.tokensBeginning(text, ['dataset'])
      expect((await beginning('wat'))[0]).toBe('water')
      expect(await beginning('wate')).toEqual(['water', 'waterways', 'watersheds'])
      expect(await beginning('water')).not.toContain('water')
      expect(await beginning('zzz')).toEqual([])
    })

    it('P55: a reduced record has the fields that were asked for and no other', async () => {
      const answer = await search({ tree: treeOf('tokyo'), include: ['id', 'title.en'] })
      expect(answer.hits.map((hit) => JSON.parse(hit.record))).toEqual([
        { id: 'd07', title: { en: 'Tokyo water quality data' } },
      ])
      const french = await search({ tree: treeOf('d03'), include: ['title.de'] })
      expect(JSON.parse(french.hits[0]!.record)).toEqual({
        title: { de: "Qualité de l'eau des rivières" },
      })
    })

    it('R02: more of the words, and rarer ones, come first', async () => {
      const ids = await found({ tree: treeOf('or(street, trees)') })
      expect(ids.indexOf('d05')).toBeLessThan(ids.indexOf('d04'))
    })

    it('R03, R04: a boosted field pulls its records up', async () => {
      const title = await found({ tree: treeOf('water'), boosts: { title: 20 } })
      expect(title.slice(0, 2).sort()).toEqual(['d01', 'd07'])
      const tree = treeOf('phrase(open data)')
      const description = await found({ tree, boosts: { description: 20 } })
      expect(description.slice(0, 2).sort()).toEqual(['d05', 'd10'])
    })

    it('R05: a boost changes neither set nor count nor facets', async () => {
      const facets = { size: 50, global: false }
      const plain = await search({ tree: treeOf('water'), facets })
      const boosted = await search({ tree: treeOf('water'), facets, boosts: { title: 20 } })
      expect(boosted.hits.map((hit) => hit.id).sort()).toEqual(
        plain.hits.map((hit) => hit.id).sort(),
      )
      expect([boosted.count, boosted.facets]).toEqual([plain.count, plain.facets])
    })

    it('R06: scores are numbers that never rise along the list', async () => {
      const { hits } = await search({ tree: treeOf('water'), score: true })
      const scores = hits.map((hit) => hit.score!)
      expect(scores).toHaveLength(4)
      expect(scores.toSorted((a, b) => b - a)).toEqual(scores)
      expect(scores[0]).toBeGreaterThan(0)
    })

    it('R08: two pages of a wildcard hold its records, none twice', async () => {
      const tree = treeOf('wild(wat*)')
      const pages = [await found({ tree, limit: 3 }), await found({ tree, limit: 3, offset: 3 })]
      expect(pages.flat().sort()).toEqual(['d01', 'd02', 'd07', 'd14'])
    })

    it('W14: entries come in pages, every id once, in order, with version and hash', async () => {
      const entries = []
      for (let after = ''; ;) {
        const page = await made.index.entries('dataset', after, 3)
        if (page.length === 0) break
        entries.push(...page)
        after = page.at(-1)!.id
      }
      expect(entries).toEqual(datasets.map((id) => ({ id, version: 1, hash: id })))
    })

    it('W19: the records behind an id, whether or not it is one, are a filter like others', async () => {
      const behind = async (after: string) => {
        const { hits, count } = await search({ filter: { after }, limit: 100 })
        expect(count).toBe(hits.length)
        return hits.map(({ id }) => id).sort()
      }
      expect(await behind('')).toEqual(datasets)
      for (const [n, id] of datasets.entries()) {
        expect(await behind(id)).toEqual(datasets.slice(n + 1))
        expect(await behind(`${id}!`)).toEqual(datasets.slice(n + 1))
      }
    })

    it('counts its documents', async () => {
      expect((await made.index.health()).documents).toEqual({
        dataset: 14,
        catalogue: 2,
        vocabulary: 3,
      })
    })

    it('a search given up rejects at once and leaves the engine usable', async () => {
      const stopped = made.index.search(request(), AbortSignal.abort())
      await expect(stopped).rejects.toMatchObject({ kind: 'time-limit' })
      expect(await found()).toHaveLength(14)
    })

    it('limits of the syntax are searchable: 32 alternating levels, 256 words', async () => {
      let nested = treeOf('water')
      for (let i = 0; i < 31; i++) {
        const operands = [nested, treeOf(i % 2 === 0 ? 'air' : 'quality')]
        nested = i % 2 === 0 ? { kind: 'and', operands } : { kind: 'or', operands }
      }
      expect((await found({ tree: nested })).sort()).toEqual(['d02'])
      const words = Array.from({ length: 255 }, (_, i) => treeOf(`nothing${i}`))
      const many = { kind: 'or' as const, operands: [...words, treeOf('tokyo')] }
      expect(await found({ tree: many })).toEqual(['d07'])
    })

    it('settings that are the same ask for no rebuild', async () => {
      expect(await made.index.configure(settings)).toEqual({ rebuild: [] })
      expect(await found()).toHaveLength(14)
    })
  })

  writing(name, make)
  swapContract(name, make)
}

function writing(name: string, make: () => Promise<Made>): void {
  describe(`${name}: writing`, () => {
    let made: Made
    let version = 1
    const put = (sample: Partial<Sample> & { id: string }): IndexChange => ({
      put: documentOf({ index: 'dataset', version, ...sample }),
    })
    const words = (text: string) => ({ title: { en: [text] } })
    const found = async (tree: string) =>
      (await made.index.search(request({ tree: treeOf(tree), limit: 5000 }))).hits
        .map((hit) => hit.id)
        .sort()

    beforeAll(async () => {
      made = await make()
      await configured(made.index)
      await made.index.write(documents.map((document) => ({ put: document })))
      version = 2
    })
    afterAll(() => made.release())

    it('W01, W02: an older and the same version change nothing', async () => {
      const first = { ...sampleOf('d01'), version: 3 }
      await made.index.write([put(first)])
      await made.index.write([put({ ...first, version: 2, text: words('older') })])
      await made.index.write([put({ ...first, text: words('same') })])
      expect(await found('or(older, same)')).toEqual([])
      expect(await found('all')).toEqual(datasets)
      expect(await made.index.newestVersion()).toBe(3)
    })

    it('W05: a replaced record is found by its new words only', async () => {
      await made.index.write([put({ id: 'd01', version: 4, text: words('Rewritten') })])
      expect(await found('water')).toEqual(['d02', 'd07', 'd14'])
      expect(await found('rewritten')).toEqual(['d01'])
    })

    it('W03, W04, W16: a deletion stays, whatever comes late', async () => {
      const remove = { index: 'dataset', id: 'd01', version: 6 } as const
      await made.index.write([{ remove }])
      await made.index.write([{ remove }, { remove: { ...remove, id: 'never-there' } }])
      expect(await made.index.newestVersion()).toBe(6)
      await made.index.write([put({ id: 'd01', version: 5, text: words('late') })])
      expect(await made.index.get('dataset', 'd01')).toBeUndefined()
      expect(await found('rewritten')).toEqual([])
      const { facets } = await made.index.search(
        request({ limit: 0, facets: { size: 50, global: false, ids: ['format'] } }),
      )
      expect(facets![0]!.items.find((item) => item.id === 'JSON')?.count).toBe(1)
    })

    it('W06: any text is an id', async () => {
      const ids = ['a~~1', 'ü.b:c/d', '-', 'x'.repeat(600), '𐐨', 'o\'clock "x"']
      await made.index.write(ids.map((id) => put({ id })))
      for (const id of ids) {
        expect(JSON.parse((await made.index.get('dataset', id))!)).toMatchObject({ id })
      }
      const entries = await made.index.entries('dataset', '', 1000)
      for (const id of ids) expect(entries.filter((entry) => entry.id === id)).toHaveLength(1)
      await made.index.write(
        ids.map((id) => ({ remove: { index: 'dataset', id, version: 9 } }) as const),
      )
    })

    it('W07: a batch of 1,000 is searchable when it is done', async () => {
      const batch = Array.from({ length: 1000 }, (_, i) =>
        put({ id: `w07-${i}`, text: words('Thousandfold') }),
      )
      await made.index.write(batch)
      expect(await found('thousandfold')).toHaveLength(1000)
    })

    it('W08: a bare document is found by everything', async () => {
      await made.index.write([
        put({ id: 'w08-a', text: words('Clothed') }),
        put({ id: 'w08-bare' }),
      ])
      expect(await found('all')).toContain('w08-bare')
    })

    it('W09: a very long text is found by its first 20,000 words', async () => {
      const text = Array.from({ length: 30_000 }, (_, i) => `word${i + 1}`).join(' ')
      await made.index.write([put({ id: 'w09', text: { description: { en: [text] } } })])
      expect(await found('word20000')).toEqual(['w09'])
      expect(await found('word20001')).toEqual([])
    })

    it('W10: the stems of new words are known at once', async () => {
      await made.index.write([put({ id: 'w10', text: words('quantities') })])
      expect(await found('quantity')).toEqual(['w10'])
    })

    it('W11: long facet values and values that differ in case are three values', async () => {
      const values = ['v'.repeat(2000), 'X', 'x']
      await made.index.write(
        values.map((value, i) => put({ id: `w11-${i}`, facets: { publisher: [value] } })),
      )
      for (const [i, value] of values.entries()) {
        const groups = [{ facet: 'publisher', values: [value] }]
        const filter = { facets: { groups, operator: 'OR', groupOperator: 'AND' } } as const
        const answer = await made.index.search(request({ filter }))
        expect(answer.hits.map((hit) => hit.id)).toEqual([`w11-${i}`])
      }
    })

    it('W15: the newest title of a facet value is shown', async () => {
      const document = documentOf({ index: 'dataset', id: 'w15', version })
      const facets = { theme: [{ id: 'NEW', title: 'Old title' }] }
      await made.index.write([{ put: { ...document, facets } }])
      const renamed = { theme: [{ id: 'NEW', title: 'New title' }] }
      await made.index.write([{ put: { ...document, id: 'w15-2', facets: renamed } }])
      const answer = await made.index.search(
        request({ limit: 0, facets: { size: 50, global: false, ids: ['theme'] } }),
      )
      const item = answer.facets![0]!.items.find((one) => one.id === 'NEW')
      expect(item).toEqual({ id: 'NEW', title: 'New title', count: 2 })
    })

    it('a version of 0 replaces what is there and keeps its version', async () => {
      await made.index.write([put({ id: 'w19', version: 30, text: words('before') })])
      await made.index.write([put({ id: 'w19', version: 0, text: words('after') })])
      expect(await found('or(before, after)')).toEqual(['w19'])
      expect(await found('after')).toEqual(['w19'])
      await made.index.write([put({ id: 'w19', version: 29, text: words('late') })])
      expect(await found('late')).toEqual([])
      const remove = { index: 'dataset', id: 'w19', version: 0 } as const
      await made.index.write([{ remove }])
      await made.index.write([put({ id: 'w19', version: 30, text: words('late') })])
      expect(await found('or(after, late)')).toEqual([])
      await made.index.write([put({ id: 'w19', version: 31, text: words('new') })])
      expect(await found('new')).toEqual(['w19'])
    })

    it('T18: any order and repetition of changes leads to the newest versions', async () => {
      const texts = ['first', 'second', 'third', 'fourth'].map((text) => `${text}state`)
      const changes = texts.flatMap((text, i) => [
        put({ id: 'w18-a', version: 20 + i, text: words(text) }),
        put({ id: 'w18-b', version: 20 + i, text: words(text) }),
      ])
      const disorder = [5, 1, 7, 0, 7, 2, 6, 3, 4, 6, 1].map((i) => changes[i]!)
      await Promise.all(disorder.map((change) => made.index.write([change])))
      expect(await found('fourthstate')).toEqual(['w18-a', 'w18-b'])
      expect(await found('or(firststate, secondstate, thirdstate)')).toEqual([])
    })
  })
}
