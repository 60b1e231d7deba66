/** Files of our own: who may read them, and what a transaction leaves. */

import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { problemOf } from '../src/http/problem.ts'
import { isDiskFull, openSqlite } from '../src/sqlite.ts'

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

  it('says when the disk is full', () => {
    const file = opened()
    file.first('PRAGMA max_page_count = 4')
    const refusalOf = (write: () => unknown): unknown => {
      try {
        return write()
      } catch (error) {
        return error
      }
    }
    const refusal = refusalOf(() =>
      file.run('INSERT INTO thing (name) VALUES (?)', 'x'.repeat(100_000)),
    )
    expect([isDiskFull(refusal), problemOf(refusal, '/').status]).toEqual([true, 507])
    expect(isDiskFull(new Error('another'))).toBe(false)
  })

  it('can give pages back only when it was made to', () => {
    const path = fresh()
    const file = openSqlite({ path, schema, format: 1, shrinks: true })
    onTestFinished(() => file.close())
    expect(file.first('PRAGMA auto_vacuum')).toEqual({ auto_vacuum: 2 })
    expect(opened().first('PRAGMA auto_vacuum')).toEqual({ auto_vacuum: 0 })
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
