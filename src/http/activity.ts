/** Activity (`activity.sqlite`): one row for each answered write of every service. No bodies, no addresses of clients. */

import type { Log } from '../log.ts'
import { openSqlite, type Sqlite } from '../sqlite.ts'
import { dayMs } from '../text/duration.ts'
import { type AppContext, pathOf } from './context.ts'
import { inProcess } from './peer.ts'
import { roleIn } from './roles.ts'

/** Version of the schema. */
export const activityFormat = 1

/** Write that was answered. */
type Entry = {
  /** Id of the key, the account or the pipe, and its name of that day. */
  readonly who: string
  readonly name: string
  /** Role in the catalogue; empty for a key with single endpoints. */
  readonly role: string
  /** `portal`: a page for a person. `console`: a command. `run`: a run of a pipe, with all that it wrote. `api`: any other client. */
  readonly via: 'portal' | 'console' | 'api' | 'run'
  readonly service: string
  /** Operation of the contract, such as `putDatasetsByDatasetId`. */
  readonly action: string
  readonly path: string
  /** Empty where the action has no catalogue. */
  readonly catalogue: string
  readonly status: number | string
  /** Id of the request or the run. */
  readonly request: string
}

const schema = `
  CREATE TABLE IF NOT EXISTS activity (
    serial INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, who TEXT NOT NULL, name TEXT NOT NULL, role TEXT NOT NULL,
    via TEXT NOT NULL, service TEXT NOT NULL, action TEXT NOT NULL, path TEXT NOT NULL, catalogue TEXT NOT NULL,
    status TEXT NOT NULL, request TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS activity_at ON activity (at);
`

/** Time that a row is kept, time between two purges, and most rows of one purge, so that none takes long. */
const [keptMs, purgeMs, purgeRows] = [730 * dayMs, 3_600_000, 10_000]

const insert = `INSERT INTO activity (at, who, name, role, via, service, action, path, catalogue, status, request)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
const purge =
  'DELETE FROM activity WHERE serial IN (SELECT serial FROM activity WHERE at < ? ORDER BY at LIMIT ?)'

type ActivityOptions = { readonly path: string; readonly now: () => number; readonly log: Log }

/** File of the activity, which keeps each row for 730 days. */
export class Activity {
  readonly #file: Sqlite
  readonly #options: ActivityOptions
  #purgedAt = 0

  constructor(options: ActivityOptions) {
    this.#file = openSqlite({ path: options.path, schema, format: activityFormat })
    this.#options = options
  }

  /** Adds a row. A failure, such as a full disk, is logged: the write that it is about has been answered. */
  record(entry: Entry): void {
    const { who, name, role, via, service, action, path, catalogue, status, request } = entry
    const now = this.#options.now()
    const values = [who, name, role, via, service, action, path, catalogue, String(status), request]
    try {
      this.#file.run(insert, now, ...values)
      if (now - this.#purgedAt < purgeMs) return
      this.#purgedAt = now
      this.#file.run(purge, now - keptMs, purgeRows)
    } catch (err) {
      this.#options.log.error({ err, who, action, path }, 'activity.record-failed')
    }
  }

  /**
   * Adds a row for a request that was answered, if it is a write that a key was checked for. The calls of this process for itself
   * belong to runs and jobs, which have rows of their own.
   */
  recordRequest(c: AppContext, service: string): void {
    const [write, key] = [c.get('write'), c.get('key')]
    if (!write || !key || c.res.status >= 400) return
    const by = c.get('actingBy')
    if (c.get('client') === inProcess && by === undefined) return
    this.record({
      who: key.id,
      name: key.name ?? '',
      role: roleIn(key.permissions, write.catalogue) ?? '',
      via: by ?? 'api',
      service,
      action: write.operation,
      path: pathOf(c.req.url),
      catalogue: write.catalogue ?? '',
      status: c.res.status,
      request: c.get('requestId'),
    })
  }

  close(): void {
    this.#file.close()
  }
}
