/** Candidates by sketches are the records whose vectors differ in the fewest signs, as a comparison of all vectors finds them. */

import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { add, bitmapOf } from '../../../src/search-index/sqlite/bitmap.ts'
import { Sketches } from '../../../src/search-index/sqlite/sketches.ts'

let db: DatabaseSync
let sketches: Sketches
const check = () => undefined

beforeEach(() => open())
afterEach(() => db.close())

function open(): void {
  db = new DatabaseSync(':memory:')
  db.exec(`CREATE TABLE vec (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, n INTEGER NOT NULL UNIQUE, v BLOB NOT NULL)`)
  sketches = new Sketches((text) => db.prepare(text), 'vec')
}

type Stored = ReadonlyMap<number, Int8Array>

function store(vectors: Stored): void {
  for (const [n, vector] of vectors)
    db.prepare('INSERT OR REPLACE INTO vec (n, v) VALUES (?, ?)').run(n, vector)
  sketches.refresh(check)
}

const ties = new Float64Array(10_000).map((_, n) => n)

function candidates(query: Int8Array, numbers: readonly number[], count: number): number[] {
  const set = bitmapOf(Math.max(0, ...numbers) + 1)
  for (const n of numbers) add(set, n)
  return [...sketches.candidates(query, set, count, ties)]
}

function byComparison(all: Stored, query: Int8Array, numbers: readonly number[], count: number) {
  const differences = (vector: Int8Array) =>
    vector.reduce((sum, one, i) => sum + Number(one > 0 !== (query[i] ?? 0) > 0), 0)
  return numbers
    .flatMap((n) => (all.has(n) ? [{ n, distance: differences(all.get(n)!) }] : []))
    .sort((a, b) => a.distance - b.distance || a.n - b.n)
    .slice(0, count)
    .map(({ n }) => n)
}

const vectorOf = (length: number) =>
  fc.int8Array({ minLength: length, maxLength: length, min: -127, max: 127 })
const vectorsOf = (length: number) =>
  fc
    .uniqueArray(fc.tuple(fc.nat(3_000), vectorOf(length)), { selector: ([n]) => n, maxLength: 40 })
    .map((entries) => new Map(entries))

const inputs = fc.integer({ min: 1, max: 12 }).chain((eighths) =>
  fc.record({
    query: vectorOf(eighths * 8),
    first: vectorsOf(eighths * 8),
    later: vectorsOf(eighths * 8),
    asked: fc.uniqueArray(fc.nat(3_500), { maxLength: 40 }),
    count: fc.nat(20),
  }),
)

it('finds what a comparison of all signs finds, among the records asked for, also of vectors that came later', () => {
  fc.assert(
    fc.property(inputs, ({ query, first, later, asked, count }) => {
      db.close()
      open()
      store(first)
      store(later)
      const all = new Map([...first, ...later])
      const numbers = [...new Set([...asked, ...all.keys()].filter((n) => n % 3 > 0))]
      expect(candidates(query, numbers, count)).toEqual(byComparison(all, query, numbers, count))
    }),
  )
})

it('finds nothing for a vector of another length, and forgets all vectors when those of another length come', () => {
  store(new Map([[1, new Int8Array(8).fill(1)]]))
  expect(candidates(new Int8Array(16).fill(1), [1], 5)).toEqual([])
  store(new Map([[2, new Int8Array(16).fill(1)]]))
  expect(candidates(new Int8Array(16).fill(1), [1, 2], 5)).toEqual([2])
  expect(candidates(new Int8Array(8).fill(1), [1, 2], 5)).toEqual([])
})

it('goes on where reading was given up', () => {
  const many = Array.from({ length: 5_000 }, (_, n) => [n, new Int8Array(8).fill(1)] as const)
  const insert = db.prepare('INSERT INTO vec (n, v) VALUES (?, ?)')
  for (const [n, vector] of many) insert.run(n, vector)
  const giveUp = () => {
    throw new Error('given up')
  }
  expect(() => sketches.refresh(giveUp)).toThrow('given up')
  sketches.refresh(check)
  const all = many.map(([n]) => n)
  expect(candidates(new Int8Array(8).fill(1), all, 10_000)).toEqual(all)
})
