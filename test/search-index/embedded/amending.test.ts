/** Parts of a document are changed under its number: where nobody would notice, and nowhere else. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Amendment, SearchRequest } from '../../../src/search-index/search-index.ts'
import { Reader } from '../../../src/search-index/embedded/reading/reader.ts'
import { sliceOf } from '../../../src/search-index/embedded/reading/snapshot.ts'
import { amendingBatch, batchOf } from '../../../src/search-index/embedded/threads/batches.ts'
import { Writer } from '../../../src/search-index/embedded/writing/writer.ts'
import { documentOf, languages, request, settings } from '../../contracts/search-index-corpus.ts'
import { treeOf } from '../../contracts/search-index-trees.ts'

let directory: string
let writer: Writer
let reader: Reader

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'amending-'))
  writer = new Writer(join(directory, 'index.db'))
  writer.configure(settings, languages)
  for (const { index } of settings) writer.finish(index)
  reader = newReader()
})

afterEach(() => {
  reader.close()
  writer.close()
  rmSync(directory, { recursive: true })
})

const newReader = () => new Reader(join(directory, 'index.db'), () => undefined)

function put(id: string, version = 1): void {
  const made = documentOf({
    index: 'dataset',
    id,
    version,
    text: { title: { en: ['harbour'] } },
    facets: { format: ['CSV'], country: ['de'] },
  })
  const document = { ...made, hash: `h${version}`, amendable: ['scores'] }
  expect(writer.write([batchOf([{ put: document }])]).errors).toEqual([undefined])
}

type Told = { id?: string; version?: number; scoring?: number | null; themes?: readonly string[] }

function amendment({ id = 'r', version = 2, scoring = 300, themes = ['good'] }: Told = {}) {
  const made: Amendment = {
    index: 'dataset',
    id,
    version,
    record: { scores: scoring === null ? null : { scoring } },
    numbers: { scoring },
    facets: { theme: themes.map((one) => ({ id: one, title: one })) },
  }
  return made
}

/** The places of what has to be written whole. */
function amend(...all: readonly Amendment[]): readonly number[] | undefined {
  const { errors, left } = writer.write([amendingBatch(all)])
  expect(errors).toEqual([undefined])
  return left[0]
}

/** Versions that were ever stored. */
function rows(): number {
  const db = new DatabaseSync(join(directory, 'index.db'), { readOnly: true })
  const row = db.prepare('SELECT count(*) AS count FROM doc_1').get()
  db.close()
  return Number(row?.['count'])
}

const search = (changes: Partial<SearchRequest>, by = reader) => by.search(request(changes))
const found = (changes: Partial<SearchRequest>, by = reader) =>
  search(changes, by).hits.map(({ id }) => id)
/** Records with all of these. */
const themed = (...values: readonly string[]): Partial<SearchRequest> => {
  const groups = [{ facet: 'theme', values }]
  return { filter: { facets: { groups, operator: 'AND', groupOperator: 'AND' } } }
}
const counted = (facet: string, by = reader) =>
  by.values('dataset', facet).map(({ id, count }) => `${id} ${count}`)
const record = (id = 'r', by = reader): unknown => JSON.parse(by.get('dataset', id) ?? 'null')

describe('an amendment', () => {
  it('changes record, numbers and facets, and leaves all the rest where it is', () => {
    put('r')
    put('s')
    expect(counted('theme')).toEqual([])
    expect(amend(amendment())).toEqual([])
    expect(record()).toMatchObject({ id: 'r', title: { en: 'harbour' }, scores: { scoring: 300 } })
    expect(record('s')).not.toHaveProperty('scores')
    expect(found({ filter: { numbers: [{ name: 'scoring', from: 300 }] } })).toEqual(['r'])
    expect(found(themed('good'))).toEqual(['r'])
    expect([counted('theme'), counted('format')]).toEqual([['good 1'], ['CSV 2']])
    expect(found({ tree: treeOf('harbour') })).toHaveLength(2)
    expect([rows(), writer.newest()]).toEqual([2, 2])
    expect(writer.entries({ index: 'dataset', after: '', limit: 9 })).toEqual([
      { id: 'r', version: 2, hash: 'h1' },
      { id: 's', version: 1, hash: 'h1' },
    ])
  })

  it('is taken in by whoever has searched before, and seen alike by whoever comes later', () => {
    for (const id of ['r', 's', 't']) put(id)
    for (let version = 2; version < 6; version += 1) {
      const themes = ['good', 'poor', 'fair'].slice(0, version % 4)
      amend(amendment({ version, scoring: version, themes }))
      amend(amendment({ id: 's', version, scoring: 10 - version, themes: themes.slice(1) }))
      const late = newReader()
      const seen = (by: Reader) => ({
        order: found({ order: [{ by: 'scoring', direction: 'desc' }] }, by),
        themes: [counted('theme', by), found(themed('good'), by), found(themed('poor'), by)],
        both: found(themed('good', 'poor'), by),
        records: [record('r', by), record('s', by)],
      })
      expect(seen(reader)).toEqual(seen(late))
      expect(seen(reader).order).toEqual(version < 5 ? ['s', 'r', 't'] : ['r', 's', 't'])
      expect(seen(reader).themes[0]).toEqual(
        ['fair', 'good', 'poor'].flatMap((one) => {
          const count = Number(themes.includes(one)) + Number(themes.slice(1).includes(one))
          return count > 0 ? [`${one} ${count}`] : []
        }),
      )
      late.close()
    }
  })

  it('takes away what it says is gone', () => {
    put('r')
    amend(amendment())
    expect(found(themed('good'))).toEqual(['r'])
    amend(amendment({ version: 3, scoring: null, themes: [] }))
    expect(record()).not.toHaveProperty('scores')
    expect(found({ filter: { numbers: [{ name: 'scoring', from: 0 }] } })).toEqual([])
    expect([found(themed('good')), counted('theme')]).toEqual([[], []])
  })

  it('that is older changes nothing, and one of a whole document comes after it', () => {
    put('r', 5)
    expect(amend(amendment({ version: 4 }), amendment({ version: 5 }))).toEqual([])
    expect(record()).not.toHaveProperty('scores')
    amend(amendment({ version: 6 }))
    put('r', 5)
    expect(record()).toHaveProperty('scores')
    put('r', 7)
    expect(record()).not.toHaveProperty('scores')
    expect(counted('theme')).toEqual([])
  })

  it('reads as it was written when the same document is put once more', () => {
    const same = { ...documentOf({ index: 'dataset', id: 'r' }), amendable: ['scores'] }
    const write = (version: number) => writer.write([batchOf([{ put: { ...same, version } }])])
    write(1)
    amend(amendment())
    write(3)
    expect([record(), counted('theme')]).toEqual([same.record, []])
  })
})

