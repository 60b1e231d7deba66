/**
 * Tombstones: what was deleted and can still be brought back, for as many days as the platform keeps it. One SQLite table with
 * compressed texts outlives the process. The store is the truth: a tombstone counts only where the store holds no such resource.
 */

import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { Failure } from '../../errors.ts'
import { joinLines, fromLines } from '../../rdf/lines.ts'
import { dcat, dct } from '../../rdf/namespaces.ts'
import { openSqlite, type Row, type Sqlite } from '../../sqlite.ts'
import { timestamp } from '../content/catalogue-record.ts'

/** `resource` = of a type that the profile declares; its id is `{type}/{id}`. */
type TombstoneKind = 'dataset' | 'catalogue' | 'resource'

/** What is known of a deleted resource without reading what it held. */
export type Tombstone = {
  readonly kind: TombstoneKind
  readonly id: string
  /** The catalogue that it was in, `''` for what is in none; of a catalogue its own id. */
  readonly catalogue: string
  /** Of a dataset: its id at the origin, absent when direct writers had left it without; of a catalogue its own id. */
  readonly originalId: string | undefined
  /** `xsd:dateTime`, UTC, whole seconds. */
  readonly deletedAt: string
  readonly restorableUntil: string
}

/** A tombstone in a list, with the titles of what was deleted by their languages; `''` for a title without one. */
export type ListedTombstone = Tombstone & { readonly title: Readonly<Record<string, string>> }

/** Everything that bringing a resource back takes. */
export type Remains = Pick<Tombstone, 'kind' | 'id' | 'catalogue' | 'originalId'> & {
  /** The graph as it was, N-Triples; of a catalogue without its links. */
  readonly content: string
  /** The graph of its quality metrics, `''` = none. */
  readonly metrics: string
  /** Of what keeps it in the system graph: the hash of what was sent. */
  readonly hash?: string
  /** The version of the deletion that took a whole catalogue away, on the catalogue and on all that went with it. */
  readonly deletion?: number
}

/** Of what is in catalogues. */
export type MemberRemains = Remains & { readonly kind: 'dataset' | 'resource' }

/** The same out of the file; without a kind of a dataset or a resource of a declared type, as they are in catalogues. */
export type StoredRemains<Kind extends TombstoneKind = 'dataset' | 'resource'> = Remains &
  Doubt & { readonly kind: Kind }

/** A tombstone of which nobody knows whether the removal has landed, or whether its resource is coming back. */
type Doubt = Pick<Tombstone, 'kind' | 'id'> & { readonly serial: number }

type StoredTombstone = Tombstone & Doubt

export type TombstonePage = { readonly offset: number; readonly limit: number }

const schema = `
  CREATE TABLE IF NOT EXISTS tombstone (
    serial INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, id TEXT NOT NULL, catalogue TEXT NOT NULL, original TEXT,
    deleted INTEGER NOT NULL, deletion INTEGER, hash TEXT, settled INTEGER NOT NULL DEFAULT 0, comes_back INTEGER NOT NULL DEFAULT 0,
    metrics BLOB NOT NULL, content BLOB NOT NULL, UNIQUE (kind, id)) STRICT;
  CREATE INDEX IF NOT EXISTS origin ON tombstone (catalogue, original);
  CREATE INDEX IF NOT EXISTS deleted ON tombstone (deleted);
  CREATE INDEX IF NOT EXISTS deletion ON tombstone (deletion) WHERE deletion IS NOT NULL;
  CREATE INDEX IF NOT EXISTS doubt ON tombstone (serial) WHERE settled = 0;
  CREATE INDEX IF NOT EXISTS comes_back ON tombstone (serial) WHERE comes_back = 1;
`

/** Of the schema. */
export const tombstonesFormat = 1

/** Texts are compressed for speed rather than for size: a catalogue may have a million of them. */
const pack = (text: string): Uint8Array =>
  text === '' ? new Uint8Array() : deflateRawSync(text, { level: 1 })

