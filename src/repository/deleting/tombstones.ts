/**
 * File of tombstones (`tombstones.db`): deleted resources that can be restored for some days, in one SQLite table with compressed
 * texts. A tombstone counts only while the store does not have the resource.
 */

import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../../errors.ts'
import { joinLines, fromLines } from '../../rdf/lines.ts'
import { dcat, dct } from '../../rdf/namespaces.ts'
import { openSqlite, type Row, type Sqlite } from '../../sqlite.ts'
import { packText, unpackText } from '../../text/packed.ts'
import { showLevel } from '../../workers/numbers.ts'
import { timestamp } from '../content/catalogue-record.ts'

/** Kind of a deleted resource; `resource` = of a declared type, with the id `{type}/{id}`. */
type TombstoneKind = 'dataset' | 'catalogue' | 'resource'

/** Deleted resource without its content. */
export type Tombstone = {
  readonly kind: TombstoneKind
  readonly id: string
  /** Id of its catalogue, `''` without one; of a catalogue its own id. */
  readonly catalogue: string
  /** Original id of a dataset, absent when direct writers had removed it; of a catalogue its own id; absent for a resource. */
  readonly originalId: string | undefined
  /** `xsd:dateTime`, UTC, whole seconds. */
  readonly deletedAt: string
  readonly restorableUntil: string
}

/** Tombstone in a list, with the titles of the resource by language; `''` for a title without language. */
export type ListedTombstone = Tombstone & { readonly title: Readonly<Record<string, string>> }

/** Content and facts that are needed to restore a resource. */
export type DeletedContent = Pick<Tombstone, 'kind' | 'id' | 'catalogue' | 'originalId'> & {
  /** Graph of the resource as N-Triples; of a catalogue without its links. */
  readonly content: string
  /** Graph of its quality metrics, `''` = none. */
  readonly metrics: string
  /** Hash of the sent content, for kinds that have it in the system graph. */
  readonly hash?: string
  /** Version of the deletion of a catalogue, for the catalogue and all members that were deleted with it. */
  readonly deletion?: number
}

/** Content of a deleted dataset or resource of a declared type. */
export type DeletedMember = DeletedContent & { readonly kind: 'dataset' | 'resource' }

/** Deleted content from the file; by default of a dataset or a resource of a declared type. */
export type StoredDeletedContent<Kind extends TombstoneKind = 'dataset' | 'resource'> =
  DeletedContent & Unconfirmed & { readonly kind: Kind }

/** Identity of a tombstone in the file; of an unconfirmed one, the store has to be asked whether the resource exists. */
type Unconfirmed = Pick<Tombstone, 'kind' | 'id'> & { readonly serial: number }

type StoredTombstone = Tombstone & Unconfirmed

/** Page of a list of tombstones. */
export type TombstonePage = { readonly offset: number; readonly limit: number }

// Columns: original = original id; deleted = seconds since 1970; settled = the removal is confirmed; comes_back = being restored.
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

/**
 * Conditions for the parameter `#expiredUpTo`. The tombstones of a catalogue that is being restored, and of its members, do not
 * expire, so that a restore that waits or takes long brings all of them back.
 */
const isRestoring = 'deletion IN (SELECT deletion FROM tombstone WHERE comes_back = 1)'
const isAlive = `(deleted > ? OR ${isRestoring})`
const isExpired = `deleted <= ? AND ${isRestoring} IS NOT TRUE`

/** Version of the schema. */
export const tombstonesFormat = 1

/** Compressed bytes and number of members from which on the answer of `membersOf` is full. */
const maxBytes = 2 ** 20
const maxMembers = 100
/** Frees pages of the file after a purge. */
const vacuum = 'PRAGMA incremental_vacuum(1000)'

const factColumns = 'serial, kind, id, catalogue, original, deleted'
const allColumns = `${factColumns}, deletion, hash, metrics, content`

// Times are whole seconds, as in records.
const seconds = (date: Date) => Math.floor(date.getTime() / 1000)
const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)

type TombstoneOptions = {
  /** Directory, created if absent; for one process at a time. */
  readonly directory: string
  /** Days for which a deleted resource can be restored; 0 = nothing is kept. */
  readonly days: number
  readonly now: () => Date
}

