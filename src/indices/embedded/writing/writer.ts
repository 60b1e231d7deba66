/** The only writer of the index file: one transaction per call. */

import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { Document } from '../../search-index.ts'
import type { IndexName, IndexSettings } from '../../settings.ts'
import { isDamage, openDatabase } from '../database.ts'
import { createCommonTables, tablesOf } from '../tables.ts'
import type { Batch, Written } from '../threads/messages.ts'
import { FacetValues } from './facet-values.ts'
import { configure, readGenerations } from './generations.ts'
import { IndexWriter } from './index-writer.ts'
import { purge } from './purge.ts'
import { Terms } from './terms.ts'

type Head = { readonly put: Document } | { readonly remove: Removal }
type Removal = { readonly index: IndexName; readonly id: string; readonly version: number }

export class Writer {
  readonly #db: DatabaseSync
  readonly #path: string
  readonly #terms: Terms
  readonly #values: FacetValues
  #indices = new Map<IndexName, IndexWriter>()

  constructor(path: string) {
    this.#path = path
    this.#db = openDatabase(path, 'writer')
    createCommonTables(this.#db)
    this.#terms = new Terms(this.#db)
    this.#values = new FacetValues(this.#db)
    this.#open()
  }

  /** Names of the indices that start empty. */
  configure(settings: readonly IndexSettings[], languages: readonly string[]): IndexName[] {
    const emptied = configure(this.#db, settings, languages)
    this.#open()
    return emptied
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

  /** Purges one portion of dead versions per index; true = there is more. */
  purge(): boolean {
    return readGenerations(this.#db)
      .map((one) => purge(this.#db, tablesOf(one.index, one.generation)))
      .some(Boolean)
  }

  /** Moves the whole log into the file; complete only while no reader is inside a request. */
  checkpoint(): number {
    this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    return this.#walBytes()
  }

  close(): void {
    this.#db.close()
  }

  #open(): void {
    const common = { db: this.#db, terms: this.#terms, values: this.#values }
    this.#indices = new Map(
      readGenerations(this.#db).map(({ index, generation, settings, languages }) => {
        const tables = tablesOf(index, generation)
        return [index, new IndexWriter({ ...common, tables, settings, languages })]
      }),
    )
  }

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
      this.#db.exec('COMMIT')
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
      this.#terms.forget()
      this.#values.forget()
      for (const index of this.#indices.values()) index.forget()
      throw error
    }
  }

  #apply(batch: Batch): void {
    const heads: readonly Head[] = JSON.parse(batch.heads)
    for (const [i, head] of heads.entries()) {
      const { index } = 'put' in head ? head.put : head.remove
      const writer = this.#indices.get(index)
      if (!writer) throw new Error(`index ${index} is not configured`)
      if ('put' in head) writer.put({ document: head.put, record: batch.records[i] ?? '{}' })
      else writer.remove(head.remove)
    }
  }

  #walBytes(): number {
    return statSync(`${this.#path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
