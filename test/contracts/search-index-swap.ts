/** What every search engine must do while an index is written anew: nobody notices until it is finished. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { IndexChange, SearchIndex } from '../../src/search-index/search-index.ts'
import type { IndexName, IndexSettings } from '../../src/search-index/index-settings.ts'
import {
  configured,
  documentOf,
  documents,
  request,
  settings,
  type Made,
  type Sample,
} from './search-index-corpus.ts'
import { treeOf } from './search-index-trees.ts'

const datasets = documents.filter(({ index }) => index === 'dataset').map(({ id }) => id)

/** The datasets' settings, changed; the others as they are. */
const changed = (change: Partial<IndexSettings>): IndexSettings[] =>
  settings.map((one) => (one.index === 'dataset' ? { ...one, ...change } : one))

const other = changed({ basis: '2', numbers: ['scoring', 'distance'] })
const words = (text: string) => ({ title: { en: [text] } })

const fill = (sample: Partial<Sample> & { id: string }): IndexChange => ({
  put: documentOf({ index: 'dataset', version: 0, ...sample }),
  onlyIfMissing: true,
})

/** Everything of the corpus as it would be made under the new settings. */
const refilled = datasets.map((id) => fill({ id, text: words('Renewed') }))

export function swapContract(name: string, make: () => Promise<Made>): void {
  describe(`${name}: a swap`, () => {
    let made: Made
    let index: SearchIndex
    beforeEach(async () => {
      made = await make()
      index = made.index
      await configured(index)
      await index.write(documents.map((put) => ({ put })))
    })
    afterEach(() => made.release())

    const found = async (tree: string, indices: readonly IndexName[] = ['dataset']) =>
      (await index.search(request({ indices, tree: treeOf(tree), limit: 1000 }))).hits
        .map((hit) => hit.id)
        .sort()
    const put = (sample: Partial<Sample> & { id: string }) =>
      index.write([{ put: documentOf({ index: 'dataset', ...sample }) }])

    it('begins when the settings or only their basis change, and for that index alone', async () => {
      expect(await index.configure(changed({ basis: '2' }))).toEqual({ rebuild: ['dataset'] })
      expect(await index.configure(changed({ basis: '2' }))).toEqual({ rebuild: ['dataset'] })
      expect(await found('all')).toEqual(datasets)
      expect(await found('water', ['catalogue', 'vocabulary'])).toEqual(['c01', 'v01', 'v03'])
    })

    it('begins for an index that is to be filled anew, and what is gone from the source is gone after it', async () => {
      expect(await index.configure(settings, ['dataset'])).toEqual({ rebuild: ['dataset'] })
      expect(await found('all')).toEqual(datasets)
      expect((await index.missingIds('dataset', datasets)).length).toBe(datasets.length)
      await index.write(refilled.slice(1))
      await index.finish('dataset')
      expect(await found('all')).toEqual(datasets.slice(1))
      expect(await index.configure(settings)).toEqual({ rebuild: [] })
    })

    it('leaves the old documents answering under their settings until it is finished', async () => {
      await index.configure(other)
      expect(index.currentSettings()).toEqual(settings)
      await index.write(refilled.slice(0, 10))
      expect(await found('all')).toEqual(datasets)
      expect(await found('renewed')).toEqual([])
      await index.write(refilled)
      expect(await found('water')).toEqual(['d01', 'd02', 'd07', 'd14'])
      await index.finish('dataset')
      expect(index.currentSettings()).toEqual(expect.arrayContaining(other))
      expect(await found('renewed')).toEqual(datasets)
      expect(await found('water')).toEqual([])
      expect(await index.configure(other)).toEqual({ rebuild: [] })
    })

    it('shows what is written meanwhile at once, and keeps it', async () => {
      await index.configure(other)
      await index.write(refilled.slice(0, 3))
      await put({ id: 'd01', version: 5, text: words('Meanwhile') })
      await put({ id: 'd05', version: 5, text: words('Meanwhile') })
      await put({ id: 'new', version: 5, text: words('Meanwhile') })
      const remove = { index: 'dataset', version: 6 } as const
      await index.write([
        { remove: { ...remove, id: 'd02' } },
        { remove: { ...remove, id: 'd06' } },
      ])
      expect(await found('meanwhile')).toEqual(['d01', 'd05', 'new'])
      await index.write(refilled)
      await index.finish('dataset')
      expect(await found('meanwhile')).toEqual(['d01', 'd05', 'new'])
      const kept = datasets.filter((id) => id !== 'd02' && id !== 'd06')
      expect(await found('all')).toEqual([...kept, 'new'].sort())
    })

    it('tells what is missing, in no other index and not after its end', async () => {
      expect(await index.missingIds('dataset', ['d01', 'nope'])).toEqual([])
      await index.configure(other)
      await index.write(refilled.slice(0, 2))
      await put({ id: 'd05', version: 5 })
      expect(await index.missingIds('dataset', ['d01', 'd03', 'd05', 'nope'])).toEqual([
        'd03',
        'nope',
      ])
      expect(await index.missingIds('catalogue', ['c01', 'nope'])).toEqual([])
      await index.finish('dataset')
      expect(await index.missingIds('dataset', ['d03'])).toEqual([])
    })

    it('keeps versions and hashes: an old write that comes late changes nothing', async () => {
      await put({ id: 'd01', version: 7, text: words('seventh') })
      await index.configure(other)
      await index.write(refilled)
      await index.finish('dataset')
      const entries = await index.entries('dataset', '', 100)
      expect(entries.map(({ id }) => id)).toEqual(datasets)
      expect(entries[0]).toMatchObject({ id: 'd01', version: 7 })
      expect(await index.newestVersion()).toBe(7)
      await put({ id: 'd01', version: 6, text: words('late') })
      expect(await found('late')).toEqual([])
      await put({ id: 'd01', version: 8, text: words('eighth') })
      expect(await found('eighth')).toEqual(['d01'])
    })

    it('lists what is in the old and in the new', async () => {
      await index.configure(other)
      await index.write([fill({ id: 'a-new' }), ...refilled.slice(0, 2), fill({ id: 'z-new' })])
      const all = ['a-new', ...datasets, 'z-new']
      const pages: string[] = []
      for (let after = ''; ;) {
        const page = await index.entries('dataset', after, 4)
        if (page.length === 0) break
        pages.push(...page.map(({ id }) => id))
        after = page.at(-1)!.id
      }
      expect(pages).toEqual(all)
    })

    it('that is given up for the old settings begins again: writes of the other kind went to the old', async () => {
      await index.configure(other)
      await put({ id: 'd01', version: 5, text: words('mixed') })
      expect(await index.configure(settings)).toEqual({ rebuild: ['dataset'] })
      expect(await index.missingIds('dataset', ['d01'])).toEqual(['d01'])
      expect(await found('mixed')).toEqual(['d01'])
      await index.write(refilled)
      await index.finish('dataset')
      expect(await found('renewed')).toEqual(datasets)
      expect(await index.configure(settings)).toEqual({ rebuild: [] })
    })

    it('needs no old documents: an index without any answers from the new ones at once', async () => {
      const type = { ...settings[0]!, index: 'resource_road-sign"s' as const }
      expect(await index.configure([...settings, type])).toEqual({ rebuild: [type.index] })
      await index.write([{ put: documentOf({ id: 'r1', index: type.index }) }])
      expect(await found('all', [type.index])).toEqual(['r1'])
      await index.write([{ put: documentOf({ id: 'r2', index: type.index }), onlyIfMissing: true }])
      await index.write([
        {
          put: documentOf({ id: 'r1', index: type.index, text: words('older') }),
          onlyIfMissing: true,
        },
      ])
      expect(await found('all', [type.index])).toEqual(['r1', 'r2'])
      expect(await found('older', [type.index])).toEqual([])
      expect(await index.configure([...settings, type])).toEqual({ rebuild: [type.index] })
      await index.finish(type.index)
      expect(await index.configure([...settings, type])).toEqual({ rebuild: [] })
      expect((await index.health()).documents).toMatchObject({ dataset: 14, [type.index]: 2 })
    })

    it('of an index that is not named any more drops it', async () => {
      const type = { ...settings[0]!, index: 'resource_sign' as const }
      await configured(index, [...settings, type])
      await index.write([{ put: documentOf({ id: 'r1', index: type.index }) }])
      expect(await index.configure(settings)).toEqual({ rebuild: [] })
      expect(await found('all', [type.index, 'dataset'])).toEqual(datasets)
      expect((await index.health()).documents).not.toHaveProperty(type.index)
      expect(await index.configure([...settings, type])).toEqual({ rebuild: [type.index] })
      expect(await found('all', [type.index])).toEqual([])
    })

    it('goes unnoticed by searches and writers, from its first to its last step', async () => {
      const many = Array.from({ length: 600 }, (_, i) => `m${String(i).padStart(3, '0')}`)
      const filler = (id: string) => documentOf({ index: 'dataset', id, text: words('Many') })
      await index.write(many.map((id) => ({ put: filler(id) })))
      const over = new AbortController()
      let [searches, writes] = [0, 0]
      const wrong: unknown[] = []
      const searching = Array.from({ length: 3 }, async () => {
        for (; !over.signal.aborted; searches++) {
          const answer = await index.search(request({ tree: treeOf('many'), limit: 3 }))
          if (answer.count !== 600 || answer.hits.length !== 3) wrong.push(answer.count)
        }
      })
      const writing = (async () => {
        for (; !over.signal.aborted; writes++) {
          const text = `own${writes}`
          await put({ id: 'own', version: 10 + writes, text: words(text) })
          const seen = await found(text)
          if (seen.length !== 1) wrong.push(text)
        }
      })()
      const others = async () => {
        const before = [searches, writes]
        while (searches === before[0] || writes === before[1])
          await new Promise((resolve) => setImmediate(resolve))
      }
      for (const basis of ['2', '3']) {
        expect(await index.configure(changed({ basis }))).toEqual({ rebuild: ['dataset'] })
        for (let at = 0; at < many.length; at += 50) {
          const page = await index.missingIds('dataset', [...many.slice(at, at + 50), 'own'])
          await index.write(
            page.map((id) => ({ put: { ...filler(id), version: 0 }, onlyIfMissing: true })),
          )
          await others()
        }
        await index.finish('dataset')
      }
      over.abort()
      await Promise.all([...searching, writing])
      expect(wrong).toEqual([])
      expect(await found('many')).toEqual(many)
    })
  })
}
