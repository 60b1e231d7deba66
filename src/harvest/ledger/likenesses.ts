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

type LandedLikeness = {
  readonly serial: number
  readonly catalogue: string
  readonly likeness: Likeness
}

export type Likenesses = {
  /** Keeps what a record of a catalogue is known by; by each mark one record of another catalogue. */
  land(record: LandedLikeness): readonly Alike[]
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
    land: (record) => landed(file, record),
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

const any = `SELECT 1 FROM likeness WHERE identifier = ?
  UNION ALL SELECT 1 FROM likeness WHERE page = ? LIMIT 1`

function landed(file: Sqlite, { serial, catalogue, likeness }: LandedLikeness): readonly Alike[] {
  const values = marks.map((mark) => numberFor(likeness[mark]))
  // Most records are like no other one: that costs one question. Its own row would be an answer.
  const isAlone = !file.first(any, ...values)
  file.run(
    `INSERT INTO likeness (serial, identifier, page) VALUES (?, ?, ?)
      ON CONFLICT (serial) DO UPDATE SET identifier = excluded.identifier, page = excluded.page
      WHERE identifier IS NOT excluded.identifier OR page IS NOT excluded.page`,
    serial,
    ...values,
  )
  if (isAlone) return []
  return marks.flatMap((mark, at) => {
    const alike = sharing(file, mark, values[at] ?? null)
    return alike.find((one) => one.catalogue !== catalogue) ?? []
  })
}

/** None when they are too many to mean anything. */
function sharing(file: Sqlite, mark: Mark, value: number | null): readonly Alike[] {
  const rows = file.rows(
    `SELECT catalogue, original, platform FROM likeness INDEXED BY likeness_${mark}
      JOIN record USING (serial) WHERE ${mark} = ? LIMIT ?`,
    value,
    mostAlike + 1,
  )
  return rows.length > mostAlike ? [] : rows.map((row) => alikeOf(mark, row))
}

function* groupsBy(file: Sqlite, mark: Mark): Generator<readonly Alike[]> {
  const step = `SELECT max(value) AS last FROM
    (SELECT ${mark} AS value FROM likeness WHERE ${mark} > ? ORDER BY ${mark} LIMIT ${slice})`
  const several = `SELECT ${mark} AS value FROM likeness WHERE ${mark} > ? AND ${mark} <= ?
    GROUP BY ${mark} HAVING count(*) > 1`
  for (let after = -1; ;) {
    const last = file.first(step, after)?.['last']
    if (typeof last !== 'number') return
    for (const { value } of file.rows(several, after, last)) {
      const alike = sharing(file, mark, numberOf(value))
      if (new Set(alike.map(({ catalogue }) => catalogue)).size > 1) yield alike
    }
    yield []
    after = last
  }
}

/** 48 bits of a digest: whoever is unlucky is told of a record that is nothing like his. */
const numberFor = (value: string | undefined): number | null =>
  value === undefined ? null : Number.parseInt(hash('sha1', value).slice(0, 12), 16)

const alikeOf = (mark: Mark, row: Row): Alike => ({
  mark,
  catalogue: textOf(row['catalogue']),
  originalId: textOf(row['original']),
  ...(row['platform'] !== null && { platformId: textOf(row['platform']) }),
})