const unpack = (blob: unknown): string =>
  blob instanceof Uint8Array && blob.length > 0 ? inflateRawSync(blob).toString('utf8') : ''

/** Compressed bytes of remains read at a time. */
const mostBytes = 2 ** 20
const mostTaken = 100
/** Pages of the file given back to the disk after a purge. */
const vacuum = 'PRAGMA incremental_vacuum(1000)'

const facts = 'serial, kind, id, catalogue, original, deleted'
const whole = `${facts}, deletion, hash, metrics, content`

// Times are whole seconds, as in records: a tombstone never outlives the window by a part of one.
const seconds = (date: Date) => Math.floor(date.getTime() / 1000)
const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)

type TombstoneOptions = {
  /** Made when absent; one process at a time. */
  readonly directory: string
  /** Days for which what was deleted can be brought back; 0 = nothing is kept. */
  readonly days: number
  readonly now: () => Date
}

/** What is in the file lives by the window of today, not by that of the day of its deletion. */
export class Tombstones {
  readonly #file: Sqlite
  readonly #now: () => Date
  /** Seconds. */
  readonly #window: number
  /** Serials of tombstones that somebody works on. */
  readonly #open = new Set<number>()

  /** Opens `{directory}/tombstones.db`, made when absent; what it holds was deleted, so the directory is for its owner alone. */
  constructor({ directory, days, now }: TombstoneOptions) {
    mkdirSync(directory, { recursive: true })
    chmodSync(directory, 0o700)
    const path = join(directory, 'tombstones.db')
    this.#file = openSqlite({ path, schema, format: tombstonesFormat, shrinks: true })
    this.#now = now
    this.#window = days * 86_400
  }

