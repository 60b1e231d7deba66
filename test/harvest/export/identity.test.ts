/** Which record of the catalogue a record of the source is: by its IRI first, then by its identifiers. */

import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openSqlite } from '../../../src/sqlite.ts'
import { ledgerFormat, ledgerSchema } from '../../../src/harvest/ledger/ledger-schema.ts'
import { turtleSource } from './turtle-source.ts'

const one = (name: string, identifier?: string, title = name) =>
  `e:${name} a dcat:Dataset ; dct:title "${title}"${identifier === undefined ? '' : ` ; dct:identifier "${identifier}"`} .\n`

describe('the same IRI', () => {
  it.each([
    ['gets an identifier', undefined, 'new'],
    ['gets another identifier', 'old', 'new'],
    ['loses its identifier', 'old', undefined],
  ])('that %s is the same record', async (_, before, after) => {
    const source = await turtleSource(() => one('a', before))
    const { fixture } = source
    await fixture.run()
    const [id] = await fixture.ids()
    expect(id).toBe(before ?? 'https://s.example/a')
    source.say = () => one('a', after)
    expect((await fixture.run()).counts).toMatchObject({ created: 0, updated: 1, removed: 0 })
    expect(await fixture.ids()).toEqual([id])
  })
})

describe('equal identifiers', () => {
  const four = one('a', '1') + one('b', '1') + one('c', 'n/a') + one('d', 'n/a')

  it('under different IRIs are different records, in every run', async () => {
    const source = await turtleSource(() => four)
    const { fixture } = source
    expect((await fixture.run()).counts).toMatchObject({ created: 4, duplicate: 0 })
    const ids = ['1', 'https://s.example/b', 'https://s.example/d', 'n/a']
    expect(await fixture.ids()).toEqual(ids)
    source.say = () => one('d', 'n/a', 'D') + one('c', 'n/a') + one('b', '1', 'B') + one('a', '1')
    const counts = { created: 0, updated: 2, unchanged: 2, removed: 0, duplicate: 0 }
    expect((await fixture.run()).counts).toMatchObject(counts)
    expect(await fixture.ids()).toEqual(ids)
    expect(await fixture.text('https://s.example/b')).toContain('"B"')
  })

  it('let a new IRI be a new record, wherever in the document it stands', async () => {
    const source = await turtleSource(() => one('b', '1'))
    const { fixture } = source
    await fixture.run()
    source.say = () => one('a', '1') + one('b', '1') + one('c', '1')
    expect((await fixture.run()).counts).toMatchObject({ created: 2, unchanged: 1, removed: 0 })
    expect(await fixture.ids()).toEqual(['1', 'https://s.example/a', 'https://s.example/c'])
  })
})

describe('a source that moves its IRIs', () => {
  it('keeps its records by their identifiers', async () => {
    const source = await turtleSource(() => one('a', '1') + one('b', '2') + one('c', '3'))
    const { fixture } = source
    await fixture.run()
    source.say = () => one('new-b', '2') + one('new-a', '1') + one('c', '3')
    const counts = { created: 0, updated: 2, unchanged: 1, removed: 0 }
    expect((await fixture.run()).counts).toMatchObject(counts)
    expect(await fixture.ids()).toEqual(['1', '2', '3'])
    expect((await fixture.run()).outcome).toBe('not-modified')
  })
})

describe('a ledger that an older version left', () => {
  it('keeps its records: it called them by their identifiers, and one of equal ones', async () => {
    const all = () => one('a', '1') + one('b', '1') + one('c') + one('d', 'https://id.example/4')
    const source = await turtleSource(
      () => one('a', '1') + one('c') + one('d', 'https://id.example/4'),
    )
    const { fixture } = source
    await fixture.run()
    await fixture.restart(() => {
      const file = openSqlite({
        path: join(fixture.directory, 'harvest.sqlite'),
        schema: ledgerSchema,
        format: ledgerFormat,
      })
      file.run('UPDATE record SET source = original')
      file.run(`UPDATE pipe SET validators = '[]'`)
      file.close()
    })
    source.say = all
    const counts = { created: 1, updated: 0, unchanged: 3, removed: 0, duplicate: 0 }
    expect((await fixture.run()).counts).toMatchObject(counts)
    const ids = ['1', 'https://id.example/4', 'https://s.example/b', 'https://s.example/c']
    expect(await fixture.ids()).toEqual(ids)
    expect((await fixture.run()).outcome).toBe('not-modified')
    source.say = () => `${all()} # `
    expect((await fixture.run()).counts).toMatchObject({ created: 0, unchanged: 4, removed: 0 })
  })
})
