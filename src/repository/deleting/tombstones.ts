/**
 * Tombstones: what was deleted and can still be brought back, for as many days as the platform keeps it. One SQLite table with
 * compressed texts outlives the process. The store is the truth: a tombstone counts only where the store holds no such resource.
 */

import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { Failure } from '../../errors.ts'
import { openSqlite, type Row, type Sqlite } from '../../sqlite.ts'
import { timestamp } from '../content/catalogue-record.ts'

/** `resource` = of a type that the profile declares; its id is `{type}/{id}`. */
type TombstoneKind = 'dataset' | 'catalogue' | 'resource'

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

/** Everything that bringing a resource back takes. */
export type Remains = Pick<Tombstone, 'kind' | 'id' | 'catalogue' | 'originalId'> & {
  /** The graph as it was, N-Triples; of a catalogue without its links. */
  readonly content: string
  /** The graph of its quality metrics, `''` = none. */
  readonly metrics: string
  /** Of what keeps it in the system graph: the hash of what was sent. */
  readonly hash?: string | undefined
  /** The version of the deletion that took a whole catalogue away, on the catalogue and on all that went with it. */
  readonly deletion?: number
}

/** Of what is in catalogues. */
export type MemberRemains = Remains & { readonly kind: 'dataset' | 'resource' }

/** The same out of the file; without a kind of a dataset or a resource of a declared type, as they are in catalogues. */
export type StoredRemains<Kind extends TombstoneKind = 'dataset' | 'resource'> = Remains &
  Doubt & { readonly kind: Kind }

/** Tombstones that were set up ahead of the removal. */
type TombstoneSetUp = {
  /** Says which resources are known to be gone; of the others the store will be asked. */
  end(gone: readonly string[]): void
}

/** A tombstone of which nobody knows whether the removal has landed, or whether its resource is coming back. */
export type Doubt = Pick<Tombstone, 'kind' | 'id'> & { readonly serial: number }

export type TombstonePage = { readonly offset: number; readonly limit: number }

/** Where tombstones of what went with a catalogue are taken on. */
type TakenAfter = { readonly deletion: number; readonly serial: number }

export type Tombstones = {
  /** The live tombstone of a platform id; the caller has seen that the store does not hold the resource. */
  find(kind: TombstoneKind, id: string): Tombstone | undefined
  /** That of an id at the origin: a PUT takes the platform id and the distribution IRIs back. */
  ofOrigin(catalogue: string, originalId: string): Tombstone | undefined
  /** Forgets tombstones, because the ids are in use again. */
  forget(kind: TombstoneKind, ids: readonly string[]): void

  /**
   * Keeps what is about to be removed; durable when this returns. Until `end` nobody lists it. Fails with `store-unavailable`
   * when it cannot be written: then nothing may be removed.
   */
  keep(remains: readonly Remains[], deletedAt: Date): TombstoneSetUp
  /** What is needed to bring a resource back, as long as its tombstone lives. */
  remains<Kind extends TombstoneKind>(kind: Kind, id: string): StoredRemains<Kind> | undefined
  /** Newest first; of one catalogue (with its own) or of all. */
  list(catalogue: string | undefined, page: TombstonePage): (Tombstone & Doubt)[]
  /** Live tombstones of what went with a catalogue, in the order of their serials; about a megabyte of remains. */
  taken(after: TakenAfter): StoredRemains[]
  /** Whether a tombstone still stands. */
  stands(serial: number): boolean
  /** How many live tombstones went with that of a catalogue. */
  size(deletion: number): number
  /** Says whether a catalogue is coming back with its datasets, so that the next process can go on with it. */
  returning(catalogue: string, isReturning: boolean): void
  /** Catalogues that are coming back. */
  returns(): readonly string[]

  /** Tombstones in doubt on which nobody is at work. */
  doubts(limit: number): readonly Doubt[]
  /** Takes doubts away: the resource is gone. */
  settle(serials: readonly number[]): void
  /** Takes tombstones away whose resource is there. */
  discard(serials: readonly number[]): void
  /** Removes at most `limit` whose window is over; answers how many. */
  purge(limit: number): number
  close(): void
}

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

/** Opens `{directory}/tombstones.db`, made when absent; what it holds was deleted, so the directory is for its owner alone. */
function openTombstoneFile(directory: string): Sqlite {
  mkdirSync(directory, { recursive: true })
  chmodSync(directory, 0o700)
  return openSqlite({
    path: join(directory, 'tombstones.db'),
    schema,
    format: tombstonesFormat,
    shrinks: true,
  })
}

const pack = (text: string): Uint8Array =>
  text === '' ? new Uint8Array() : deflateRawSync(text, { level: 1 })