  /**
   * Keeps what is about to be removed; durable when this returns. Until `end`, which says what is known to be gone, nobody lists
   * it; of the rest the store will be asked. Fails with `store-unavailable` when it cannot be written: then nothing may be removed.
   */
  keep(remains: readonly Remains[], deletedAt: Date): { end(gone: readonly string[]): void } {
    const kept = this.#window === 0 ? [] : remains
    let serials: ReadonlyMap<string, number>
    try {
      const insert = () => new Map(kept.map((one) => [one.id, this.#insert(one, deletedAt)]))
      serials = this.#file.transaction(insert, 'durable')
    } catch (cause) {
      const why =
        'what is to be deleted cannot be kept for restoring: the data directory refuses it'
      throw new Failure('store-unavailable', why, { cause })
    }
    for (const serial of serials.values()) this.#open.add(serial)
    return {
      end: (gone) => {
        for (const serial of serials.values()) this.#open.delete(serial)
        this.settle(gone.flatMap((id) => serials.get(id) ?? []))
      },
    }
  }

  /** The live tombstone of a platform id; the caller has seen that the store does not hold the resource. */
  find(kind: TombstoneKind, id: string): StoredTombstone | undefined {
    const sql = `SELECT ${facts} FROM tombstone WHERE kind = ? AND id = ? AND deleted > ?`
    return this.#tombstones(sql, kind, id, this.#since)[0]
  }

  /** That of an id at the origin: a PUT takes the platform id and the distribution IRIs back. */
  ofOrigin(catalogue: string, originalId: string): StoredTombstone | undefined {
    const sql = `SELECT ${facts} FROM tombstone WHERE catalogue = ? AND original = ? AND kind = 'dataset' AND deleted > ? ORDER BY serial DESC LIMIT 1`
    return this.#tombstones(sql, catalogue, originalId, this.#since)[0]
  }

  /** Newest first; of one catalogue (with its own) or of all. */
  list(catalogue: string | undefined, { limit, offset }: TombstonePage) {
    const sql = `SELECT ${facts}, content FROM tombstone WHERE catalogue = coalesce(?, catalogue) AND settled = 1 AND comes_back = 0 AND deleted > ? ORDER BY serial DESC LIMIT ? OFFSET ?`
    const listed: (StoredTombstone & ListedTombstone)[] = []
    for (const row of this.#file.each(sql, catalogue ?? null, this.#since, limit, offset))
      listed.push({ ...tombstoneOf(row, this.#window), title: titlesIn(unpack(row['content'])) })
    return listed
  }

  /** What is needed to bring a resource back, as long as its tombstone lives. */
  remains<Kind extends TombstoneKind>(kind: Kind, id: string): StoredRemains<Kind> | undefined {
    const sql = `SELECT ${whole} FROM tombstone WHERE kind = ? AND id = ? AND deleted > ?`
    const row = this.#file.first(sql, kind, id, this.#since)
    return row && { ...remainsOf(row), kind }
  }

  /** Live tombstones of what went with a catalogue, in the order of their serials; about a megabyte of remains. */
  taken({ deletion, serial }: { readonly deletion: number; readonly serial: number }) {
    const sql = `SELECT ${whole} FROM tombstone WHERE deletion = ? AND kind <> 'catalogue' AND settled = 1 AND serial > ? AND deleted > ? ORDER BY serial`
    const found: StoredRemains[] = []
    let bytes = 0
    for (const row of this.#file.each(sql, deletion, serial, this.#since)) {
      const { content, metrics } = row
      const kind = row['kind'] === 'resource' ? 'resource' : 'dataset'
      found.push({ ...remainsOf(row), kind })
      for (const blob of [content, metrics]) bytes += blob instanceof Uint8Array ? blob.length : 0
      if (bytes > mostBytes || found.length === mostTaken) break
    }
    return found
  }

  /** Whether a tombstone still stands. */
  stands(serial: number): boolean {
    return this.#file.first('SELECT 1 FROM tombstone WHERE serial = ?', serial) !== undefined
  }

  /** How many live tombstones went with that of a catalogue. */
  size(deletion: number): number {
    const sql = `SELECT count(*) AS size FROM tombstone WHERE deletion = ? AND kind <> 'catalogue' AND settled = 1 AND deleted > ?`
    return Number(this.#file.first(sql, deletion, this.#since)?.['size'])
  }

  /** Says whether a catalogue is coming back with its datasets, so that the next process can go on with it. */
  returning(catalogue: string, isReturning: boolean): void {
    const sql = `UPDATE tombstone SET comes_back = ? WHERE kind = 'catalogue' AND id = ?`
    this.#file.transaction(() => this.#file.run(sql, Number(isReturning), catalogue), 'durable')
  }

  /** Catalogues that are coming back. */
  returns(): readonly string[] {
    const rows = this.#file.rows('SELECT id FROM tombstone WHERE comes_back = 1')
    return rows.map(({ id }) => String(id))
  }

  /** Tombstones in doubt on which nobody is at work. */
  doubts(limit: number): readonly Doubt[] {
    const sql = 'SELECT serial, kind, id FROM tombstone WHERE settled = 0 LIMIT ?'
    const rows = this.#file.rows(sql, limit + this.#open.size).map(doubtOf)
    return rows.filter(({ serial }) => !this.#open.has(serial)).slice(0, limit)
  }

  /** Takes doubts away: the resource is gone. */
  settle(serials: readonly number[]): void {
    this.#each('UPDATE tombstone SET settled = 1 WHERE serial = ?', serials)
  }

  /** Takes tombstones away whose resource is there. */
  discard(serials: readonly number[]): void {
    this.#each('DELETE FROM tombstone WHERE serial = ?', serials)
  }

  /** Forgets tombstones, because the ids are in use again. */
  forget(kind: TombstoneKind, ids: readonly string[]): void {
    const sql = 'SELECT serial FROM tombstone WHERE kind = ? AND id = ?'
    this.discard(
      ids.flatMap((id) => this.#file.rows(sql, kind, id).map((row) => Number(row['serial']))),
    )
  }

  /** Whether the window of some is over. */
  hasExpired(): boolean {
    return this.#file.first('SELECT 1 FROM tombstone WHERE deleted <= ?', this.#since) !== undefined
  }

  /** Removes at most `limit` whose window is over; answers how many. */
  purge(limit: number): number {
    const sql = `DELETE FROM tombstone WHERE serial IN (SELECT serial FROM tombstone WHERE deleted <= ? LIMIT ?)`
    const { changes } = this.#file.transaction(() => this.#file.run(sql, this.#since, limit))
    this.#file.rows(vacuum)
    return changes
  }

  close(): void {
    this.#file.close()
  }

  /** Rows that were deleted later are alive. */
  get #since(): number {
    return seconds(this.#now()) - this.#window
  }

  #tombstones(sql: string, ...values: (string | number | null)[]): StoredTombstone[] {
    return this.#file.rows(sql, ...values).map((row) => tombstoneOf(row, this.#window))
  }

  /** A second deletion of the same id replaces the first tombstone: there is one way back, to the latest content. */
  #insert(one: Remains, deletedAt: Date): number {
    const sql = `INSERT OR REPLACE INTO tombstone (kind, id, catalogue, original, deleted, deletion, hash, metrics, content)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
    const { kind, id, catalogue, originalId = null, deletion = null, hash = null } = one
    const blobs = [pack(one.metrics), pack(one.content)]
    const deleted = seconds(deletedAt)
    return this.#file.run(sql, kind, id, catalogue, originalId, deleted, deletion, hash, ...blobs)
      .serial
  }

  #each(sql: string, serials: readonly number[]): void {
    if (serials.length === 0) return
    this.#file.transaction(() => {
      for (const serial of serials) this.#file.run(sql, serial)
    })
  }
}

const kinds = ['catalogue', 'resource'] as const
const kindOf = (row: Row) => kinds.find((kind) => kind === row['kind']) ?? 'dataset'

const doubtOf = (row: Row): Doubt => ({
  serial: Number(row['serial']),
  kind: kindOf(row),
  id: String(row['id']),
})

/** The window is that of today, so a changed setting counts for everything that is kept. */
function tombstoneOf(row: Row, window: number): StoredTombstone {
  const deleted = Number(row['deleted'])
  return {
    ...doubtOf(row),
    originalId: textOf(row['original']),
    catalogue: String(row['catalogue']),
    deletedAt: timestamp(new Date(deleted * 1000)),
    restorableUntil: timestamp(new Date((deleted + window) * 1000)),
  }
}

const mainClasses: ReadonlySet<string> = new Set(
  ['Dataset', 'DatasetSeries', 'Catalog'].map((name) => dcat(name).value),
)

/** Titles of the dataset or catalogue that N-Triples describe, else of what no other node of them leads to; not of its parts. */
function titlesIn(content: string): Record<string, string> {
  const lines = content.split('\n').filter((line) => /^\S+ <[^>]*[#/](?:type|title)> /.test(line))
  const quads = fromLines(joinLines(lines))
  const main = new Set(
    quads.flatMap(({ subject, object }) => (mainClasses.has(object.value) ? [subject.value] : [])),
  )
  const isMain = (iri: string) => (main.size > 0 ? main.has(iri) : !content.includes(` <${iri}> .`))
  const titles = quads.flatMap(({ subject, predicate, object }) =>
    object.termType === 'Literal' && predicate.equals(dct('title')) && isMain(subject.value)
      ? [[object.language, object.value] as const]
      : [],
  )
  return Object.fromEntries(titles)
}

/** Decompresses: only to be asked for what is about to come back. */
function remainsOf(row: Row): Remains & Doubt {
  const hash = textOf(row['hash'])
  return {
    ...doubtOf(row),
    catalogue: String(row['catalogue']),
    originalId: textOf(row['original']),
    content: unpack(row['content']),
    metrics: unpack(row['metrics']),
    hash,
    ...(row['deletion'] !== null && { deletion: Number(row['deletion']) }),
  }
}