describe('a document is to be written whole', () => {
  it('where it is not there, was removed, or does not call the field amendable', () => {
    put('r')
    put('s')
    writer.write([batchOf([{ remove: { index: 'dataset', id: 's', version: 2 } }])])
    const all = [amendment(), amendment({ id: 's', version: 3 }), amendment({ id: 'never' })]
    expect(amend(...all)).toEqual([1, 2])
    expect(amend({ ...amendment({ version: 3 }), record: { title: 'x' } })).toEqual([0])
    expect(record()).toMatchObject({ title: { en: 'harbour' }, scores: { scoring: 300 } })
  })

  it('while somebody reads versions by their numbers', () => {
    put('r')
    const { offset: _, ...all } = request()
    writer.hold(1)
    const { snapshot } = reader.open({ ...all, limit: 0 })
    expect(amend(amendment())).toEqual([0])
    const [hit] = reader.page({ ...sliceOf(snapshot, 0, 1), score: false }).hits
    expect(hit?.record).not.toContain('scores')
    writer.release([1])
    expect(amend(amendment())).toEqual([])
  })

  it('while its index is built beside the one that answers, and no longer than that', () => {
    put('r')
    writer.configure(
      settings.map((one) => ({ ...one, basis: 'other' })),
      languages,
    )
    expect(amend(amendment())).toEqual([0])
    put('r', 2)
    writer.finish('dataset')
    expect(amend(amendment({ version: 3 }))).toEqual([])
    expect([record(), found(themed('good'))]).toMatchObject([{ scores: { scoring: 300 } }, ['r']])
  })
})

describe('a writer', () => {
  it('that fails takes back amendments with the rest, and makes those of others', () => {
    put('r')
    put('s')
    const bad = batchOf([{ remove: { index: 'resource_nothing', id: 'x', version: 9 } }])
    const [mine, others] = [amendingBatch([amendment()]), amendingBatch([amendment({ id: 's' })])]
    const { errors, left } = writer.write([[...mine, ...bad], others])
    expect(errors).toEqual([expect.stringContaining('not configured'), undefined])
    expect(left).toEqual([[], []])
    expect([found(themed('good')), counted('theme')]).toEqual([['s'], ['good 1']])
    expect(record()).not.toHaveProperty('scores')
  })

  it('that begins anew goes on where the last one ended: readers miss nothing', () => {
    for (const id of ['r', 's']) put(id)
    for (const version of [2, 3, 4]) amend(amendment({ id: 's', version }))
    expect(found(themed('good'))).toEqual(['s'])
    writer.write([batchOf([{ remove: { index: 'dataset', id: 's', version: 5 } }])])
    while (writer.purge());
    writer.close()
    writer = new Writer(join(directory, 'index.db'))
    amend(amendment())
    expect([found(themed('good')), counted('theme')]).toEqual([['r'], ['good 1']])
  })
})

it('room that values leave is used again, however often they come and go', () => {
  const ids = Array.from({ length: 40 }, (_, n) => `r${n}`)
  for (const id of ids) put(id)
  const themes = Array.from({ length: 60 }, (_, n) => `t${n}`)
  for (let version = 2; version < 60; version += 1) {
    const own = (n: number) => themes.slice(0, (version * 7 + n * 13) % 60)
    amend(...ids.map((id, n) => amendment({ id, version, themes: own(n) })))
    const expected = themes.flatMap((theme) => {
      const count = ids.filter((_, n) => own(n).includes(theme)).length
      return count > 0 ? [`${theme} ${count}`] : []
    })
    expect(counted('theme').toSorted()).toEqual(expected.toSorted())
    expect(counted('format')).toEqual(['CSV 40'])
    expect(found(themed('t5'))).toHaveLength(ids.filter((_, n) => own(n).includes('t5')).length)
  }
})
