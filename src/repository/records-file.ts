/**
 * File of what the repository keeps beside the store (`records.sqlite`): versions, drafts and rules, which must not be found by
 * public queries. Each of its parts has its own tables in the one file.
 */

import { openSqlite, type Sqlite } from '../sqlite.ts'

/** Version of the schemas of all parts together. */
export const recordsFormat = 1

/** Opens the file (mode 600, made when absent) with the tables of its parts, given as SQL with `CREATE … IF NOT EXISTS`. */
export const openRecords = (path: string, schemas: readonly string[]): Sqlite =>
  openSqlite({ path, schema: schemas.join('\n'), format: recordsFormat, shrinks: true })
