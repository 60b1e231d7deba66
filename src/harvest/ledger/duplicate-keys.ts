/** By what a record may be known elsewhere: which records of different catalogues look like the same one. */

import { hash } from 'node:crypto'
import type { Sqlite } from '../../sqlite.ts'

/** Facts by which two records may be the same; absent where they say nothing. */
export type DuplicateKey = { readonly identifier?: string; readonly page?: string }

type Mark = keyof DuplicateKey

/** A record that looks like another one, and by what. */
export type DuplicateRecord = {
  readonly mark: Mark
  readonly catalogue: string
  readonly originalId: string
  /** Absent where the repository did not tell it. */
  readonly platformId?: string
}

/** Most records that may share a likeness: more of them, such as all with the first page of a portal, are not alike by it. */
const mostDuplicates = 20
const groupsPerStep = 100
const marks = ['identifier', 'page'] as const satisfies readonly Mark[]

const any = `SELECT 1 FROM likeness WHERE identifier = ?
  UNION ALL SELECT 1 FROM likeness WHERE page = ? LIMIT 1`

export class DuplicateKeys {
  readonly #file: Sqlite

  constructor(file: Sqlite) {
    this.#file = file
  }

  /** Keeps what a record of a catalogue is known by; by each mark one record of another catalogue. */
  put(serial: number, catalogue: string, likeness: DuplicateKey): readonly DuplicateRecord[] {
    const values = marks.map((mark) => numberFor(likeness[mark]))
    // Most records are like no other one: that costs one question. Its own row would be an answer.
    const isAlone = !this.#file.first(any, ...values)
    this.#file.run(
      `INSERT INTO likeness (serial, identifier, page) VALUES (?, ?, ?)
      ON CONFLICT (serial) DO UPDATE SET identifier = excluded.identifier, page = excluded.page
      WHERE identifier IS NOT excluded.identifier OR page IS NOT excluded.page`,
      serial,
      ...values,
    )
    if (isAlone) return []
    return marks.flatMap((mark, at) => {
      const alike = this.#sharing(mark, values[at] ?? null)
      return alike.find((one) => one.catalogue !== catalogue) ?? []
    })
  }

  /** Groups of records of several catalogues that share a mark. Others may write between two groups. */
  *groups(): Iterable<readonly DuplicateRecord[]> {
    for (const mark of marks) {
      const several = `SELECT ${mark} AS value FROM likeness WHERE ${mark} > ?
        GROUP BY ${mark} HAVING count(*) > 1 ORDER BY ${mark} LIMIT ${groupsPerStep}`
      for (let after = -1; ;) {
        const values = this.#file.rows(several, after).map(({ value }) => Number(value))
        for (const value of values) {
          const alike = this.#sharing(mark, value)
          if (new Set(alike.map(({ catalogue }) => catalogue)).size > 1) yield alike
        }
        const last = values.at(-1)
        if (last === undefined) break
        after = last
      }
    }
  }

  /** None when they are too many to mean anything. */
  #sharing(mark: Mark, value: number | null): readonly DuplicateRecord[] {
    const rows = this.#file.rows(
      `SELECT catalogue, original, platform FROM likeness INDEXED BY likeness_${mark}
      JOIN record USING (serial) WHERE ${mark} = ? LIMIT ?`,
      value,
      mostDuplicates + 1,
    )
    if (rows.length > mostDuplicates) return []
    return rows.map(({ catalogue, original, platform }) => ({
      mark,
      catalogue: String(catalogue),
      originalId: String(original),
      ...(typeof platform === 'string' && { platformId: platform }),
    }))
  }
}

/** 48 bits of a digest: whoever is unlucky is told of a record that is nothing like his. */
const numberFor = (value: string | undefined): number | null =>
  value === undefined ? null : Number.parseInt(hash('sha1', value).slice(0, 12), 16)
