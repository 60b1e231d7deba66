/** Which generation of each index is current, and under which settings it was written. */

import type { DatabaseSync } from 'node:sqlite'
import { icuVersion } from '../../../text/segment.ts'
import { tokeniserNumber } from '../../../text/tokens.ts'
import type { IndexName, IndexSettings } from '../../settings.ts'
import { columnsOf, layoutNumber } from '../layout.ts'
import { createTables, dropTables, tablesOf } from '../tables.ts'

export type Generation = {
  readonly index: IndexName
  readonly generation: number
  readonly settings: IndexSettings
  readonly languages: readonly string[]
}

export function readGenerations(db: DatabaseSync): Generation[] {
  const rows = db.prepare('SELECT generation, settings, languages FROM gen').all()
  return rows.map((row) => {
    const settings: IndexSettings = JSON.parse(String(row['settings']))
    const languages: readonly string[] = JSON.parse(String(row['languages']))
    const generation = Number(row['generation'])
    return { index: settings.index, generation, settings, languages }
  })
}

/**
 * Makes the settings current. Where stored documents were written under others, or there were none, the index starts
 * empty in a new generation and its name is answered.
 */
export function configure(
  db: DatabaseSync,
  all: readonly IndexSettings[],
  languages: readonly string[],
): IndexName[] {
  const find = db.prepare('SELECT generation, signature FROM gen WHERE name = ?')
  const store = db.prepare(
    `INSERT OR REPLACE INTO gen (name, generation, signature, settings, languages)
     VALUES (?, ?, ?, ?, ?)`,
  )
  const emptied: IndexName[] = []
  db.exec('BEGIN IMMEDIATE')
  try {
    for (const settings of all) {
      const { index } = settings
      const row = find.get(index)
      const signature = signatureOf(settings, languages)
      const old = Number(row?.['generation'] ?? 0)
      const same = row?.['signature'] === signature
      const generation = same ? old : old + 1
      if (!same) {
        if (row) dropTables(db, tablesOf(index, old))
        createTables(db, tablesOf(index, generation), columnsOf(settings))
        emptied.push(index)
      }
      const texts = [JSON.stringify(settings), JSON.stringify(languages)] as const
      store.run(index, generation, signature, ...texts)
    }
    db.exec('COMMIT')
  } catch (error) {
    db.exec('ROLLBACK')
    throw error
  }
  return emptied
}

/** All that decides how a document is written; weights and titles do not. */
function signatureOf(settings: IndexSettings, languages: readonly string[]): string {
  return JSON.stringify([
    layoutNumber,
    tokeniserNumber,
    icuVersion,
    languages,
    settings.texts.map((text) => text.name),
    settings.facets.map((facet) => facet.id),
    settings.dates,
    settings.numbers,
    settings.flags,
    settings.boxes,
    settings.orders,
  ])
}