const unpack = (blob: unknown): string =>
  blob instanceof Uint8Array && blob.length > 0 ? inflateRawSync(blob).toString('utf8') : ''

type KeepingOptions = {
  /** Made when absent; one process at a time. */
  readonly directory: string
  /** Days for which what was deleted can be brought back, at least 1. */
  readonly days: number
  readonly now: () => Date
}

/** Compressed bytes of remains read at a time. */
const mostBytes = 2 ** 20
const mostTaken = 100
/** Pages of the file given back to the disk after a purge. */
const vacuum = 'PRAGMA incremental_vacuum(1000)'

const told = 'serial, kind, id, catalogue, original, deleted'
const whole = `${told}, deletion, hash, metrics, content`

const seconds = (date: Date) => Math.floor(date.getTime() / 1000)
const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)

/** Opens the file; what is in it lives by the window of today, not by that of the day of its deletion. */
export function keptTombstones({ directory, days, now }: KeepingOptions): Tombstones {
  const file = openTombstoneFile(directory)
  const window = days * 86_400
  /** Rows that were deleted later are alive. */
  const since = () => seconds(now()) - window
  const stone = (row: Row) => tombstoneOf(row, window)
  const open = new Set<number>()
  const each = (sql: string, serials: readonly number[]) =>
    file.transaction(() => {
      for (const serial of serials) file.run(sql, serial)
    })
  return {
    ...lookups(file, { since, stone }),
    ...pages(file, { since, stone }),
    keep: (remains, deletedAt) => setUp(file, open, { remains, deleted: seconds(deletedAt) }),
    forget: (kind, ids) => {
      const sql = 'SELECT 1 FROM tombstone WHERE kind = ? AND id = ?'
      const known = ids.filter((id) => file.first(sql, kind, id))
      if (known.length === 0) return
      file.transaction(() => {
        for (const id of known)
          file.run('DELETE FROM tombstone WHERE kind = ? AND id = ?', kind, id)
      })
    },
    returning: (catalogue, isReturning) => {
      const sql = `UPDATE tombstone SET comes_back = ? WHERE kind = 'catalogue' AND id = ?`
      file.transaction(() => file.run(sql, Number(isReturning), catalogue), 'durable')
    },
    returns: () =>
      file.rows('SELECT id FROM tombstone WHERE comes_back = 1').map(({ id }) => String(id)),
    doubts: (limit) => {
      const sql = 'SELECT serial, kind, id FROM tombstone WHERE settled = 0 LIMIT ?'
      const rows = file.rows(sql, limit + open.size).map(doubtOf)
      return rows.filter(({ serial }) => !open.has(serial)).slice(0, limit)
    },
    settle: (serials) => each('UPDATE tombstone SET settled = 1 WHERE serial = ?', serials),
    discard: (serials) => each('DELETE FROM tombstone WHERE serial = ?', serials),
    purge: (limit) => {
      const sql = `DELETE FROM tombstone WHERE serial IN (SELECT serial FROM tombstone WHERE deleted <= ? LIMIT ?)`
      if (!file.first('SELECT 1 FROM tombstone WHERE deleted <= ?', since())) return 0
      const { changes } = file.transaction(() => file.run(sql, since(), limit))
      file.rows(vacuum)
      return changes
    },
    close: () => file.close(),
  }
}

type Living = {
  readonly since: () => number
  readonly stone: (row: Row) => Tombstone & Doubt
}

function lookups(
  file: Sqlite,
  { since, stone }: Living,
): Pick<Tombstones, 'find' | 'ofOrigin' | 'remains'> {
  const one = (columns: string, kind: string, id: string) =>
    file.first(
      `SELECT ${columns} FROM tombstone WHERE kind = ? AND id = ? AND deleted > ?`,
      kind,
      id,
      since(),
    )
  const origin = `SELECT ${told} FROM tombstone WHERE catalogue = ? AND original = ? AND kind = 'dataset' AND deleted > ? ORDER BY serial DESC`
  return {
    find: (kind, id) => {
      const row = one(told, kind, id)
      return row && stone(row)
    },
    ofOrigin: (catalogue, originalId) => {
      const row = file.first(origin, catalogue, originalId, since())
      return row && stone(row)
    },
    remains: (kind, id) => {
      const row = one(whole, kind, id)
      return row && { ...doubtOf(row), ...remainsOf(row), kind }
    },
  }
}

