/** What the embedded engine promises beyond the contract: damage, changed settings, restarts, limits. */

import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Writable } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import { Failure } from '../../src/errors.ts'
import { embeddedIndex, type EmbeddedOptions } from '../../src/search-index/sqlite/sqlite-index.ts'
import type { SearchIndex } from '../../src/search-index/search-index.ts'
import type { IndexName, IndexSettings } from '../../src/search-index/index-settings.ts'
import { logger } from '../../src/log.ts'
import {
  configured,
  documentOf,
  documents,
  languages,
  request,
  settings,
} from '../contracts/search-index-corpus.ts'
import { treeOf } from '../contracts/search-index-trees.ts'

const all: readonly IndexName[] = ['dataset', 'catalogue', 'vocabulary']
const directories: string[] = []
const opened: SearchIndex[] = []

async function open(directory: string, options: Partial<EmbeddedOptions> = {}) {
  const index = await embeddedIndex({ directory, log: logger('silent'), languages, ...options })
  opened.push(index)
  return index
}

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'embedded-'))
  directories.push(directory)
  return directory
}

/** An engine with the corpus in it. */
async function filled(directory: string, options?: Partial<EmbeddedOptions>): Promise<SearchIndex> {
  const index = await open(directory, options)
  await configured(index)
  await index.write(documents.map((put) => ({ put })))
  return index
}

const finishAll = async (index: SearchIndex): Promise<void> => {
  for (const name of all) await index.finish(name)
}

const ids = async (index: SearchIndex, changes: Parameters<typeof request>[0] = {}) =>
  (await index.search(request(changes))).hits.map((hit) => hit.id)

/** What a start ends in: the kind of its failure, or whether it asks for a rebuild. */
async function outcomeOf(index: SearchIndex): Promise<string> {
  try {
    const { rebuild } = await index.configure(settings)
    for (const name of rebuild) await index.finish(name)
    await ids(index, { tree: treeOf('or(wild(w?rd*), all)') })
    return rebuild.length > 0 ? 'rebuild' : 'kept'
  } catch (error) {
    return error instanceof Failure ? error.kind : 'another error'
  }
}

afterEach(async () => {
  for (const index of opened.splice(0)) await index.close().catch(() => undefined)
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true })
})

describe('a file', () => {
  it('is found again as it was left', async () => {
    const directory = newDirectory()
    await (await filled(directory)).close()
    const again = await open(directory)
    expect(await again.configure(settings)).toEqual({ rebuild: [] })
    expect(await ids(again)).toHaveLength(14)
    expect(await ids(again, { tree: treeOf('station') })).toEqual(['d02', 'd01'])
  })

  it.each([
    ['text', Buffer.from('this is no database, and long enough to be looked at '.repeat(20))],
    ['a torn header', Buffer.from('SQLite format 3\0'.padEnd(5000, '\u0001'))],
  ])(
    'of %s is set aside: the engine starts empty, asks for a rebuild and says so',
    async (_, bytes) => {
      const directory = newDirectory()
      writeFileSync(join(directory, 'index.db'), bytes)
      const lines: string[] = []
      const sink = new Writable({
        write: (chunk, __, done) => {
          lines.push(String(chunk))
          done()
        },
      })
      const index = await open(directory, { log: logger('info', sink) })
      expect(await index.configure(settings)).toEqual({ rebuild: all })
      await index.write(documents.map((put) => ({ put })))
      await finishAll(index)
      expect(await ids(index)).toHaveLength(14)
      expect(lines.some((line) => line.includes('"event":"index.set-aside"'))).toBe(true)
      expect(
        readdirSync(directory).filter((name) => name.startsWith('index.db.damaged-')),
      ).toHaveLength(1)
    },
  )

  it.each([0.1, 0.6])(
    'damaged from %d of its length on is empty and asks for a rebuild at the next start at the latest',
    async (share) => {
      const directory = newDirectory()
      const index = await filled(directory)
      await index.write(
        Array.from({ length: 500 }, (_, i) => {
          const text = { title: { en: [`word${i}`] } }
          return { put: documentOf({ index: 'dataset', id: `more-${i}`, text }) }
        }),
      )
      await index.close()
      const file = join(directory, 'index.db')
      const bytes = readFileSync(file)
      bytes.fill(0x5a, 4096 * Math.ceil((bytes.length * share) / 4096))
      writeFileSync(file, bytes)
      // Damage that the opening meets is healed at once; damage that a search meets, at the next start.
      const broken = await open(directory)
      const first = await outcomeOf(broken)
      expect(['engine-unavailable', 'rebuild']).toContain(first)
      await broken.close()
      const healed = await open(directory)
      expect(await outcomeOf(healed)).toBe(first === 'rebuild' ? 'kept' : 'rebuild')
      expect(await ids(healed)).toEqual([])
    },
  )
})

