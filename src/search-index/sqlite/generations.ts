/**
 * Generations of each index in the index file, and their states:
 *
 * (no documents yet) filling ──finish──▶ current
 * (changed settings) current stays, next is filled beside it ──finish──▶ next is current, current is old
 * old ──purge──▶ (dropped)
 */

import type { DatabaseSync } from 'node:sqlite'
import { transaction } from '../../sqlite.ts'
import { signatureOf, type IndexName, type IndexSettings } from '../index-settings.ts'
import {
  columnsOf,
  createTables,
  endOfGeneration,
  layoutNumber,
  tablesOf,
  type Tables,
} from './index-file.ts'

/**
 * `current` is complete and searched; `filling` is searched although incomplete, because there is no older one; `next` is filled beside
 * the one that is searched; `old` is to be dropped.
 */
const states = ['current', 'filling', 'next', 'old'] as const
type State = (typeof states)[number]

/** Generation of an index: its own tables, filled under one set of settings. */
export type Generation = {
  readonly index: IndexName
  /** Unique in the file, never used again. */
  readonly number: number
  readonly state: State
  /** `signatureOf` the settings. */
  readonly signature: string
  readonly settings: IndexSettings
  readonly languages: readonly string[]
}

/** Whether searches use a generation. */
export const isSearched = ({ state }: Generation): boolean =>
  state === 'current' || state === 'filling'

/** Whether a generation is being filled. */
export const isBeingFilled = ({ state }: Generation): boolean =>
  state === 'next' || state === 'filling'

/** Generations in the file, in the order of their creation. */
export function readGenerations(db: DatabaseSync): Generation[] {
  const rows = db.prepare('SELECT * FROM gen ORDER BY generation').all()
  return rows.map((row) => {
    const settings: IndexSettings = JSON.parse(String(row['settings']))
    const languages: readonly string[] = JSON.parse(String(row['languages']))
    const state = states.find((name) => name === row['state']) ?? 'old'
    const number = Number(row['generation'])
    const signature = String(row['signature'])
    return { index: settings.index, number, state, signature, settings, languages }
  })
}

/**
 * Applies the settings and returns the indices to fill: new ones, those whose signature has changed, those in `refill`,
 * fragmented ones, and those whose filling has not ended. Generations with documents are searched until the new ones are filled.
 * Generations of indices without settings are marked `old`.
 */
export function configureGenerations(
  db: DatabaseSync,
  allSettings: readonly IndexSettings[],
  languages: readonly string[],
  refill: readonly IndexName[] = [],
): IndexName[] {
  const generations = readGenerations(db).filter(({ state }) => state !== 'old')
  return transaction(db, () => {
    for (const generation of generations) {
      if (!allSettings.some(({ index }) => index === generation.index))
        setState(db, generation, 'old')
    }
    const unfilled = allSettings.filter((settings) => {
      const { index } = settings
      const generationsOfIndex = generations.filter((generation) => generation.index === index)
      return prepareIndex(
        db,
        { settings, languages, mustRefill: refill.includes(index) },
        generationsOfIndex,
      )
    })
    return unfilled.map(({ index }) => index)
  })
}

/** Makes the generation that is being filled the current one; does nothing if there is none. */
export function finishGeneration(db: DatabaseSync, index: IndexName): void {
  const generationsOfIndex = readGenerations(db).filter((generation) => generation.index === index)
  const filling =
    generationsOfIndex.find(({ state }) => state === 'next') ??
    generationsOfIndex.find(isBeingFilled)
  if (!filling) return
  transaction(db, () => {
    for (const one of generationsOfIndex.filter(isSearched))
      if (one !== filling) {
        copyVectors(db, tablesOf(one.number), tablesOf(filling.number))
        setState(db, one, 'old')
      }
    setState(db, filling, 'current')
  })
}

/** Copies the vectors of records that have none in the new generation. */
function copyVectors(db: DatabaseSync, from: Tables, to: Tables): void {
  db.exec(`INSERT OR IGNORE INTO ${to.vec} (n, v)
    SELECT target.n, v FROM ${from.vec} JOIN ${from.col} USING (n)
    JOIN ${to.key} AS target USING (id) WHERE target.n IS NOT NULL`)
}

type Target = {
  readonly settings: IndexSettings
  readonly languages: readonly string[]
  readonly mustRefill: boolean
}

/**
 * Updates the newest generation of an index, or creates one, and returns whether the index has to be filled.
 */
function prepareIndex(
  db: DatabaseSync,
  target: Target,
  generationsOfIndex: readonly Generation[],
): boolean {
  const { settings, languages, mustRefill } = target
  const signature = signatureOf(layoutNumber, settings, languages)
  const texts = [JSON.stringify(settings), JSON.stringify(languages)] as const
  const next = generationsOfIndex.find(({ state }) => state === 'next')
  const searched = generationsOfIndex.find(isSearched)
  const newest = next ?? searched
  if (newest?.signature === signature && !mustRefill && !isFragmented(db, newest)) {
    db.prepare('UPDATE gen SET settings = ?, languages = ? WHERE generation = ?').run(
      ...texts,
      newest.number,
    )
    return isBeingFilled(newest)
  }
  // The searched generation was written to under other settings while `next` was filled, so that its signature is not valid any more.
  if (next) setState(db, next, 'old')
  const hasDocuments = searched !== undefined && hasRecords(db, searched)
  if (searched && !hasDocuments) setState(db, searched, 'old')
  const { lastInsertRowid } = db
    .prepare('INSERT INTO gen (name, state, signature, settings, languages) VALUES (?, ?, ?, ?, ?)')
    .run(settings.index, hasDocuments ? 'next' : 'filling', signature, ...texts)
  createTables(db, tablesOf(Number(lastInsertRowid)), columnsOf(settings))
  return true
}

function setState(db: DatabaseSync, { number }: Generation, state: State): void {
  db.prepare('UPDATE gen SET state = ? WHERE generation = ?').run(state, number)
  if (state !== 'old') return
  db.prepare('INSERT INTO dead (generation, n) VALUES (?, ?)').run(number, endOfGeneration)
}

/** Numbers of ended versions that are tolerated, because they take little memory. */
const spareNumbers = 100_000

/**
 * Whether a current generation has more than `spareNumbers` beyond twice its live records. Readers hold memory for every number,
 * so that the index should be filled again.
 */
export function isFragmented(db: DatabaseSync, { number, state }: Generation): boolean {
  if (state !== 'current') return false
  const { key, col } = tablesOf(number)
  const last = Number(db.prepare(`SELECT max(n) AS n FROM ${col}`).get()?.['n'] ?? 0)
  if (last < spareNumbers) return false
  const row = db.prepare(`SELECT count(*) AS count FROM ${key} WHERE n IS NOT NULL`).get()
  return last > 2 * Number(row?.['count'] ?? 0) + spareNumbers
}

function hasRecords(db: DatabaseSync, { number }: Generation): boolean {
  return db.prepare(`SELECT 1 FROM ${tablesOf(number).key} LIMIT 1`).get() !== undefined
}