function pages(
  file: Sqlite,
  { since, stone }: Living,
): Pick<Tombstones, 'list' | 'taken' | 'stands' | 'size'> {
  const list = (catalogue: string | undefined, { limit, offset }: TombstonePage) => {
    const within = catalogue === undefined ? '' : 'catalogue = ? AND'
    const sql = `SELECT ${told} FROM tombstone WHERE ${within} settled = 1 AND comes_back = 0 AND deleted > ? ORDER BY serial DESC LIMIT ? OFFSET ?`
    const values = [...(catalogue === undefined ? [] : [catalogue]), since(), limit, offset]
    return file.rows(sql, ...values).map(stone)
  }
  const taken = ({ deletion, serial }: TakenAfter) => {
    const sql = `SELECT ${whole} FROM tombstone WHERE deletion = ? AND kind <> 'catalogue' AND settled = 1 AND serial > ? AND deleted > ? ORDER BY serial`
    const found: StoredRemains[] = []
    let bytes = 0
    for (const row of file.each(sql, deletion, serial, since())) {
      const { content, metrics } = row
      const kind = row['kind'] === 'resource' ? 'resource' : 'dataset'
      found.push({ ...doubtOf(row), ...remainsOf(row), kind })
      for (const blob of [content, metrics]) bytes += blob instanceof Uint8Array ? blob.length : 0
      if (bytes > mostBytes || found.length === mostTaken) break
    }
    return found
  }
  const size = `SELECT count(*) AS size FROM tombstone WHERE deletion = ? AND kind <> 'catalogue' AND settled = 1 AND deleted > ?`
  return {
    list,
    taken,
    stands: (serial) =>
      file.first('SELECT 1 FROM tombstone WHERE serial = ?', serial) !== undefined,
    size: (deletion) => Number(file.first(size, deletion, since())?.['size']),
  }
}

function setUp(
  file: Sqlite,
  open: Set<number>,
  { remains, deleted }: { readonly remains: readonly Remains[]; readonly deleted: number },
): TombstoneSetUp {
  const sql = `INSERT OR REPLACE INTO tombstone (kind, id, catalogue, original, deleted, deletion, hash, metrics, content)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
  const insert = (one: Remains) => {
    const { kind, id, catalogue, originalId = null, deletion = null, hash = null } = one
    const blobs = [pack(one.metrics), pack(one.content)]
    return file.run(sql, kind, id, catalogue, originalId, deleted, deletion, hash, ...blobs).serial
  }
  let serials: ReadonlyMap<string, number>
  try {
    serials = file.transaction(
      () => new Map(remains.map((one) => [one.id, insert(one)])),
      'durable',
    )
  } catch (cause) {
    const why = 'what is to be deleted cannot be kept for restoring: the data directory refuses it'
    throw new Failure('store-unavailable', why, { cause })
  }
  for (const serial of serials.values()) open.add(serial)
  return {
    end: (gone) => {
      for (const serial of serials.values()) open.delete(serial)
      if (gone.length === 0) return
      file.transaction(() => {
        for (const id of gone)
          file.run('UPDATE tombstone SET settled = 1 WHERE serial = ?', serials.get(id) ?? 0)
      })
    },
  }
}

const kinds = ['catalogue', 'resource'] as const
const kindOf = (row: Row) => kinds.find((kind) => kind === row['kind']) ?? 'dataset'

const doubtOf = (row: Row): Doubt => ({
  serial: Number(row['serial']),
  kind: kindOf(row),
  id: String(row['id']),
})

function tombstoneOf(row: Row, window: number): Tombstone & Doubt {
  const deleted = Number(row['deleted'])
  return {
    ...doubtOf(row),
    catalogue: String(row['catalogue']),
    originalId: textOf(row['original']),
    deletedAt: timestamp(new Date(deleted * 1000)),
    restorableUntil: timestamp(new Date((deleted + window) * 1000)),
  }
}

function remainsOf(row: Row): Remains {
  const hash = textOf(row['hash'])
  return {
    kind: kindOf(row),
    id: String(row['id']),
    catalogue: String(row['catalogue']),
    originalId: textOf(row['original']),
    content: unpack(row['content']),
    metrics: unpack(row['metrics']),
    ...(hash !== undefined && { hash }),
    ...(row['deletion'] !== null && { deletion: Number(row['deletion']) }),
  }
}

/** For a platform that keeps none. */
export const noTombstones: Tombstones = {
  find: () => undefined,
  ofOrigin: () => undefined,
  forget: () => undefined,
  keep: () => ({ end: () => undefined }),
  remains: () => undefined,
  list: () => [],
  taken: () => [],
  stands: () => false,
  size: () => 0,
  returning: () => undefined,
  returns: () => [],
  doubts: () => [],
  settle: () => undefined,
  discard: () => undefined,
  purge: () => 0,
  close: () => undefined,
}
