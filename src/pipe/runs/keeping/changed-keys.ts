/** What failed in one run and is otherwise in another. */

import type { Difference } from '../report.ts'
import type { Sqlite } from '../../../sqlite.ts'

/** Keys that failed in one run and, by the condition on the other, changed there; the first ten by arrival. */
export function changedKeys(
  file: Sqlite,
  question: {
    readonly failedIn: number
    readonly other: number
    readonly there: 'not failed' | 'well'
  },
): Difference {
  const condition =
    question.there === 'not failed'
      ? `NOT EXISTS (SELECT 1 FROM item o INDEXED BY item_key WHERE o.run = ?2 AND o.key = i.key AND o.state = 'failed')`
      : `EXISTS (SELECT 1 FROM item o INDEXED BY item_key WHERE o.run = ?2 AND o.key = i.key
          AND o.state IN ('created', 'updated', 'unchanged'))`
  const from = `FROM item i INDEXED BY item_state WHERE i.run = ?1 AND i.state = 'failed' AND i.key IS NOT NULL AND ${condition}`
  const values = [question.failedIn, question.other]
  const count = Number(
    file.first(`SELECT count(DISTINCT i.key) AS n ${from}`, ...values)?.['n'] ?? 0,
  )
  if (count === 0) return { count, ids: [] }
  const rows = file.rows(
    `SELECT i.key AS key, min(i.serial) AS first ${from} GROUP BY i.key ORDER BY first LIMIT 10`,
    ...values,
  )
  return { count, ids: rows.map((row) => String(row['key'])) }
}
