/** Keys of harvested records, by which duplicates in different catalogues are found: at each write, and for a list. */

import { hash } from 'node:crypto'
import type { Sqlite } from '../../sqlite.ts'

/** Identifier and landing page (without scheme), equal if two records may describe one dataset; absent if they prove nothing. */
export type DuplicateKey = { readonly identifier?: string; readonly page?: string }

type KeyName = keyof DuplicateKey

/** A record that may be a duplicate, and the matching key. */
export type DuplicateRecord = {
  readonly keyName: KeyName
  readonly catalogue: string
  readonly originalId: string
  /** Absent if the repository did not return it. */
  readonly platformId?: string
}

/** Maximum number of records with the same key; more, such as all with the first page of a portal, are no duplicates. */
const mostDuplicates = 20
/** Number of shared keys that `groups` reads at once. */
const groupsPerStep = 100
const keyNames = ['identifier', 'page'] as const satisfies readonly KeyName[]

const anyMatch = `SELECT 1 FROM likeness WHERE identifier = ?
  UNION ALL SELECT 1 FROM likeness WHERE page = ? LIMIT 1`

/** Table `likeness` of the ledger. */
export class DuplicateKeys {
  readonly #file: Sqlite

  constructor(file: Sqlite) {
    this.#file = file
  }

  /** Stores the keys of a record; returns for each matching key one record of another catalogue, unless too many have the key. */
  put(serial: number, catalogue: string, keys: DuplicateKey): readonly DuplicateRecord[] {
    const values = keyNames.map((keyName) => digestOf(keys[keyName]))
    // One query suffices for most records, which match no other one. Checked before the insert.
    const isUnique = !this.#file.first(anyMatch, ...values)
    this.#file.run(
      `INSERT INTO likeness (serial, identifier, page) VALUES (?, ?, ?)
      ON CONFLICT (serial) DO UPDATE SET identifier = excluded.identifier, page = excluded.page
      WHERE identifier IS NOT excluded.identifier OR page IS NOT excluded.page`,
      serial,
      ...values,
    )
    if (isUnique) return []
    return keyNames.flatMap((keyName, index) => {
      const records = this.#recordsWith(keyName, values[index] ?? null)
      return records.find((record) => record.catalogue !== catalogue) ?? []
    })
  }

  /** Groups of records in several catalogues with the same key. Writes may occur between two groups. */
  *groups(): Iterable<readonly DuplicateRecord[]> {
    for (const keyName of keyNames) {
      const sharedValues = `SELECT ${keyName} AS value FROM likeness WHERE ${keyName} > ?
        GROUP BY ${keyName} HAVING count(*) > 1 ORDER BY ${keyName} LIMIT ${groupsPerStep}`
      for (let after = -1; ;) {
        const values = this.#file.rows(sharedValues, after).map(({ value }) => Number(value))
        for (const value of values) {
          const records = this.#recordsWith(keyName, value)
          if (new Set(records.map(({ catalogue }) => catalogue)).size > 1) yield records
        }
        const last = values.at(-1)
        if (last === undefined) break
        after = last
      }
    }
  }

  /** Records with the same key; none if they are too many. */
  #recordsWith(keyName: KeyName, value: number | null): readonly DuplicateRecord[] {
    const rows = this.#file.rows(
      `SELECT catalogue, original, platform FROM likeness INDEXED BY likeness_${keyName}
      JOIN record USING (serial) WHERE ${keyName} = ? LIMIT ?`,
      value,
      mostDuplicates + 1,
    )
    if (rows.length > mostDuplicates) return []
    return rows.map(({ catalogue, original, platform }) => ({
      keyName,
      catalogue: String(catalogue),
      originalId: String(original),
      ...(typeof platform === 'string' && { platformId: platform }),
    }))
  }
}

/** First 48 bits of a SHA-1, as an integer; a collision only gives a wrong hint. */
const digestOf = (value: string | undefined): number | null =>
  value === undefined ? null : Number.parseInt(hash('sha1', value).slice(0, 12), 16)
