/**
 * File of versions (table `version` of `records.sqlite`): for each write of a record, who wrote it, and the difference from the
 * new state back to the former. The history of a record is the walk from its stored state along the hashes of states; a row whose
 * write never landed is not met (decision 0052).
 */

import { hash } from 'node:crypto'
import { Failure } from '../../errors.ts'
import { joinLines } from '../../rdf/lines.ts'
import type { Row, Sqlite } from '../../sqlite.ts'
import { packText, unpackText } from '../../text/packed.ts'
import { timestamp } from '../content/catalogue-record.ts'

/** Writer of a version: id of a key or person, the way (`api`, `desk`, `harvest`, `job`), and a note. */
export type Author = { readonly who: string; readonly by: string; readonly note: string }

/** Write of a record: its graph as lines before and after; `''` = there is none. */
export type StateChange = {
  readonly graph: string
  readonly before: string
  readonly after: string
}

/** Version of a record; `outside` = another program changed the store, which no row describes. */
type Version = Author & {
  readonly number: number
  /** `xsd:dateTime`, UTC, whole seconds. */
  readonly at: string
  readonly is: 'created' | 'changed' | 'deleted'
  /** Whether the graph of the version can be read. */
  readonly isReadable: boolean
}

/** Version with its graph as lines, and that of the version before, if they can be read. */
export type ReadVersion = {
  readonly version: Version
  readonly lines: string
  readonly former: string | undefined
}

/** History of a record, newest first; `changedOutside` has the numbers after which another program changed the store. */
export type History = {
  readonly versions: readonly Version[]
  readonly changedOutside: readonly number[]
}

/** Most versions of a record and the days that they are kept; harvests have their own limits. */
export type VersionLimits = {
  readonly days: number
  readonly most: number
  readonly harvestDays: number
  readonly harvestMost: number
}

// Columns: was, became = hashes of the states; at = seconds since 1970; way = "by" of the author; meant = whether the meaning of the
// graph changed; back = difference to the former state; whole = the new state, in every 20th version.
const table = 'version'
export const versionSchema = `
  CREATE TABLE IF NOT EXISTS version (
    serial INTEGER PRIMARY KEY AUTOINCREMENT, graph TEXT NOT NULL, number INTEGER NOT NULL, was TEXT NOT NULL, became TEXT NOT NULL,
    at INTEGER NOT NULL, who TEXT NOT NULL, way TEXT NOT NULL, note TEXT NOT NULL, meant INTEGER NOT NULL, back BLOB NOT NULL,
    whole BLOB) STRICT;
  CREATE INDEX IF NOT EXISTS version_graph ON version (graph, serial);
`

/** Rows that are counted in one step of a sweep. */
const sweptRows = 2000

/** Distance of versions that have the whole graph. */
const checkpointEvery = 20

/** Identity of a state of a graph; `''` for none. */
export const stateOf = (lines: string): string =>
  lines === '' ? '' : hash('sha256', lines, 'base64url').slice(0, 22)

/** Lines that one state has and the other has not. */
type LineDifference = { readonly removed: readonly string[]; readonly added: readonly string[] }

/** Compares two graphs as lines, of which the first is not empty; what they have alike at their beginnings is passed over. */
export function lineDifference(before: string, after: string): LineDifference {
  // The state before a record is created is known without its lines.
  if (before === '') return { removed: [], added: [] }
  let start = 0
  for (let next = 1; next > 0; start = next > 0 ? next : start) {
    next = before.indexOf('\n', start) + 1
    if (next === 0 || !after.startsWith(before.slice(start, next), start)) break
  }
  const linesOf = (text: string) => new Set(text.slice(start).split('\n'))
  const [from, to] = [linesOf(before), linesOf(after)]
  const without = (lines: Set<string>, other: Set<string>) =>
    [...lines.difference(other)].filter(Boolean)
  return { removed: without(from, to), added: without(to, from) }
}

const packedDifference = ({ removed, added }: LineDifference) =>
  packText([...removed.map((line) => `D ${line}`), ...added.map((line) => `A ${line}`)].join('\n'))

