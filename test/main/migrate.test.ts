/** Files of older formats are migrated after a copy, those of newer ones are refused, and those of today stay as they are. */

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { migrateData } from '../../src/main/migrate.ts'
import { type Identity, writeIdentity } from '../../src/main/identity.ts'
import { openLease } from '../../src/lease.ts'
import { openSqlite } from '../../src/sqlite.ts'
import { gateway, remove, temporaryDirectory } from '../support/gateway.ts'
import { cartulary } from '../support/program.ts'

/** Versions of an invented file: a column is added, then its values are changed. */
const files = [
  {
    name: 'things.sqlite',
    format: 3,
    migrations: [
      { from: 2, sql: "UPDATE thing SET size = 'large' WHERE name = 'whale'" },
      { from: 1, sql: "ALTER TABLE thing ADD COLUMN size TEXT NOT NULL DEFAULT 'small'" },
    ],
  },
]
const identity: Identity = {
  format: 1,
  storeId: 'a-store',
  baseUri: 'http://localhost:8080/',
  segments: {},
  engine: 'embedded',
  createdBy: '0.0.1',
  openedBy: '0.0.1',
  created: '2026-11-30T00:00:00.000Z',
  files: [],
  harvests: 0,
  dates: 'faithful',
}

let directory: string
const path = () => join(directory, 'things.sqlite')
beforeEach(async () => {
  directory = await temporaryDirectory()
  await writeIdentity(directory, identity)
  const schema = "CREATE TABLE thing (name TEXT); INSERT INTO thing VALUES ('ant'), ('whale')"
  openSqlite({ path: path(), schema, format: 1 }).close()
})
afterEach(() => remove(directory))

const read = (file = path()) => {
  const opened = new DatabaseSync(file, { readOnly: true })
  const rows = opened.prepare('SELECT * FROM thing ORDER BY name').all()
  const version = opened.prepare('PRAGMA user_version').get()?.['user_version']
  opened.close()
  return { rows: rows.map((row) => Object.values(row)), version }
}
const migrate = (isCheck = false, given = files) =>
  migrateData({ directory, isCheck, files: given })
const steps = [{ file: 'things.sqlite', from: 1, to: 3, copy: 'things.sqlite.format-1' }]
const stamp = (version: number) => {
  const file = new DatabaseSync(path())
  file.exec(`PRAGMA user_version = ${version}`)
  file.close()
}

describe('a file of an older format', () => {
  it('is migrated step by step, and a copy of it stays, for its owner alone', async () => {
    expect(await migrate()).toEqual(steps)
    expect(read()).toEqual({
      rows: [
        ['ant', 'small'],
        ['whale', 'large'],
      ],
      version: 3,
    })
    expect(read(`${path()}.format-1`)).toEqual({ rows: [['ant'], ['whale']], version: 1 })
    expect(statSync(`${path()}.format-1`).mode & 0o777).toBe(0o600)
    expect(await migrate()).toEqual([])
  })

  it('stays as it is, and so do all others, when that is only checked', async () => {
    const before = readFileSync(path())
    expect(await migrate(true)).toEqual(steps)
    expect(readFileSync(path())).toEqual(before)
    expect(existsSync(`${path()}.format-1`)).toBe(false)
  })

  it('of which no number is known, begins with the first step', async () => {
    stamp(0)
    expect(await migrate()).toEqual([{ ...steps[0], from: 0, copy: 'things.sqlite.format-0' }])
    expect(read().version).toBe(3)
  })

  it('is as it was when a step fails, and is migrated when that is mended', async () => {
    const [file] = files
    const broken = {
      ...file,
      migrations: [...(file?.migrations ?? []), { from: 2, sql: 'UPDATE no SET a = 1' }],
    }
    await expect(migrate(false, [{ name: 'things.sqlite', format: 3, ...broken }])).rejects.toThrow(
      'no such table',
    )
    expect(read()).toEqual({ rows: [['ant'], ['whale']], version: 1 })
    expect(await migrate()).toEqual(steps)
    expect(read().version).toBe(3)
  })
})

it('a newer format is refused with both versions, before another file is changed', async () => {
  stamp(4)
  openSqlite({
    path: join(directory, 'first.sqlite'),
    schema: 'CREATE TABLE thing (name TEXT)',
    format: 1,
  }).close()
  const first = {
    ...files[0],
    name: 'first.sqlite',
    format: 3,
    migrations: files[0]?.migrations ?? [],
  }
  for (const isCheck of [true, false])
    await expect(migrate(isCheck, [first, ...files])).rejects.toThrow(/format 4; this one knows 3/)
  expect(readdirSync(directory).filter((name) => name.includes('.format-'))).toEqual([])
})

it('a directory in use, and one without an identity, is refused', async () => {
  const lease = openLease(join(directory, 'process.lease'))
  expect(lease.held()).toBe(true)
  await expect(migrate()).rejects.toThrow('is in use')
  lease.release()
  await expect(migrateData({ directory: join(directory, 'none'), isCheck: true })).rejects.toThrow(
    'is no data directory',
  )
})

it('an identity of an older format is brought to this one', async () => {
  await writeIdentity(directory, { ...identity, format: 0 })
  const step = { file: 'cartulary.json', from: 0, to: 1 }
  expect(await migrate(true, [])).toEqual([step])
  expect(await migrate(false, [])).toEqual([step])
  expect(JSON.parse(readFileSync(join(directory, 'cartulary.json'), 'utf8'))).toMatchObject({
    format: 1,
  })
  writeFileSync(join(directory, 'cartulary.json'), 'no')
  await expect(migrate()).rejects.toThrow('is damaged')
})

it('the data of today stay as they are', async () => {
  const data = join(directory, 'data')
  mkdirSync(data)
  const platform = await gateway(data)
  await platform.stop()
  const contents = () =>
    readdirSync(data, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\.lease|-wal|-shm/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((name) => [name, createHash('sha256').update(readFileSync(name)).digest('hex')])
  const before = contents()
  for (const words of [['migrate', '--check'], ['migrate']]) {
    const { code, out } = await cartulary([...words, '--data', data])
    expect([code, out]).toEqual([0, 'every file has the format of this version\n'])
  }
  expect(contents()).toEqual(before)
}, 60_000)

it('a store whose facts are of an older format gets those of this one at the start', async () => {
  const data = join(directory, 'data')
  const formats = (change = '') => {
    const store = new DatabaseSync(join(data, 'store', 'store.db'))
    store.exec(change)
    const rows = store.prepare("SELECT line FROM link WHERE line LIKE '%#format> %'").all()
    store.close()
    return rows.map(({ line }) => String(line).split(' ')[2])
  }
  await (await gateway(data)).stop()
  const older = `UPDATE link SET line = replace(line, '"1"', '"0"') WHERE line LIKE '%#format> %'`
  expect(formats(older)).toEqual(['"0"'])
  await (await gateway(data)).stop()
  expect(formats()).toEqual(['"1"'])
}, 60_000)
