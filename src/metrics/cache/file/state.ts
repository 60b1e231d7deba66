/** What the file knows of itself: when everything in it was counted last, and how it becomes empty. */

import type { Sqlite } from '../../../sqlite.ts'
import { numbered } from './swap.ts'

/** When everything was counted last, in milliseconds since 1970; `undefined` in a file that is new or was cleared. */
export function wholeAt(file: Sqlite): number | undefined {
  const at = file.first("SELECT value FROM state WHERE name = 'whole'")?.['value']
  return at === undefined ? undefined : Number(at)
}

/** The rows of editions go with the next refresh. */
export const clear = (file: Sqlite, at: number): void =>
  file.transaction(() => {
    for (const table of ['catalogue', 'figure', 'history']) file.run(`DELETE FROM ${table}`)
    file.run("DELETE FROM state WHERE name = 'whole'")
    numbered(file, at)
  }, 'durable')
