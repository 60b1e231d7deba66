/** Versions of records: whoever writes, each state can be read again as it was, and be gone back to. */

import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openRecords } from '../../src/repository/records-file.ts'
import {
  lineDifference,
  VersionFile,
  versionSchema,
} from '../../src/repository/versions/version-file.ts'
import { alpineKey, prefixes, repository } from '../support/repository.ts'
import { aService, declared } from './declared.ts'

let repo: Awaited<ReturnType<typeof repository>>
beforeAll(async () => {
  repo = await repository({ resources: declared, keys: { 'a-reader': ['reader:rivers'] } })
  await repo.putCatalogue('rivers')
})
afterAll(() => repo.close())

const dataset = (title: string, more = '') =>
  `${prefixes}<urn:x:own> a dcat:Dataset ; dct:title "${title}" ; dcat:contactPoint [ foaf:name "Jane" ] ${more}.`
const put = async (id: string, title: string, more?: string) =>
  (await repo.putDataset('rivers', id, dataset(title, more))).status
const key = { 'X-API-Key': 'a-key-for-everything' }
const get = (path: string, headers: Record<string, string> = key) => repo.ask(path, { headers })
type Listed = {
  versions: {
    number: number
    by: string
    who: string
    is: string
    note: string
    isReadable: boolean
  }[]
  changedOutside: number[]
}
const list = async (path: string): Promise<Listed> =>
  JSON.parse(await (await get(`${path}/versions`)).text())
const numbers = async (path: string) => (await list(path)).versions.map(({ number }) => number)
const post = (path: string) => repo.ask(path, { method: 'POST' })
const graph = async (path: string) =>
  (await get(path, { ...key, Accept: 'application/n-triples' })).text()