describe('a file of another layout', () => {
  it('asks for a rebuild, and answers no search until that has ended, also after a restart', async () => {
    const directory = newDirectory()
    await (await filled(directory)).close()
    const db = new DatabaseSync(join(directory, 'index.db'))
    db.exec('PRAGMA user_version = 1; DROP TABLE term; CREATE TABLE term (word TEXT)')
    db.close()
    const first = await open(directory)
    expect(await first.configure(settings)).toEqual({ rebuild: all })
    await first.write(documents.slice(0, 1).map((put) => ({ put })))
    const refused = { kind: 'engine-unavailable', retryAfter: 10 }
    await expect(first.search(request())).rejects.toMatchObject(refused)
    await first.close()
    const index = await open(directory)
    expect(await index.configure(settings)).toEqual({ rebuild: all })
    await expect(index.get('dataset', 'd01')).rejects.toMatchObject(refused)
    await index.write(documents.map((put) => ({ put })))
    await finishAll(index)
    expect(await ids(index, { tree: treeOf('station') })).toEqual(['d02', 'd01'])
  })
})

describe('settings', () => {
  const changed = (change: Partial<IndexSettings>) =>
    settings.map((one) => (one.index === 'dataset' ? { ...one, ...change } : one))

  it('that change weights or titles take effect without a rebuild', async () => {
    const index = await filled(newDirectory())
    const [dataset] = settings
    const texts = dataset!.texts.map((text) => ({ ...text, boost: text.name === 'title' ? 20 : 1 }))
    const facets = dataset!.facets.map((facet) => ({ ...facet, title: `New ${facet.id}` }))
    expect(await index.configure(changed({ texts, facets }))).toEqual({ rebuild: [] })
    const hits = await ids(index, { tree: treeOf('water') })
    expect(hits.slice(0, 2).sort()).toEqual(['d01', 'd07'])
    const answer = await index.search(request({ facets: { size: 1, global: false } }))
    expect(answer.facets!.map((facet) => facet.title)).toContain('New theme')
  })

  it('bands of a range facet are all shown, with their bounds', async () => {
    const index = await open(newDirectory())
    const band = (id: string, from: number, to: number) => ({
      id,
      title: id.toUpperCase(),
      from,
      to,
    })
    const bands = [band('good', 221, 405), band('bad', 0, 220)]
    await index.configure(changed({ facets: [{ id: 'scoring', title: 'Quality', bands }] }))
    const put = {
      ...documentOf({ index: 'dataset', id: 'a', text: { title: { en: ['banded'] } } }),
      facets: { scoring: [{ id: 'bad', title: 'bad' }] },
    }
    await index.write([{ put }])
    const { facets } = await index.search(request({ facets: { size: 50, global: false } }))
    expect(facets).toEqual([
      {
        id: 'scoring',
        title: 'Quality',
        items: [
          { ...bands[1], count: 1 },
          { ...bands[0], count: 0 },
        ],
      },
    ])
  })
})

