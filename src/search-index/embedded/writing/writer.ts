/** The only writer of the index file: one transaction per call. */

import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { IndexName, IndexSettings } from '../../settings.ts'
import type { Entry } from '../../search-index.ts'
import { isDamage, openDatabase } from '../database.ts'
import { entries, type EntriesWanted } from '../reading/entries.ts'
import { createCommonTables, tablesOf } from '../tables.ts'
import type { Batch, Configured, Counts, Sent, Written } from '../threads/messages.ts'
import { Arrival } from './arrival.ts'
import { dropSome } from './dropping.ts'
import { FacetValues } from './facet-values.ts'
import {
  answers,
  configure,
  finish,
  isBuilt,
  isWorn,
  readGenerations,
  type Generation,
} from './generations.ts'
import { Holds } from './holds.ts'
import { IndexWriter } from './index-writer.ts'
import { purge } from './purge.ts'
import { Terms } from './terms.ts'

/** What answers for an index, and what has to be filled; the same one while there is nothing older. */
type Pair = { readonly answering: IndexWriter; readonly built?: IndexWriter }

export class Writer {
  readonly #db: DatabaseSync
  readonly #path: string
  readonly #terms: Terms
  readonly #values: FacetValues
  readonly #holds: Holds
  #indices = new Map<IndexName, Pair>()

  constructor(path: string) {
    this.#path = path
    this.#db = openDatabase(path, 'writer')
    createCommonTables(this.#db)
    this.#terms = new Terms(this.#db)
    this.#values = new FacetValues(this.#db)
    this.#holds = new Holds(this.#db)
    this.#open()
  }

  configure(
    settings: readonly IndexSettings[],
    languages: readonly string[],
    anew: readonly IndexName[] = [],
  ): Configured {
    const rebuild = configure(this.#db, settings, languages, anew)
    return { rebuild, current: this.#open() }
  }

  /** What was built of an index answers from now on; the settings of all that answer. */
  finish(index: IndexName): IndexSettings[] {
    finish(this.#db, index)
    return this.#open()
  }

  /**
   * Writes all batches in one commit. Where that fails, each gets a commit of its own, so that a bad batch does not take
   * its neighbours with it.
   */
  write(batches: readonly Batch[]): Written {
    try {
      this.#transaction(batches)
      return { errors: batches.map(() => undefined), walBytes: this.#walBytes() }
    } catch (error) {
      if (isDamage(error)) throw error
      const alone = batches.length === 1
      const errors = batches.map((batch) => (alone ? messageOf(error) : this.#try(batch)))
      return { errors, walBytes: this.#walBytes() }
    }
  }

  /** What can be found from now on stays readable by its number until the hold is released. */
  hold(id: number): void {
    this.#holds.take(id)
  }

  release(ids: readonly number[]): void {
    this.#holds.release(ids)
  }

  /** The largest version ever written, deletions included. */
  newest(): number {
    const writers = [...this.#indices.values()].flatMap(({ answering, built }) =>
      built ? [answering, built] : [answering],
    )
    return Math.max(0, ...writers.map((writer) => writer.newest()))
  }

  /** Indices in which most numbers are of dead versions. */
  worn(): IndexName[] {
    const all = readGenerations(this.#db).filter((one) => isWorn(this.#db, one))
    return all.map(({ index }) => index)
  }

  documents(): Counts {
    return Object.fromEntries(
      [...this.#indices].map(([index, { answering }]) => [index, answering.count]),
    )
  }

  entries(wanted: EntriesWanted): readonly Entry[] {
    return entries(this.#db, wanted)
  }

  /** Removes one portion of dead versions per index, and one of what is dropped; true = there is more. */
  purge(): boolean {
    const living = readGenerations(this.#db).filter(({ state }) => state !== 'old')
    const purged = living.map(({ generation }) =>
      purge(this.#db, tablesOf(generation), this.#holds.lastDeath(generation)),
    )
    return [...purged, dropSome(this.#db, (one) => this.#holds.isHeld(one))].some(Boolean)
  }

  /** Moves the whole log into the file; complete only while no reader is inside a request. */
  checkpoint(): number {
    this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    return this.#walBytes()
  }

  close(): void {
    this.#db.close()
  }

  /** The settings of what answers. */
  #open(): IndexSettings[] {
    const common = { db: this.#db, terms: this.#terms, values: this.#values }
    const opened = readGenerations(this.#db)
    const writers = new Map(
      opened
        .filter(({ state }) => state !== 'old')
        .map((one) => [
          one,
          new IndexWriter({ ...common, ...one, tables: tablesOf(one.generation) }),
        ]),
    )
    const answering = opened.filter(answers)
    this.#indices = new Map(
      answering.flatMap((one) => {
        const writer = writers.get(one)
        const built = builtOf(one.index, writers)
        return writer ? [[one.index, { answering: writer, ...(built && { built }) }]] : []
      }),
    )
    return answering.map(({ settings }) => settings)
  }

  /** What went wrong with a batch. */
  #try(batch: Batch): string | undefined {
    try {
      this.#transaction([batch])
      return undefined
    } catch (error) {
      return messageOf(error)
    }
  }

  #transaction(batches: readonly Batch[]): void {
    this.#db.exec('BEGIN IMMEDIATE')
    try {
      for (const batch of batches) this.#apply(batch)
      for (const { answering, built } of this.#indices.values()) {
        answering.end()
        built?.end()
      }
      this.#db.exec('COMMIT')
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
      this.#terms.forget()
      this.#values.forget()
      for (const { answering, built } of this.#indices.values()) {
        answering.forget()
        built?.forget()
      }
      throw error
    }
  }

  #apply(batch: Batch): void {
    for (const sent of batch) {
      const pair = this.#indices.get(sent.index)
      if (!pair) throw new Error(`index ${sent.index} is not configured`)
      apply(sent, pair)
    }
  }

  #walBytes(): number {
    return statSync(`${this.#path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  }
}

function builtOf(
  index: IndexName,
  writers: ReadonlyMap<Generation, IndexWriter>,
): IndexWriter | undefined {
  const own = [...writers].filter(([one]) => one.index === index && isBuilt(one))
  return (own.find(([{ state }]) => state === 'next') ?? own[0])?.[1]
}

/** A write goes to all that live, each under its own settings; what only fills goes where the record is missing. */
function apply({ id, version, put, filling }: Sent, { answering, built }: Pair): void {
  const stored = () => answering.version(id) ?? 0
  const arrival = put && new Arrival({ id, put })
  if (filling) {
    if (arrival && built && built.version(id) === undefined)
      built.put(arrival, { version: stored(), again: false })
    return
  }
  const again = version === 0
  const how = { version: again ? stored() : version, again }
  for (const writer of new Set([answering, ...(built ? [built] : [])])) {
    if (arrival) writer.put(arrival, how)
    else writer.remove(id, how)
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
