/**
 * The generations of each index: which one answers, which one is being filled, which ones go.
 *
 *     (no documents yet)   filling ──finish──▶ current
 *     (changed settings)   current stays, next is filled beside it ──finish──▶ next is current, current is old
 *     old ──purge──▶ (dropped)
 */

import type { DatabaseSync } from 'node:sqlite'
import { transaction } from '../../sqlite.ts'
import { signatureOf, type IndexName, type IndexSettings } from '../index-settings.ts'
import { columnsOf, createTables, endOfGeneration, layoutNumber, tablesOf } from './index-file.ts'

/**
 * `current` answers and is whole; `filling` answers although it is not, because there is nothing older; `next` is filled beside
 * one that answers; `old` waits to be dropped.
 */
const states = ['current', 'filling', 'next', 'old'] as const
type State = (typeof states)[number]

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

/** Whether searches are answered from it. */
export const answers = ({ state }: Generation): boolean =>
  state === 'current' || state === 'filling'

/** The one of an index that has to be filled. */
export const isBuilt = ({ state }: Generation): boolean => state === 'next' || state === 'filling'

/** In the order in which they were made. */
export function readGenerations(db: DatabaseSync): Generation[] {
  const rows = db.prepare('SELECT * FROM gen ORDER BY generation').all()
  return rows.map((row) => {
    const settings: IndexSettings = JSON.parse(String(row['settings']))
    const languages: readonly string[] = JSON.parse(String(row['languages']))
    const state = states.find((one) => one === row['state']) ?? 'old'
    const generation = Number(row['generation'])
    const signature = String(row['signature'])
    return { index: settings.index, generation, state, signature, settings, languages }
  })
}

/**
 * Makes the settings those of every index and answers which of them have to be filled. Documents under other settings go
 * on answering beside what is filled, and so do those of an index that is to be filled `anew`. Indices that are not named go.
 */
export function configure(
  db: DatabaseSync,
  all: readonly IndexSettings[],
  languages: readonly string[],
  anew: readonly IndexName[] = [],
): IndexName[] {
  const living = readGenerations(db).filter(({ state }) => state !== 'old')
  return transaction(db, () => {
    for (const one of living) {
      if (!all.some(({ index }) => index === one.index)) become(db, one, 'old')
    }
    const unfilled = all.filter((settings) => {
      const { index } = settings
      const own = living.filter((one) => one.index === index)
      return prepare(db, { settings, languages, isAnew: anew.includes(index) }, own)
    })
    return unfilled.map(({ index }) => index)
  })
}

/** Makes the filled generation the one that answers; does nothing when none is being filled. */
export function finish(db: DatabaseSync, index: IndexName): void {
  const own = readGenerations(db).filter((one) => one.index === index)
  const built = own.find(({ state }) => state === 'next') ?? own.find(isBuilt)
  if (!built) return
  transaction(db, () => {
    for (const one of own.filter(answers)) if (one !== built) become(db, one, 'old')
    become(db, built, 'current')
  })
}

type Target = {
  readonly settings: IndexSettings
  readonly languages: readonly string[]
  readonly isAnew: boolean
}

/** Whether the index has to be filled; `own` are its generations. */
function prepare(db: DatabaseSync, target: Target, own: readonly Generation[]): boolean {
  const { settings, languages, isAnew } = target
  const signature = signatureOf(layoutNumber, settings, languages)
  const texts = [JSON.stringify(settings), JSON.stringify(languages)] as const
  const next = own.find(({ state }) => state === 'next')
  const answering = own.find(answers)
  const newest = next ?? answering
  if (newest?.signature === signature && !isAnew && !isWorn(db, newest)) {
    db.prepare('UPDATE gen SET settings = ?, languages = ? WHERE generation = ?').run(
      ...texts,
      newest.generation,
    )
    return isBuilt(newest)
  }
  // The one that answers was written to under other settings while `next` was filled: it is no longer what its signature says.
  if (next) become(db, next, 'old')
  const stays = answering !== undefined && hasRecords(db, answering)
  if (answering && !stays) become(db, answering, 'old')
  const { lastInsertRowid } = db
    .prepare('INSERT INTO gen (name, state, signature, settings, languages) VALUES (?, ?, ?, ?, ?)')
    .run(settings.index, stays ? 'next' : 'filling', signature, ...texts)
  createTables(db, tablesOf(Number(lastInsertRowid)), columnsOf(settings))
  return true
}

function become(db: DatabaseSync, { generation }: Generation, state: State): void {
  db.prepare('UPDATE gen SET state = ? WHERE generation = ?').run(state, generation)
  if (state !== 'old') return
  db.prepare('INSERT INTO dead (generation, n) VALUES (?, ?)').run(generation, endOfGeneration)
}

/** Numbers that may be dead before an index is worn: what readers hold for them is little. */
const spareNumbers = 100_000

/** Readers hold a place for every number that was ever given: when most of them are dead, it is time to fill the index anew. */
export function isWorn(db: DatabaseSync, { generation, state }: Generation): boolean {
  if (state !== 'current') return false
  const { key, col } = tablesOf(generation)
  const last = Number(db.prepare(`SELECT max(n) AS n FROM ${col}`).get()?.['n'] ?? 0)
  if (last < spareNumbers) return false
  const row = db.prepare(`SELECT count(*) AS count FROM ${key} WHERE n IS NOT NULL`).get()
  return last > 2 * Number(row?.['count'] ?? 0) + spareNumbers
}

function hasRecords(db: DatabaseSync, { generation }: Generation): boolean {
  return db.prepare(`SELECT 1 FROM ${tablesOf(generation).key} LIMIT 1`).get() !== undefined
}
