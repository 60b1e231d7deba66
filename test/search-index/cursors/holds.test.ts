/** What the writer keeps for open cursors while it purges and drops, and that it keeps it no longer. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { batchOf } from '../../../src/search-index/sqlite/worker-messages.ts'
import { IndexFileReader } from '../../../src/search-index/sqlite/reader.ts'
import { sliceOf, type SnapshotAnswer } from '../../../src/search-index/sqlite/stored-records.ts'
import { IndexFileWriter } from '../../../src/search-index/sqlite/writer.ts'
import { documentOf, languages, request, settings } from '../../contracts/search-index-corpus.ts'

let directory: string
let writer: IndexFileWriter
let reader: IndexFileReader
let db: DatabaseSync

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'holds-'))
  const path = join(directory, 'index.db')
  writer = new IndexFileWriter(path)
  writer.configure(settings, languages)
  for (const { index } of settings) writer.finish(index)
  reader = new IndexFileReader(path, () => undefined)
  db = new DatabaseSync(path)
})

afterEach(() => {
  for (const one of [reader, writer, db]) one.close()
  rmSync(directory, { recursive: true })
})

const count = 100

/** All records under their next version. */
function write(version: number, filling?: boolean): void {
  const puts = Array.from({ length: count }, (_, i) => {
    const text = { title: { en: [`v${version}`] } }
    return {
      put: documentOf({ index: 'dataset', id: `r${i}`, version, text }),
      ...(filling && { filling }),
    }
  })
  expect(writer.write([batchOf(puts)]).errors).toEqual([undefined])
}

/** All but what ended after one of these holds was taken. */
function purgeAll(...holds: readonly number[]): void {
  while (writer.purge(Math.min(Number.MAX_SAFE_INTEGER, ...holds)));
}

const { offset: _, ...all } = request()
const open = () => reader.open({ ...all, limit: 1 })
const rows = (generation = 1) =>
  Number(db.prepare(`SELECT count(*) AS n FROM doc_${generation}`).get()?.['n'])
const tables = () =>
  db
    .prepare("SELECT name FROM sqlite_master WHERE name LIKE 'doc_%'")
    .all()
    .map((row) => String(row['name']))
    .sort()

/** Versions of all records of a snapshot. */
function versionsOf({ snapshot }: SnapshotAnswer): Set<unknown> {
  const { hits } = reader.page({ ...sliceOf(snapshot, 0, count), score: false })
  expect(hits.map((hit) => hit.id).sort()).toEqual(
    Array.from({ length: count }, (__, i) => `r${i}`).sort(),
  )
  return new Set(hits.map((hit) => (JSON.parse(hit.record) as { version: number }).version))
}

it('versions that die after a hold was taken are purged when it is released', () => {
  write(1)
  write(2)
  const hold = writer.lastEnded()
  write(3)
  const snapshot = open()
  write(4)
  purgeAll(hold)
  // Those that had died before are gone all the same.
  expect(rows()).toBe(3 * count)
  expect(versionsOf(snapshot)).toEqual(new Set([3]))
  purgeAll()
  expect(rows()).toBe(count)
  expect(() => versionsOf(snapshot)).toThrow('missing')
})

it('the oldest of several holds decides', () => {
  write(1)
  const one = writer.lastEnded()
  const first = open()
  write(2)
  const two = writer.lastEnded()
  const second = open()
  write(3)
  purgeAll(one, two)
  expect([versionsOf(first), versionsOf(second)]).toEqual([new Set([1]), new Set([2])])
  const three = writer.lastEnded()
  purgeAll(three)
  expect(rows()).toBe(count)
  write(4)
  purgeAll(three)
  expect(rows()).toBe(2 * count)
})

it('a reader that reads by number needs to know nothing of what was written since', () => {
  write(1)
  const snapshot = open()
  write(2)
  const other = new IndexFileReader(join(directory, 'index.db'), () => undefined)
  const { hits } = other.page({
    ...sliceOf(snapshot.snapshot, 5, 7),
    score: false,
    include: ['version'],
  })
  expect(hits.map((hit) => hit.record)).toEqual(['{"version":1}', '{"version":1}'])
  other.close()
})

it('a generation that is swapped away stays until the hold is released, one that went before does not', () => {
  const next = (basis: string) => {
    const { rebuild } = writer.configure(
      settings.map((one) => ({ ...one, basis })),
      languages,
    )
    write(9, true)
    for (const name of rebuild) writer.finish(name)
  }
  write(1)
  const hold = writer.lastEnded()
  const snapshot = open()
  next('second')
  purgeAll(hold)
  expect(tables()).toContain('doc_1')
  expect(versionsOf(snapshot)).toEqual(new Set([1]))
  purgeAll(writer.lastEnded())
  expect(tables()).not.toContain('doc_1')
  expect(() => versionsOf(snapshot)).toThrow('no such table')
})

it('a generation that is made after a hold is held too: a snapshot may have been taken of it', () => {
  write(1)
  const hold = writer.lastEnded()
  const { rebuild } = writer.configure(
    settings.map((one) => ({ ...one, basis: 'other' })),
    languages,
  )
  write(1, true)
  for (const name of rebuild) writer.finish(name)
  const snapshot = open()
  const { generation } = snapshot.snapshot.spans[0]!
  expect(generation).toBeGreaterThan(1)
  write(2)
  purgeAll(hold)
  expect(rows(generation)).toBe(2 * count)
  expect(versionsOf(snapshot)).toEqual(new Set([1]))
  purgeAll()
  expect(rows(generation)).toBe(count)
})

it('what was held by a process that died goes with the next one', () => {
  write(1)
  const hold = writer.lastEnded()
  write(2)
  writer.configure(
    settings.map((one) => ({ ...one, basis: 'other' })),
    languages,
  )
  for (const { index } of settings) writer.finish(index)
  write(3)
  purgeAll(hold)
  expect([tables().includes('doc_1'), rows()]).toEqual([true, 2 * count])
  writer.close()
  writer = new IndexFileWriter(join(directory, 'index.db'))
  purgeAll()
  expect(tables()).not.toContain('doc_1')
  expect(reader.search(request()).count).toBe(count)
  expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
})
