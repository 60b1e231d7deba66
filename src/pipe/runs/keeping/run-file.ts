/** The SQLite file under the runs: two tables. */

import { openSqlite, type Sqlite } from '../../../sqlite.ts'

/**
 * `state` and `start` are JSON. `partial` runs want only some ids. `key` of an item is its source id, else its original
 * id: what the same record is known by in two runs. Times and leases are ms.
 */
const schema = `
  CREATE TABLE IF NOT EXISTS run (
    serial INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, pipe TEXT NOT NULL, catalogue TEXT, status TEXT NOT NULL,
    outcome TEXT, dry INTEGER NOT NULL, partial INTEGER NOT NULL, created INTEGER NOT NULL, ended INTEGER, owner TEXT NOT NULL,
    lease INTEGER NOT NULL, resumed INTEGER NOT NULL DEFAULT 0, start TEXT NOT NULL, state TEXT NOT NULL, checkpoint TEXT) STRICT;
  CREATE INDEX IF NOT EXISTS run_pipe ON run (pipe, serial);
  CREATE INDEX IF NOT EXISTS run_status ON run (status, serial);
  CREATE INDEX IF NOT EXISTS run_catalogue ON run (catalogue, serial);
  CREATE INDEX IF NOT EXISTS run_whole ON run (pipe, serial, outcome) WHERE status = 'finished' AND partial = 0;
  CREATE INDEX IF NOT EXISTS run_ended ON run (ended) WHERE ended IS NOT NULL;
  CREATE TABLE IF NOT EXISTS item (
    serial INTEGER PRIMARY KEY, run INTEGER NOT NULL, key TEXT, state TEXT NOT NULL, stage TEXT NOT NULL, told TEXT NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS item_run ON item (run);
  CREATE INDEX IF NOT EXISTS item_state ON item (run, state);
  CREATE INDEX IF NOT EXISTS item_key ON item (run, key) WHERE key IS NOT NULL;
`

/** Of the schema. */
export const runsFormat = 1

/** Opens the file, made when absent. */
export const openRunFile = (path: string): Sqlite =>
  openSqlite({ path, schema, format: runsFormat, shrinks: true })