/**
 * File of tombstones. They expire by the present setting `days`, not by that of the time of deletion; not while their catalogue
 * is being restored.
 */
export class Tombstones {
  readonly #file: Sqlite
  readonly #now: () => Date
  /** Seconds until a tombstone expires. */
  readonly #lifetime: number
  #count = 0
  /** Serials of tombstones whose removal is in progress. */
  readonly #inProgress = new Set<number>()

  /** Opens `{directory}/tombstones.db`, and creates it if absent. Only its owner may read it, because it has deleted content. */
  constructor({ directory, days, now }: TombstoneOptions) {
    mkdirSync(directory, { recursive: true })
    chmodSync(directory, 0o700)
    const path = join(directory, 'tombstones.db')
    this.#file = openSqlite({ path, schema, format: tombstonesFormat, shrinks: true })
    this.#now = now
    this.#lifetime = days * 86_400
    showLevel('cartulary_tombstones', () => this.#count)
  }

  /** Counts the tombstones that are not expired, for `/metrics`. */
  recount(): void {
    const sql = `SELECT count(*) AS count FROM tombstone WHERE ${isAlive}`
    this.#count = Number(this.#file.first(sql, this.#expiredUpTo)?.['count'] ?? 0)
  }

  /**
   * Writes tombstones of resources before their removal (none for 0 days); durable when this returns. Call `end` after the
   * removal, with the ids whose removal succeeded: these tombstones are confirmed and listed, the others are checked later.
   * Throws `store-unavailable` when they cannot be written: then nothing may be removed.
   */
  write(
    contents: readonly DeletedContent[],
    deletedAt: Date,
  ): { end(removed: readonly string[]): void } {
    const restorable = this.#lifetime === 0 ? [] : contents
    let serials: ReadonlyMap<string, number>
    try {
      const insert = () =>
        new Map(restorable.map((content) => [content.id, this.#insert(content, deletedAt)]))
      serials = this.#file.transaction(insert, 'durable')
    } catch (cause) {
      const why =
        'what is to be deleted cannot be stored for restoring: the data directory refuses it'
      throw new Failure('store-unavailable', why, { cause })
    }
    for (const serial of serials.values()) this.#inProgress.add(serial)
    return {
      end: (removed) => {
        for (const serial of serials.values()) this.#inProgress.delete(serial)
        this.confirm(removed.flatMap((id) => serials.get(id) ?? []))
      },
    }
  }

  /** Tombstone of an id, unless it is expired; the caller has to find out whether the store has the resource nevertheless. */
  find(kind: TombstoneKind, id: string): StoredTombstone | undefined {
    const sql = `SELECT ${factColumns} FROM tombstone WHERE kind = ? AND id = ? AND ${isAlive}`
    return this.#tombstones(sql, kind, id, this.#expiredUpTo)[0]
  }

  /** Newest tombstone of an original id, unless it is expired; a PUT uses its platform id and distribution IRIs again. */
  findByOriginalId(catalogue: string, originalId: string): StoredTombstone | undefined {
    const sql = `SELECT ${factColumns} FROM tombstone WHERE catalogue = ? AND original = ? AND kind = 'dataset' AND ${isAlive} ORDER BY serial DESC LIMIT 1`
    return this.#tombstones(sql, catalogue, originalId, this.#expiredUpTo)[0]
  }

  /** Page of confirmed, unexpired tombstones, newest first, of one catalogue (with its own) or all; without running restores. */
  list(catalogue: string | undefined, { limit, offset }: TombstonePage) {
    const sql = `SELECT ${factColumns}, content FROM tombstone WHERE catalogue = coalesce(?, catalogue) AND settled = 1 AND comes_back = 0 AND deleted > ? ORDER BY serial DESC LIMIT ? OFFSET ?`
    const listed: (StoredTombstone & ListedTombstone)[] = []
    for (const row of this.#file.each(sql, catalogue ?? null, this.#expiredUpTo, limit, offset))
      listed.push({
        ...tombstoneOf(row, this.#lifetime),
        title: titlesIn(unpackText(row['content'])),
      })
    return listed
  }

  /** Content of a deleted resource, unless its tombstone is expired. */
  contentOf<Kind extends TombstoneKind>(
    kind: Kind,
    id: string,
  ): StoredDeletedContent<Kind> | undefined {
    const sql = `SELECT ${allColumns} FROM tombstone WHERE kind = ? AND id = ? AND ${isAlive}`
    const row = this.#file.first(sql, kind, id, this.#expiredUpTo)
    return row && { ...deletedContentOf(row), kind }
  }

  /**
   * Next members deleted with a catalogue, after `serial`: at most 100, and about a megabyte of compressed texts. Of unconfirmed
   * ones the store may have the resource.
   */
  membersOf({ deletion, serial }: { readonly deletion: number; readonly serial: number }) {
    const sql = `SELECT ${allColumns} FROM tombstone WHERE deletion = ? AND kind <> 'catalogue' AND serial > ? AND ${isAlive} ORDER BY serial`
    const members: StoredDeletedContent[] = []
    let bytes = 0
    for (const row of this.#file.each(sql, deletion, serial, this.#expiredUpTo)) {
      const { content, metrics } = row
      const kind = row['kind'] === 'resource' ? 'resource' : 'dataset'
      members.push({ ...deletedContentOf(row), kind })
      for (const blob of [content, metrics]) bytes += blob instanceof Uint8Array ? blob.length : 0
      if (bytes > maxBytes || members.length === maxMembers) break
    }
    return members
  }

  /** Whether a tombstone exists. */
  exists(serial: number): boolean {
    return this.#file.first('SELECT 1 FROM tombstone WHERE serial = ?', serial) !== undefined
  }

  /** Number of members that were deleted with a catalogue and can be restored. */
  memberCount(deletion: number): number {
    const sql = `SELECT count(*) AS size FROM tombstone WHERE deletion = ? AND kind <> 'catalogue' AND ${isAlive}`
    return Number(this.#file.first(sql, deletion, this.#expiredUpTo)?.['size'])
  }

  /**
   * Notes whether a catalogue is being restored with its members, so that the next process continues. Call it only while the
   * store does not have the catalogue: it confirms the tombstone, which would be discarded as unconfirmed during the restore.
   */
  setRestoring(catalogue: string, isRestoring: boolean): void {
    const sql = `UPDATE tombstone SET comes_back = ?, settled = 1 WHERE kind = 'catalogue' AND id = ?`
    this.#file.transaction(() => this.#file.run(sql, Number(isRestoring), catalogue), 'durable')
  }

  /** Ids of catalogues that are being restored. */
  restoring(): readonly string[] {
    const rows = this.#file.rows('SELECT id FROM tombstone WHERE comes_back = 1')
    return rows.map(({ id }) => String(id))
  }

  /** Unconfirmed tombstones whose removal is not in progress. */
  unconfirmed(limit: number): readonly Unconfirmed[] {
    const sql = 'SELECT serial, kind, id FROM tombstone WHERE settled = 0 LIMIT ?'
    const rows = this.#file.rows(sql, limit + this.#inProgress.size).map(unconfirmedOf)
    return rows.filter(({ serial }) => !this.#inProgress.has(serial)).slice(0, limit)
  }

  /** Confirms tombstones: their resources are removed. */
  confirm(serials: readonly number[]): void {
    this.#runForEach('UPDATE tombstone SET settled = 1 WHERE serial = ?', serials)
  }

  /** Deletes tombstones whose resources exist. */
  discard(serials: readonly number[]): void {
    this.#runForEach('DELETE FROM tombstone WHERE serial = ?', serials)
  }

  /** Deletes tombstones whose ids are in use again. */
  forget(kind: TombstoneKind, ids: readonly string[]): void {
    const sql = 'SELECT serial FROM tombstone WHERE kind = ? AND id = ?'
    this.discard(
      ids.flatMap((id) => this.#file.rows(sql, kind, id).map((row) => Number(row['serial']))),
    )
  }

  /** Whether some tombstones are expired. */
  hasExpired(): boolean {
    const sql = `SELECT 1 FROM tombstone WHERE ${isExpired}`
    return this.#file.first(sql, this.#expiredUpTo) !== undefined
  }

  /** Deletes at most `limit` expired tombstones; returns their number. */
  purge(limit: number): number {
    const sql = `DELETE FROM tombstone WHERE serial IN (SELECT serial FROM tombstone WHERE ${isExpired} LIMIT ?)`
    const { changes } = this.#file.transaction(() => this.#file.run(sql, this.#expiredUpTo, limit))
    this.#file.rows(vacuum)
    return changes
  }

  close(): void {
    this.#file.close()
  }

  /** Time of deletion in seconds up to which tombstones are expired. */
  get #expiredUpTo(): number {
    return seconds(this.#now()) - this.#lifetime
  }

  #tombstones(sql: string, ...values: (string | number | null)[]): StoredTombstone[] {
    return this.#file.rows(sql, ...values).map((row) => tombstoneOf(row, this.#lifetime))
  }

  /** Inserts a tombstone; a second deletion of an id replaces the first, so that the latest content is restored. */
  #insert(content: DeletedContent, deletedAt: Date): number {
    const sql = `INSERT OR REPLACE INTO tombstone (kind, id, catalogue, original, deleted, deletion, hash, metrics, content)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
    const { kind, id, catalogue, originalId = null, deletion = null, hash = null } = content
    const blobs = [packText(content.metrics), packText(content.content)]
    const deleted = seconds(deletedAt)
    return this.#file.run(sql, kind, id, catalogue, originalId, deleted, deletion, hash, ...blobs)
      .serial
  }

  #runForEach(sql: string, serials: readonly number[]): void {
    if (serials.length === 0) return
    this.#file.transaction(() => {
      for (const serial of serials) this.#file.run(sql, serial)
    })
  }
}

const kinds = ['catalogue', 'resource'] as const
const kindOf = (row: Row) => kinds.find((kind) => kind === row['kind']) ?? 'dataset'

const unconfirmedOf = (row: Row): Unconfirmed => ({
  serial: Number(row['serial']),
  kind: kindOf(row),
  id: String(row['id']),
})

/** Tombstone of a row; `lifetime` = seconds until it expires, by the present setting. */
function tombstoneOf(row: Row, lifetime: number): StoredTombstone {
  const deleted = Number(row['deleted'])
  return {
    ...unconfirmedOf(row),
    originalId: textOf(row['original']),
    catalogue: String(row['catalogue']),
    deletedAt: timestamp(new Date(deleted * 1000)),
    restorableUntil: timestamp(new Date((deleted + lifetime) * 1000)),
  }
}

const mainClasses: ReadonlySet<string> = new Set(
  ['Dataset', 'DatasetSeries', 'Catalog'].map((name) => dcat(name).value),
)

/** Titles by language of the dataset or catalogue in N-Triples, otherwise of the nodes to which no other node links. */
function titlesIn(content: string): Record<string, string> {
  const lines = content.split('\n').filter((line) => /^\S+ <[^>]*[#/](?:type|title)> /.test(line))
  const quads = fromLines(joinLines(lines))
  const mainSubjects = new Set(
    quads.flatMap(({ subject, object }) => (mainClasses.has(object.value) ? [subject.value] : [])),
  )
  const isMain = (iri: string) =>
    mainSubjects.size > 0 ? mainSubjects.has(iri) : !content.includes(` <${iri}> .`)
  const titles = quads.flatMap(({ subject, predicate, object }) =>
    object.termType === 'Literal' && predicate.equals(dct('title')) && isMain(subject.value)
      ? [[object.language, object.value] as const]
      : [],
  )
  return Object.fromEntries(titles)
}

/** Decompressed content of a row. */
function deletedContentOf(row: Row): DeletedContent & Unconfirmed {
  const hash = textOf(row['hash'])
  return {
    ...unconfirmedOf(row),
    catalogue: String(row['catalogue']),
    originalId: textOf(row['original']),
    content: unpackText(row['content']),
    metrics: unpackText(row['metrics']),
    hash,
    ...(row['deletion'] !== null && { deletion: Number(row['deletion']) }),
  }
}