/** Packed difference that does what two do, one after the other. */
function mergedBack(first: unknown, second: unknown): Uint8Array {
  const linesOf = (back: unknown, mark: string) =>
    unpackText(back)
      .split('\n')
      .flatMap((line) => (line.startsWith(mark) ? [line.slice(2)] : []))
  const [removed, added] = [new Set(linesOf(first, 'D ')), new Set(linesOf(first, 'A '))]
  for (const line of linesOf(second, 'D ')) if (!added.delete(line)) removed.add(line)
  for (const line of linesOf(second, 'A ')) if (!removed.delete(line)) added.add(line)
  return packedDifference({ removed: [...removed], added: [...added] })
}

/** Applies a packed difference to a state. */
export function appliedTo(lines: string, back: unknown): string {
  const changes = unpackText(back).split('\n')
  const removed = new Set(changes.filter((line) => line.startsWith('D ')))
  const kept = lines.split('\n').filter((line) => line !== '' && !removed.has(`D ${line}`))
  const added = changes.filter((line) => line.startsWith('A ')).map((line) => line.slice(2))
  return joinLines([...kept, ...added].sort())
}

/** Change to note; `isMeant` is false when only labels of blank nodes or the catalogue record differ. */
export type NotedChange = StateChange & LineDifference & { readonly isMeant: boolean }

/** Reads and writes versions. */
export class VersionFile {
  readonly #file: Sqlite
  readonly #now: () => Date

  constructor(file: Sqlite, now: () => Date) {
    this.#file = file
    this.#now = now
  }

