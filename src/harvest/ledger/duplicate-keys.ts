/** Duplicate keys: which records of different catalogues may be the same one. */

import { hash } from 'node:crypto'
import type { Sqlite } from '../../sqlite.ts'

/** Values by which two records may be the same; absent if they prove nothing. */
export type DuplicateKey = { readonly identifier?: string; readonly page?: string }

type Mark = keyof DuplicateKey

/** A record that may be a duplicate, and the matching key. */
export type DuplicateRecord = {
  readonly mark: Mark
  readonly catalogue: string
  readonly originalId: string
  /** Absent if the repository did not return it. */
  readonly platformId?: string
}

/** Maximum number of records with the same key; more, such as all with the first page of a portal, are no duplicates. */
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

  /** Stores the keys of a record; returns one record of another catalogue per matching key. */
  put(serial: number, catalogue: string, likeness: DuplicateKey): readonly DuplicateRecord[] {
    const values = marks.map((mark) => numberFor(likeness[mark]))
    // One query suffices for most records, which match no other one. Checked before the insert.
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

  /** Groups of records in several catalogues with the same key. Writes may occur between two groups. */
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

  /** Records with the same key; none if they are too many. */
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

/** 48 bits of a digest; a collision gives a wrong hint. */
const numberFor = (value: string | undefined): number | null =>
  value === undefined ? null : Number.parseInt(hash('sha1', value).slice(0, 12), 16)