describe('documents', () => {
  it('with several periods and boxes match by any of them, not by what lies between', async () => {
    const index = await open(newDirectory())
    await index.configure(settings)
    const year = (n: number): [number, number] => [Date.UTC(n, 0), Date.UTC(n, 11, 31)]
    const put = {
      ...documentOf({ index: 'dataset', id: 'a' }),
      dates: { issued: [year(2001), year(2005), year(2009)] },
    }
    await index.write([{ put }])
    const hits = (n: number) =>
      ids(index, { filter: { date: { name: 'issued', from: year(n)[0], to: year(n)[1] } } })
    expect([await hits(2001), await hits(2003), await hits(2009)]).toEqual([['a'], [], ['a']])
  })

  it('that come after a text order was used are placed in it', async () => {
    const index = await filled(newDirectory())
    const order = [{ name: 'title.en', direction: 'asc' as const }]
    const titles = async () =>
      (await index.search(request({ order, include: ['id'] }))).hits.map((hit) => hit.id)
    const before = await titles()
    for (const [i, title] of ['Bbb', 'Annual city budget', 'Bbc', 'Bba', 'Bbb'].entries()) {
      const put = documentOf({ index: 'dataset', id: `e${i}`, text: { title: { en: [title] } } })
      await index.write([{ put }])
      await titles()
    }
    const expected = [
      ...before.slice(0, 1),
      'd08',
      'e1',
      'e3',
      'e0',
      'e4',
      'e2',
      ...before.slice(2),
    ]
    expect(await titles()).toEqual(expected)
  })

  it('are found by the beginnings of their words, not by those of the names of their languages', async () => {
    const index = await filled(newDirectory())
    const put = (id: string, language: string, word: string) =>
      index.write([
        { put: documentOf({ index: 'dataset', id, text: { title: { [language]: [word] } } }) },
      ])
    await put('z1', 'zu', 'dodo')
    await put('z2', 'de', 'Wald')
    const found = (tree: string) => ids(index, { tree: treeOf(tree), fields: ['title'] })
    expect(await found('prefix(dod)')).toEqual(['z1'])
    expect(await found('and(prefix(d), prefix(dod))')).toEqual(['z1'])
    expect(await found('prefix(d)')).not.toContain('z2')
    expect(await found('prefix(wal)')).toEqual(['z2'])
  })

  it('for an index without settings fail that write and no other', async () => {
    const index = await open(newDirectory())
    await index.configure(settings.filter((one) => one.index === 'dataset'))
    const writes = documents.map((put) => index.write([{ put }]))
    const outcomes = await Promise.allSettled(writes)
    const failed = documents.filter((_, i) => outcomes[i]!.status === 'rejected')
    expect(failed.map((one) => one.index)).toEqual(
      documents.filter((one) => one.index !== 'dataset').map((one) => one.index),
    )
    expect(await ids(index)).toHaveLength(14)
  })
})

describe('limits', () => {
  it('a search over its time fails with time-limit', async () => {
    const index = await filled(newDirectory(), { searchMs: 0 })
    await expect(index.search(request())).rejects.toMatchObject({ kind: 'time-limit' })
  })

  it("a caller's own failure is what a stopped search rejects with", async () => {
    const index = await filled(newDirectory())
    const left = new Failure('request-timeout', 'the client left')
    const stopped = index.search(request(), AbortSignal.abort(left))
    await expect(stopped).rejects.toBe(left)
    await expect(index.write([{ put: documents[0]! }], AbortSignal.abort(left))).rejects.toBe(left)
    expect(await ids(index)).toHaveLength(14)
  })

  it('a closed engine refuses calls', async () => {
    const index = await filled(newDirectory())
    await index.close()
    await expect(index.search(request())).rejects.toMatchObject({ kind: 'engine-unavailable' })
    await expect(index.write([{ put: documents[0]! }])).rejects.toMatchObject({
      kind: 'engine-unavailable',
    })
  })

  it('a wildcard with too many terms takes the shortest and says so', async () => {
    const index = await open(newDirectory(), { wildcardTerms: 5 })
    await index.configure(settings)
    for (let i = 1; i <= 8; i++) {
      const text = { title: { en: [`k${'a'.repeat(i)}z`] } }
      await index.write([{ put: documentOf({ index: 'dataset', id: `${i}`, text }) }])
    }
    const answer = await index.search(request({ tree: treeOf('wild(k*z)') }))
    expect(answer.hits.map((hit) => hit.id).sort()).toEqual(['1', '2', '3', '4', '5'])
    expect(answer.truncatedPatterns).toEqual(['k*z'])
    const { offset: _, ...asked } = request({ tree: treeOf('wild(k*z)') })
    const page = await index.openCursor({ ...asked, client: '', note: '' })
    expect((await index.readPage(page.cursor)).truncatedPatterns).toEqual(['k*z'])
    const few = await index.search(request({ tree: treeOf('wild(ka?z)') }))
    expect([few.count, few.truncatedPatterns]).toEqual([1, undefined])
  })
})
