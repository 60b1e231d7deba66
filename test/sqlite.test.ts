/** Files of our own: who may read them, and what a transaction leaves. */

import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hasBrokenLog, openSqlite } from '../src/sqlite.ts'

const fresh = () => join(mkdtempSync(join(tmpdir(), 'sqlite-')), 'deep', 'file.sqlite')
const schema = 'CREATE TABLE IF NOT EXISTS thing (serial INTEGER PRIMARY KEY, name TEXT UNIQUE)'

function opened(path = fresh()) {
  const file = openSqlite({ path, schema, format: 1 })
  onTestFinished(() => file.close())
  return file
}

describe('a file', () => {
  it('is for its owner alone, and so is a directory that is made for it', () => {
    const path = fresh()
    opened(path)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700)
  })

  it('keeps what is written and says what changed', () => {
    const file = opened()
    expect(file.run('INSERT INTO thing (name) VALUES (?)', 'a')).toEqual({ changes: 1, serial: 1 })
    expect(file.run('INSERT INTO thing (name) VALUES (?)', 'b').serial).toBe(2)
    expect(file.rows('SELECT name FROM thing ORDER BY name')).toEqual([
      { name: 'a' },
      { name: 'b' },
    ])
    expect([...file.each('SELECT serial FROM thing')]).toHaveLength(2)
    expect(file.first('SELECT 1 FROM thing WHERE name = ?', 'c')).toBeUndefined()
  })

  it('can give pages back only when it was made to', () => {
    const path = fresh()
    const file = openSqlite({ path, schema, format: 1, shrinks: true })
    onTestFinished(() => file.close())
    expect(file.first('PRAGMA auto_vacuum')).toEqual({ auto_vacuum: 2 })
    expect(opened().first('PRAGMA auto_vacuum')).toEqual({ auto_vacuum: 0 })
  })
})

describe('the log of a file', () => {
  /** As a process leaves it that was killed: with a log, which was used before. */
  function left(): string {
    const path = fresh()
    const file = opened(path)
    for (let n = 0; n < 20; n += 1) file.run('INSERT INTO thing (name) VALUES (?)', `first ${n}`)
    file.first('PRAGMA wal_checkpoint(RESTART)')
    for (let n = 0; n < 5; n += 1) file.run('INSERT INTO thing (name) VALUES (?)', `second ${n}`)
    const copy = `${path}.copy`
    for (const part of ['', '-wal']) copyFileSync(path + part, copy + part)
    return copy
  }

  it('is sound as a killed process leaves it, and where its last page came in part', () => {
    const path = left()
    expect(hasBrokenLog(path)).toBe(false)
    truncateSync(`${path}-wal`, statSync(`${path}-wal`).size - 100)
    expect(hasBrokenLog(path)).toBe(false)
  })

  it('is broken by one other byte in any part that would be read, and only there', () => {
    const path = left()
    const log = readFileSync(`${path}-wal`)
    const size = 24 + log.readUInt32BE(8)
    // Pages of the earlier use have another salt than the head.
    let living = 32
    while (log.compare(log, 16, 24, living + 8, living + 16) === 0) living += size
    expect(log.length).toBeGreaterThan(living)
    const flipped = (at: number) => {
      const bytes = Buffer.from(log)
      bytes[at] = (bytes[at] ?? 0) ^ 0x40
      writeFileSync(`${path}-wal`, bytes)
      return hasBrokenLog(path)
    }
    for (const at of [1, 17, 26, 32, 32 + 20, 32 + 24 + 7, living - size + 30, living - 1])
      expect([at, flipped(at)]).toEqual([at, true])
    expect(flipped(living + 24 + 9)).toBe(false)
    expect(flipped(log.length - 1)).toBe(false)
  })
})

describe('a file of another program', () => {
  const stored = (path: string, pragma: string) => {
    const file = new DatabaseSync(path)
    const value = Object.values(file.prepare(`PRAGMA ${pragma}`).get() ?? {})[0]
    file.close()
    return value
  }

  it('that is newer is refused with its name and the cure, and stays as it is', () => {
    const path = fresh()
    openSqlite({ path, schema, format: 1 }).close()
    openSqlite({ path, schema, format: 99 }).close()
    const before = readFileSync(path)
    expect(() => openSqlite({ path, schema, format: 1 })).toThrow(
      expect.objectContaining({
        name: 'ForeignFile',
        isNewer: true,
        message: expect.stringContaining(path),
      }),
    )
    expect(readFileSync(path).equals(before)).toBe(true)
    expect(stored(path, 'user_version')).toBe(99)
  })

  it('that is older, without any mark, is taken and gets one', () => {
    const path = fresh()
    mkdirSync(dirname(path))
    const old = new DatabaseSync(path)
    old.exec(`${schema}; INSERT INTO thing (name) VALUES ('kept')`)
    old.close()
    expect(opened(path).rows('SELECT name FROM thing')).toEqual([{ name: 'kept' }])
    expect(stored(path, 'user_version')).toBe(1)
    expect(stored(path, 'application_id')).not.toBe(0)
  })

  it('that stands in the place of another is refused', () => {
    const [one, other] = [fresh(), `${fresh()}2`]
    openSqlite({ path: one, schema, format: 1 }).close()
    mkdirSync(dirname(other))
    copyFileSync(one, other)
    expect(() => openSqlite({ path: other, schema, format: 1 })).toThrow(
      'another file than its name',
    )
  })
})

describe('a transaction', () => {
  it('leaves nothing when it throws', () => {
    const file = opened()
    const broken = () =>
      file.transaction(() => {
        file.run('INSERT INTO thing (name) VALUES (?)', 'a')
        throw new Error('no')
      })
    expect(broken).toThrow('no')
    expect(file.rows('SELECT * FROM thing')).toEqual([])
  })

  it('inside another is a part of it: it leaves nothing when it throws, and goes with the whole', () => {
    const file = opened()
    const names = () => file.rows('SELECT name FROM thing').map(({ name }) => name)
    const add = (name: string) => file.run('INSERT INTO thing (name) VALUES (?)', name)
    const failing = (name: string) =>
      file.transaction(() => {
        add(name)
        throw new Error(name)
      })
    file.transaction(() => {
      add('a')
      expect(() => failing('b')).toThrow('b')
      file.transaction(() => file.transaction(() => add('c')))
    })
    expect(names()).toEqual(['a', 'c'])
    const whole = () =>
      file.transaction(() => {
        file.transaction(() => add('d'))
        throw new Error('all')
      })
    expect(whole).toThrow('all')
    expect(names()).toEqual(['a', 'c'])
  })

  it('is seen by another connection whole', () => {
    const path = fresh()
    const [one, other] = [opened(path), opened(path)]
    one.transaction(() => {
      one.run('INSERT INTO thing (name) VALUES (?)', 'a')
      expect(other.rows('SELECT * FROM thing')).toEqual([])
      one.run('INSERT INTO thing (name) VALUES (?)', 'b')
    })
    expect(other.rows('SELECT * FROM thing')).toHaveLength(2)
  })

  it.each([
    ['quick', 1],
    ['durable', 2],
  ] as const)('that is %s waits for the disk as much as that asks', (safety, level) => {
    const file = opened()
    expect(file.transaction(() => file.first('PRAGMA synchronous'), safety)).toEqual({
      synchronous: level,
    })
  })
})
