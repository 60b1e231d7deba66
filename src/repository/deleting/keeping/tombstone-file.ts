/** The file under the tombstones: one SQLite table, texts compressed. */

import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { openSqlite, type Sqlite } from '../../../sqlite.ts'

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
export function openTombstoneFile(directory: string): Sqlite {
  mkdirSync(directory, { recursive: true })
  chmodSync(directory, 0o700)
  return openSqlite({
    path: join(directory, 'tombstones.db'),
    schema,
    format: tombstonesFormat,
    shrinks: true,
  })
}

export const pack = (text: string): Uint8Array =>
  text === '' ? new Uint8Array() : deflateRawSync(text, { level: 1 })

export const unpack = (blob: unknown): string =>
  blob instanceof Uint8Array && blob.length > 0 ? inflateRawSync(blob).toString('utf8') : ''
