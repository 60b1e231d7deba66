/** Tombstones that outlive the process, for as many days as the platform keeps what was deleted. */

import { Failure } from '../../../errors.ts'
import type { Row, Sqlite } from '../../../sqlite.ts'
import { timestamp } from '../../content/record.ts'
import type { After, Doubt, Page, Remains, SetUp, Tombstone, Tombstones } from '../tombstones.ts'
import { openTombstoneFile, pack, unpack } from './tombstone-file.ts'

export type KeepingOptions = {
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
): Pick<Tombstones, 'find' | 'ofOrigin' | 'content' | 'remains'> {
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
    content: (id) => {
      const row = one('content', 'dataset', id)
      return row && unpack(row['content'])
    },
    remains: (kind, id) => {
      const row = one(whole, kind, id)
      return row && remainsOf(row)
    },
  }
}

function pages(
  file: Sqlite,
  { since, stone }: Living,
): Pick<Tombstones, 'list' | 'taken' | 'stands' | 'size'> {
  const list = (catalogue: string | undefined, { limit, offset }: Page) => {
    const within = catalogue === undefined ? '' : 'catalogue = ? AND'
    const sql = `SELECT ${told} FROM tombstone WHERE ${within} settled = 1 AND comes_back = 0 AND deleted > ? ORDER BY serial DESC LIMIT ? OFFSET ?`
    const values = [...(catalogue === undefined ? [] : [catalogue]), since(), limit, offset]
    return file.rows(sql, ...values).map(stone)
  }
  const taken = ({ deletion, serial }: After) => {
    const sql = `SELECT ${whole} FROM tombstone WHERE deletion = ? AND kind <> 'catalogue' AND settled = 1 AND serial > ? AND deleted > ? ORDER BY serial`
    const found: (Remains & Doubt)[] = []
    let bytes = 0
    for (const row of file.each(sql, deletion, serial, since())) {
      const { content, metrics } = row
      found.push({ ...doubtOf(row), ...remainsOf(row) })
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
): SetUp {
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