describe('a dataset', () => {
  it('has a version for each change of its meaning, with who wrote it and how', async () => {
    const path = '/datasets/one'
    expect([await put('one', 'A'), await put('one', 'A'), await put('one', 'B')]).toEqual([
      201, 304, 204,
    ])
    const first = await graph(path)
    const again = await repo.ask(path, {
      method: 'PUT',
      type: 'application/n-triples',
      body: first,
    })
    // The body names things otherwise than the source did, and means the same.
    expect(again.status).toBe(204)
    const lines = first.replace('"B"', '"C"')
    expect(
      (await repo.ask(path, { method: 'PUT', type: 'application/n-triples', body: lines })).status,
    ).toBe(204)
    const { versions } = await list(path)
    expect(versions.map(({ number, is, by }) => [number, is, by])).toEqual([
      [3, 'changed', 'api'],
      [2, 'changed', 'harvest'],
      [1, 'created', 'harvest'],
    ])
    expect(versions.every(({ who }) => /^[0-9a-f]{8}$/.test(who))).toBe(true)
  })

  it('can be read as it was, byte for byte, however often it changed', async () => {
    const path = '/datasets/two'
    const states: string[] = []
    for (const title of 'ABCABDEFGHIJKLMNOPQRSTUVWXY') {
      await put('two', title, `; dcat:keyword "${title.toLowerCase()}" `)
      states.push(await graph(path))
    }
    for (const [index, state] of states.entries()) {
      expect(await graph(`${path}/versions/${index + 1}`)).toBe(state)
      expect(await graph(`/datasets/revisions/two.${index + 1}`)).toBe(state)
    }
    expect((await get(`${path}/versions/99`)).status).toBe(404)
  })

  it('goes back to a version, which is a new version', async () => {
    const path = '/datasets/three'
    for (const title of ['A', 'B', 'C']) await put('three', title)
    expect((await post(`${path}/versions/1/restore`)).status).toBe(204)
    expect(await graph(path)).toContain('"A"')
    const [newest] = (await list(path)).versions
    expect(newest).toMatchObject({ number: 4, note: 'restored version 1', by: 'api' })
    expect((await post(`${path}/versions/4/restore`)).status).toBe(304)
  })

  it('takes one version back and keeps what came later', async () => {
    const path = '/datasets/four'
    await put('four', 'A')
    await put('four', 'B')
    await put('four', 'B', '; dcat:keyword "later" ')
    expect((await post(`${path}/versions/2/undo`)).status).toBe(204)
    const text = await graph(path)
    expect([text.includes('"A"'), text.includes('"later"')]).toEqual([true, true])
    await put('four', 'C')
    const refused = await post(`${path}/versions/2/undo`)
    expect(refused.status).toBe(409)
    expect(JSON.stringify(await refused.json())).toContain('title')
  })

  it('tells the difference of two versions as RDF Patch', async () => {
    const path = '/datasets/five'
    await put('five', 'A')
    await put('five', 'B')
    const query = 'revisionNumber1=1&revisionNumber2=2'
    const asPatch = { ...key, Accept: 'application/rdf-patch' }
    const patch = await (await get(`${path}/diff?${query}`, asPatch)).text()
    expect(patch.split('\n').map((line) => [line[0], /"(.*)"/.exec(line)?.[1]])).toEqual([
      ['D', 'A'],
      ['A', 'B'],
      [undefined, undefined],
    ])
    const json = await (
      await get(`${path}/diff?${query}`, { ...key, Accept: 'application/json' })
    ).json()
    expect(json).toMatchObject({ removed: [expect.stringContaining('"A"')] })
  })

  it('that was deleted and restored has its history still', async () => {
    const path = '/datasets/six'
    await put('six', 'A')
    await repo.ask(path, { method: 'DELETE' })
    expect((await list(path)).versions.map(({ is }) => is)).toEqual(['deleted', 'created'])
    expect(await graph(`${path}/versions/1`)).toContain('"A"')
    await post(`${path}/restore`)
    expect((await list(path)).versions.map(({ is }) => is)).toEqual([
      'created',
      'deleted',
      'created',
    ])
    const removedByOrigin = '/catalogues/rivers/datasets/origin?originalId=six'
    expect((await repo.ask(removedByOrigin, { method: 'DELETE' })).status).toBe(204)
    expect((await list(path)).versions[0]).toMatchObject({ is: 'deleted', by: 'harvest' })
  })

  it('says when another program changed the store', async () => {
    const [path, iri] = ['/datasets/seven', 'http://localhost:8080/set/data/seven']
    for (let n = 1; n < 24; n += 1) await put('seven', `T${n}`)
    const before = (await repo.store.read(iri)) ?? ''
    await repo.store.write([{ graph: iri, content: before.replace('"T23"', '"X"'), before }])
    const outside = await list(path)
    expect(outside.changedOutside).toEqual([23])
    // Version 20 has the whole graph, and so those before it can be read.
    expect(outside.versions.find(({ isReadable }) => isReadable)?.number).toBe(20)
    expect((await get(`${path}/versions/21`)).status).toBe(404)
    expect(await graph(`${path}/versions/19`)).toContain('"T19"')
    await put('seven', 'Y')
    expect((await list(path)).changedOutside).toEqual([23])
    expect((await list(path)).versions[0]).toMatchObject({ number: 24, isReadable: true })
  })

  it('has versions by bulk writes too', async () => {
    const body = `${prefixes}<urn:x:a> a dcat:Dataset ; dct:title "A" ; dct:identifier "bulk-a" .`
    const path = '/catalogues/rivers/datasets/bulk'
    for (const text of [body, body.replace('"A"', '"B"')])
      await repo.ask(path, { method: 'PUT', type: 'text/turtle', body: text })
    expect((await list('/datasets/bulk-a')).versions.map(({ by }) => by)).toEqual([
      'harvest',
      'harvest',
    ])
  })
})

describe('catalogues and resources of declared types', () => {
  it.each([
    ['/catalogues/lakes', `${prefixes}<> a dcat:Catalog ; dct:title "Levels"@en .`, ''],
    ['/customresources/data-service/s', aService(), '?catalogId=rivers'],
  ])('%s has versions', async (path, body, query) => {
    for (const text of [body, body.replace('Levels', 'New')])
      await repo.ask(path + query, { method: 'PUT', type: 'text/turtle', body: text })
    expect(await numbers(path)).toEqual([2, 1])
    expect(await graph(`${path}/versions/1`)).toContain('"Levels"')
    expect((await post(`${path}/versions/1/restore`)).status).toBe(204)
    expect(await graph(path)).toContain('"Levels"')
    expect((await post(`${path}/versions/2/undo`)).status).toBe(304)
  })
})

