/** The generations of each index: which one answers, which one is being built, which ones go. */

import type { DatabaseSync } from 'node:sqlite'
import { icuVersion, tokeniserNumber } from '../../../text/tokens.ts'
import type { IndexName, IndexSettings } from '../../settings.ts'
import { columnsOf, layoutNumber } from '../layout.ts'
import { createTables, tablesOf } from '../tables.ts'

/**
 * `current` answers and is whole; `filling` answers although it is not, because there is nothing older; `next` is built beside
 * one that answers; `old` waits to be dropped.
 */
type State = 'current' | 'filling' | 'next' | 'old'

export type Generation = {
  readonly index: IndexName
  /** Never given twice. */
  readonly generation: number
  readonly state: State
  /** Two with the same one were written under the same settings. */
  readonly signature: string
  readonly settings: IndexSettings
  readonly languages: readonly string[]
}

export const answers = ({ state }: Generation): boolean =>
  state === 'current' || state === 'filling'

/** The one of an index that has to be filled. */
export const isBuilt = ({ state }: Generation): boolean => state === 'next' || state === 'filling'

export function readGenerations(db: DatabaseSync): Generation[] {
  const rows = db
    .prepare(
      'SELECT generation, state, signature, settings, languages FROM gen ORDER BY generation',
    )
    .all()
  return rows.map((row) => {
    const settings: IndexSettings = JSON.parse(String(row['settings']))
    const languages: readonly string[] = JSON.parse(String(row['languages']))
    const signature = String(row['signature'])
    const generation = Number(row['generation'])
    return {
      index: settings.index,
      generation,
      state: stateOf(row),
      signature,
      settings,
      languages,
    }
  })
}

/**
 * Makes the settings those of every index and answers which of them have to be filled. Documents under other settings go
 * on answering beside what is built, and so do those of an index that is to be filled `anew`. Indices that are not named go.
 */
export function configure(
  db: DatabaseSync,
  all: readonly IndexSettings[],
  languages: readonly string[],
  anew: readonly IndexName[] = [],
): IndexName[] {
  const living = readGenerations(db).filter(({ state }) => state !== 'old')
  const of = (index: IndexName) => living.filter((one) => one.index === index)
  return inTransaction(db, () => {
    for (const one of living) {
      if (!all.some(({ index }) => index === one.index)) become(db, one, 'old')
    }
    const unfilled = all.filter((settings) =>
      prepare(
        db,
        { settings, languages, isAnew: anew.includes(settings.index) },
        of(settings.index),
      ),
    )
    return unfilled.map(({ index }) => index)
  })
}

/** What was built answers from now on; without anything being built nothing changes. */
export function finish(db: DatabaseSync, index: IndexName): void {
  const own = readGenerations(db).filter((one) => one.index === index)
  const built = own.find(({ state }) => state === 'next') ?? own.find(isBuilt)
  if (!built) return
  inTransaction(db, () => {
    for (const one of own.filter(answers)) become(db, one, 'old')
    become(db, built, 'current')
  })
}

export function forgetGeneration(db: DatabaseSync, generation: number): void {
  db.prepare('DELETE FROM gen WHERE generation = ?').run(generation)
}

type Wanted = {
  readonly settings: IndexSettings
  readonly languages: readonly string[]
  readonly isAnew: boolean
}

/** Whether the index has to be filled. */
function prepare(db: DatabaseSync, wanted: Wanted, own: readonly Generation[]): boolean {
  const { settings, languages, isAnew } = wanted
  const signature = signatureOf(wanted)
  const next = own.find(({ state }) => state === 'next')
  const answering = own.find(answers)
  const newest = next ?? answering
  if (newest?.signature === signature && !isAnew && !isWorn(db, newest)) {
    db.prepare('UPDATE gen SET settings = ?, languages = ? WHERE generation = ?').run(
      JSON.stringify(settings),
      JSON.stringify(languages),
      newest.generation,
    )
    return isBuilt(newest)
  }
  // The one that answers was written to under other settings while `next` was built: it is no longer what its signature says.
  if (next) become(db, next, 'old')
  const kept = answering !== undefined && hasRecords(db, answering)
  if (answering && !kept) become(db, answering, 'old')
  const { lastInsertRowid } = db
    .prepare('INSERT INTO gen (name, state, signature, settings, languages) VALUES (?, ?, ?, ?, ?)')
    .run(
      settings.index,
      kept ? 'next' : 'filling',
      signature,
      JSON.stringify(settings),
      JSON.stringify(languages),
    )
  createTables(db, tablesOf(Number(lastInsertRowid)), columnsOf(settings))
  return true
}

function become(db: DatabaseSync, { generation }: Generation, state: State): void {
  db.prepare('UPDATE gen SET state = ? WHERE generation = ?').run(state, generation)
}

/** Numbers that may be dead before an index is worn: what readers hold for them is little. */
const spare = 100_000

/** Readers hold a place for every number that was ever given: when most of them are dead, it is time to count anew. */
export function isWorn(db: DatabaseSync, { generation, state }: Generation): boolean {
  if (state !== 'current') return false
  const { key, col } = tablesOf(generation)
  const last = Number(db.prepare(`SELECT max(n) AS n FROM ${col}`).get()?.['n'] ?? 0)
  if (last < spare) return false
  const row = db.prepare(`SELECT count(*) AS count FROM ${key} WHERE n IS NOT NULL`).get()
  return last > 2 * Number(row?.['count'] ?? 0) + spare
}

function hasRecords(db: DatabaseSync, { generation }: Generation): boolean {
  return db.prepare(`SELECT 1 FROM ${tablesOf(generation).key} LIMIT 1`).get() !== undefined
}

function inTransaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE')
  try {
    const done = work()
    db.exec('COMMIT')
    return done
  } catch (error) {
    db.exec('ROLLBACK')
    throw error
  }
}

function stateOf(row: Readonly<Record<string, unknown>>): State {
  const state = row['state']
  if (state === 'current' || state === 'filling' || state === 'next') return state
  return 'old'
}

/** All that decides how a document is written; weights and titles do not. */
function signatureOf({ settings, languages }: Wanted): string {
  return JSON.stringify([
    layoutNumber,
    tokeniserNumber,
    icuVersion,
    languages,
    settings.basis,
    settings.texts.map((text) => text.name),
    settings.facets.map((facet) => facet.id),
    settings.dates,
    settings.numbers,
    settings.flags,
    settings.boxes,
    settings.orders,
  ])
}
