/** By what a record may be known elsewhere: which records of different catalogues look like the same one. */

import { hash } from 'node:crypto'
import type { Row, Sqlite } from '../../sqlite.ts'
import { numberOf, textOf } from './record-rows.ts'

/** What is the same about records of which nobody knows whether they are; absent where it says nothing. */
export type Likeness = { readonly identifier?: string; readonly page?: string }

type Mark = keyof Likeness

/** A record that looks like another one, and by what. */
export type Alike = {
  readonly mark: Mark
  readonly catalogue: string
  readonly originalId: string
  /** Absent where the repository did not tell it. */
  readonly platformId?: string
}

export type Likenesses = {
  put(serial: number, likeness: Likeness): void
  /** By each mark one record of another catalogue. */
  elsewhere(catalogue: string, likeness: Likeness): readonly Alike[]
  /** Records of several catalogues that share a mark; an empty group after every so many rows, for whoever waits. */
  groups(): Iterable<readonly Alike[]>
  drop(serial: number): void
  dropCatalogue(catalogue: string): void
}

/** What more records share than this, such as the first page of a portal, says nothing about any of them. */
const mostAlike = 20
const slice = 5000
const marks = ['identifier', 'page'] as const satisfies readonly Mark[]

export function likenesses(file: Sqlite): Likenesses {
  return {
    put: (serial, likeness) =>
      void file.run(
        'INSERT OR REPLACE INTO likeness (serial, identifier, page) VALUES (?, ?, ?)',
        serial,
        ...marks.map((mark) => numberFor(likeness[mark])),
      ),
    elsewhere: (catalogue, likeness) =>
      marks.flatMap((mark) => {
        const value = numberFor(likeness[mark])
        const alike = value === null ? [] : sharing(file, mark, value)
        return alike.find((one) => one.catalogue !== catalogue) ?? []
      }),
    *groups() {
      for (const mark of marks) yield* groupsBy(file, mark)
    },
    drop: (serial) => void file.run('DELETE FROM likeness WHERE serial = ?', serial),
    dropCatalogue: (catalogue) =>
      void file.run(
        'DELETE FROM likeness WHERE serial IN (SELECT serial FROM record WHERE catalogue = ?)',
        catalogue,
      ),
  }
}

/** None when they are too many to mean anything. */
function sharing(file: Sqlite, mark: Mark, value: bigint): readonly Alike[] {
  const rows = file.rows(
    `SELECT catalogue, original, platform FROM likeness INDEXED BY likeness_${mark}
      JOIN record USING (serial) WHERE ${mark} = ? LIMIT ?`,
    value,
    mostAlike + 1,
  )
  return rows.length > mostAlike ? [] : rows.map((row) => alikeOf(mark, row))
}

function* groupsBy(file: Sqlite, mark: Mark): Generator<readonly Alike[]> {
  const step = `SELECT max(value) AS last, count(*) AS n FROM
    (SELECT ${mark} AS value FROM likeness WHERE ${mark} > ? ORDER BY ${mark} LIMIT ${slice})`
  const several = `SELECT CAST(${mark} AS TEXT) AS value FROM likeness WHERE ${mark} > ? AND ${mark} <= ?
    GROUP BY ${mark} HAVING count(*) > 1`
  for (let after = least; ;) {
    const found = file.first(`SELECT CAST(last AS TEXT) AS last, n FROM (${step})`, after)
    if (numberOf(found?.['n']) === 0) return
    const last = BigInt(textOf(found?.['last']))
    for (const row of file.rows(several, after, last)) {
      const alike = sharing(file, mark, BigInt(textOf(row['value'])))
      if (new Set(alike.map(({ catalogue }) => catalogue)).size > 1) yield alike
    }
    yield []
    after = last
  }
}

const least = -(2n ** 63n)

/** 64 bits of it: whoever is unlucky is told of a record that is nothing like his. */
const numberFor = (value: string | undefined): bigint | null =>
  value === undefined ? null : hash('sha256', value, 'buffer').readBigInt64LE()

const alikeOf = (mark: Mark, row: Row): Alike => ({
  mark,
  catalogue: textOf(row['catalogue']),
  originalId: textOf(row['original']),
  ...(row['platform'] !== null && { platformId: textOf(row['platform']) }),
})