describe('who may', () => {
  it('read versions: readers of the catalogue; go back: stewards', async () => {
    await put('eight', 'A')
    const status = async (headers: Record<string, string>) =>
      (await get('/datasets/eight/versions', headers)).status
    expect(await status({})).toBe(401)
    expect(await status({ 'X-API-Key': alpineKey })).toBe(403)
    expect(await status({ 'X-API-Key': 'a-reader' })).toBe(200)
    expect((await get('/datasets/revisions/eight.1', {})).status).toBe(401)
    const restore = { method: 'POST', headers: { 'X-API-Key': 'a-reader' } }
    expect((await repo.ask('/datasets/eight/versions/1/restore', restore)).status).toBe(403)
  })
})

describe('the file of versions', () => {
  const author = { who: 'k', by: 'api', note: '' }
  const limits = { days: 100, most: 5, harvestDays: 10, harvestMost: 2 }
  const clock = { now: Date.parse('2026-01-01') }
  const open = (name: string) => {
    const records = openRecords(join(repo.directory, `${name}.sqlite`), [versionSchema])
    const file = new VersionFile(records, () => new Date(clock.now))
    const write = (before: string, after: string, by = 'api', isMeant = true) =>
      file.note([{ graph: 'g', before, after, isMeant, ...lineDifference(before, after) }], {
        ...author,
        by,
      })
    return { file, write, close: () => records.close() }
  }
  const state = (n: number) => `<a> <b> "${n}" .\n<a> <c> "x" .\n`
  const listed = (file: VersionFile, lines: string) =>
    file.history('g', lines).versions.map(({ number }) => number)

  it('never meets a write that did not land, and forgets it', () => {
    const { file, write, close } = open('unwritten')
    write('', state(1))
    write(state(1), state(2))
    expect(listed(file, state(1))).toEqual([1])
    write(state(1), state(3))
    expect(listed(file, state(3))).toEqual([2, 1])
    expect(file.read('g', state(3), 1)?.lines).toBe(state(1))
    close()
  })

  it.each([
    ['a record that no version is known of', state(0)],
    ['a record that did not exist', ''],
  ])('never meets the first write where it did not land: %s', (name, before) => {
    const { file, write, close } = open(name)
    write(before, state(1))
    expect(listed(file, before)).toEqual([])
    write(before, state(2))
    write(before, state(3))
    expect(file.history('g', state(3))).toMatchObject({
      versions: [{ number: 1 }],
      changedOutside: [],
    })
    close()
  })

  it('keeps what the limits allow, and every kept version can be read', () => {
    const kinds = fc.constantFrom('api', 'harvest', 'quiet')
    const step = fc.record({ by: kinds, days: fc.nat(40), value: fc.nat(4) })
    let run = 0
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 30 }), (steps) => {
        const { file, write, close } = open(`limits-${(run += 1)}`)
        const states = new Map<number, string>()
        let [lines, number, last] = ['', 0, 0]
        for (const { by, days, value } of steps) {
          clock.now += days * 86_400_000
          if (by !== 'quiet') last = value
          const next = `${state(last)}<a> <d> "${days}" .\n`
          if (next === lines) continue
          const isMeant = by !== 'quiet' || lines === ''
          write(lines, next, isMeant && by === 'quiet' ? 'api' : by, isMeant)
          lines = next
          if (isMeant) states.set((number += 1), lines)
          else states.set(number, lines)
        }
        const before = listed(file, lines)
        file.sweep('', limits)
        const after = listed(file, lines)
        expect(before.slice(0, 1)).toEqual(
          after.length > 0 ? after.slice(0, 1) : before.slice(0, 1),
        )
        expect(after.length).toBeLessThanOrEqual(5)
        for (const one of after) {
          const read = file.read('g', lines, one)?.lines
          expect(read?.split('\n')[0]).toBe(states.get(one)?.split('\n')[0])
        }
        close()
      }),
      { numRuns: 60 },
    )
  })

  it('finds the lines that differ', () => {
    const lines = fc.uniqueArray(fc.stringMatching(/^[a-c]{1,3}$/), { maxLength: 8 })
    fc.assert(
      fc.property(lines, lines, (one, other) => {
        fc.pre(one.length > 0)
        const text = (all: string[]) =>
          all
            .toSorted()
            .map((line) => `${line}\n`)
            .join('')
        const { removed, added } = lineDifference(text(one), text(other))
        expect(new Set(removed)).toEqual(new Set(one).difference(new Set(other)))
        expect(new Set(added)).toEqual(new Set(other).difference(new Set(one)))
      }),
    )
  })
})