  /** Notes changes before they are written into the store. Throws `store-unavailable`: then nothing may be written. */
  note(changes: readonly NotedChange[], author: Author): void {
    try {
      this.#file.transaction(() => {
        for (const change of changes) this.#insert(change, author)
      })
    } catch (cause) {
      const why = 'the version cannot be noted: the data directory refuses it'
      throw new Failure('store-unavailable', why, { cause })
    }
  }

  /** History of the record whose stored graph is `lines`, `''` for a deleted one. */
  history(graph: string, lines: string): History {
    const versions: Version[] = []
    const changedOutside: number[] = []
    let isReadable = true
    for (const { row, isAfterGap } of this.#walk(graph, stateOf(lines))) {
      if (isAfterGap) changedOutside.push(Number(row['number']))
      isReadable = (isReadable && !isAfterGap) || row['whole'] !== null
      if (row['meant'] === 1) versions.push(versionOf(row, isReadable))
    }
    return { versions, changedOutside }
  }

  /** Graph of a version; `undefined` when there is no such version or its graph cannot be read. */
  read(graph: string, lines: string, number: number): ReadVersion | undefined {
    let state: string | undefined = lines
    let after: string | undefined
    for (const { row, isAfterGap } of this.#walk(graph, stateOf(lines))) {
      if (isAfterGap) state = undefined
      if (row['whole'] !== null) state ??= unpackText(row['whole'])
      const isWanted = row['number'] === number
      if (isWanted) after ??= state
      if (row['was'] === '') state = ''
      else if (state !== undefined) state = appliedTo(state, row['back'])
      if (isWanted && row['meant'] === 1 && after !== undefined)
        return { version: versionOf(row, true), lines: after, former: state }
    }
    return undefined
  }

  /** Applies the limits to the next graphs after `after`; returns the last of them, `undefined` at the end. */
  sweep(after: string, limits: VersionLimits): string | undefined {
    const oldest = this.#seconds - 86_400 * Math.min(limits.days, limits.harvestDays)
    const counted = this.#file.rows(
      `SELECT graph, count(*) AS size, min(at) AS first
      FROM (SELECT graph, at FROM ${table} WHERE graph > ? ORDER BY graph LIMIT ${sweptRows}) GROUP BY graph ORDER BY graph`,
      after,
    )
    const last = counted.at(-1)
    const most = Math.min(limits.most, limits.harvestMost)
    this.#file.transaction(() => {
      for (const row of counted)
        // The rows of the last graph may go on after those that were counted.
        if (row === last || Number(row['size']) > most || Number(row['first']) < oldest)
          this.#sweepGraph(String(row['graph']), limits)
    })
    this.#file.rows('PRAGMA incremental_vacuum(1000)')
    return last && String(last['graph'])
  }

  /** Deletes the oldest rows while they are expired; an expired one between others is merged into the next newer one. */
  #sweepGraph(graph: string, limits: VersionLimits): void {
    const rows = this.#rows(graph)
    const counts = { all: 0, harvests: 0 }
    const expired = rows.map((row) => {
      if (row['meant'] !== 1) return true
      const isHarvest = row['way'] === 'harvest'
      counts.all += 1
      counts.harvests += Number(isHarvest)
      const [days, most] = isHarvest
        ? [limits.harvestDays, limits.harvestMost]
        : [limits.days, limits.most]
      const count = isHarvest ? counts.harvests : counts.all
      const isOld = this.#seconds - Number(row['at']) > days * 86_400
      return isOld || count > most || counts.all > limits.most
    })
    const kept = expired.lastIndexOf(false) + 1
    // The newest version stays as long as an older one does: it says how the stored state came to be.
    const newest = rows.findIndex((row) => row['meant'] === 1)
    let newer: Row | undefined
    for (const [index, row] of rows.entries()) {
      if (index < kept && (!expired[index] || !newer || index === newest)) newer = row
      else {
        if (newer && index < kept && newer['was'] === row['became']) newer = this.#merge(newer, row)
        this.#file.run(`DELETE FROM ${table} WHERE serial = ?`, Number(row['serial']))
      }
    }
  }

  /** Lets a row lead back to the state before the next older one. */
  #merge(newer: Row, older: Row): Row {
    const [was, back] = [String(older['was']), mergedBack(newer['back'], older['back'])]
    const sql = `UPDATE ${table} SET was = ?, back = ? WHERE serial = ?`
    this.#file.run(sql, was, back, Number(newer['serial']))
    return { ...newer, was, back }
  }

  #insert({ graph, before, after, isMeant, ...lines }: NotedChange, author: Author): void {
    const [was, became] = [stateOf(before), stateOf(after)]
    const head = this.#file.first(
      `SELECT serial, number, became FROM ${table} WHERE graph = ? ORDER BY serial DESC LIMIT 1`,
      graph,
    )
    if (head && head['became'] !== was && this.#forgetUnwritten(graph, was))
      return this.#insert({ graph, before, after, isMeant, ...lines }, author)
    const number = Number(head?.['number'] ?? 0) + Number(isMeant)
    const back = packedDifference({ removed: lines.added, added: lines.removed })
    const whole = isMeant && number % checkpointEvery === 0 ? packText(after) : null
    const written = [this.#seconds, author.who, author.by, author.note, Number(isMeant)]
    const sql = `INSERT INTO ${table} (graph, number, was, became, at, who, way, note, meant, back, whole)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
    this.#file.run(sql, graph, number, was, became, ...written, back, whole)
  }

  /**
   * Deletes rows whose writes never landed: those newer than the one that led to the stored state, and a newest one that began with
   * it. Returns whether there were any.
   */
  #forgetUnwritten(graph: string, state: string): boolean {
    const sql = `DELETE FROM ${table} WHERE graph = ?1 AND (
      serial > (SELECT max(serial) FROM ${table} WHERE graph = ?1 AND became = ?2)
      OR was = ?2 AND serial = (SELECT max(serial) FROM ${table} WHERE graph = ?1))`
    return this.#file.run(sql, graph, state).changes > 0
  }

  get #seconds(): number {
    return Math.floor(this.#now().getTime() / 1000)
  }

  #rows(graph: string): readonly Row[] {
    return this.#file.rows(`SELECT * FROM ${table} WHERE graph = ? ORDER BY serial DESC`, graph)
  }

  /** Rows from a state back; `isAfterGap` = another program changed the store after the row. */
  *#walk(graph: string, from: string): Generator<{ row: Row; isAfterGap: boolean }> {
    const rows = this.#rows(graph)
    let state = from
    for (const [index, row] of rows.entries()) {
      const isLinked = row['became'] === state
      const isUnwritten =
        row['was'] === state || rows.slice(index + 1).some(({ became }) => became === state)
      if (!isLinked && isUnwritten) continue
      yield { row, isAfterGap: !isLinked }
      state = String(row['was'])
    }
  }
}

function versionOf(row: Row, isReadable: boolean): Version {
  return {
    number: Number(row['number']),
    at: timestamp(new Date(Number(row['at']) * 1000)),
    who: String(row['who']),
    by: String(row['way']),
    note: String(row['note']),
    is: row['was'] === '' ? 'created' : row['became'] === '' ? 'deleted' : 'changed',
    isReadable,
  }
}
