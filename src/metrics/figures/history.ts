/** The history of figures: one row per scope and day, the last refresh of a day stands for it; ten years are kept. */

import type { Sqlite } from '../../sqlite.ts'
import { dimensions } from '../indicators.ts'
import type { ScopeCounts } from './counts.ts'
import type { Resolution, Scope, HistorySpan } from './figures.ts'

const yearsKept = 10

/** `YYYY-MM-DD` in UTC. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** How the rows of a scope are named. */
function keyOf(scope: Scope): readonly [kind: string, key: string] {
  if (scope === 'global') return ['global', '']
  if ('catalogue' in scope) return ['catalogue', scope.catalogue]
  return 'country' in scope ? ['country', scope.country] : ['publisher', scope.publisher]
}

/**
 * Keeps the counts of a scope for the day of `at` (milliseconds since 1970). Publishers, who are many, have one row per month.
 * Runs inside the caller's transaction.
 */
export function addToHistory(
  file: Sqlite,
  {
    scope,
    counts,
    at,
  }: { readonly scope: Scope; readonly counts: ScopeCounts; readonly at: number },
): void {
  const day = dayOf(at)
  const [kind, key] = keyOf(scope)
  file.run(
    'INSERT OR REPLACE INTO history VALUES (?, ?, ?, ?)',
    kind,
    key,
    day,
    JSON.stringify(counts),
  )
  if (kind === 'publisher')
    file.run(
      'DELETE FROM history WHERE kind = ? AND key = ? AND day >= ? AND day < ?',
      kind,
      key,
      `${day.slice(0, 7)}-01`,
      day,
    )
  thin(file, day)
}

/** Years before this one are kept by month. Once a year there is something to do. */
function thin(file: Sqlite, day: string): void {
  const year = day.slice(0, 4)
  if (file.first("SELECT value FROM state WHERE name = 'thinned'")?.['value'] === year) return
  file.run(
    'DELETE FROM history WHERE day < ? AND EXISTS (SELECT 1 FROM history AS later WHERE later.kind = history.kind ' +
      "AND later.key = history.key AND later.day > history.day AND later.day <= substr(history.day, 1, 7) || '-31')",
    `${year}-01-01`,
  )
  file.run('DELETE FROM history WHERE day < ?', `${String(Number(year) - yearsKept)}-01-01`)
  file.run("INSERT OR REPLACE INTO state VALUES ('thinned', ?)", year)
}

/** Characters of a day that are the same within a period. */
const periods = { year: 4, month: 7, day: 10 } as const satisfies Record<Resolution, number>

/** The last row of each period, ascending. */
export function historyOf(
  file: Sqlite,
  scope: Scope,
  { from, to, resolution }: HistorySpan,
): readonly { readonly day: string; readonly counts: ScopeCounts }[] {
  const last = 'SELECT max(day) FROM history WHERE kind = ?1 AND key = ?2 AND day BETWEEN ?3 AND ?4'
  const rows = file.rows(
    `SELECT day, tally FROM history WHERE kind = ?1 AND key = ?2 AND day IN (${last} GROUP BY substr(day, 1, ?5)) ORDER BY day`,
    ...keyOf(scope),
    from,
    to,
    periods[resolution],
  )
  return rows.map(({ day, tally }) => ({ day: String(day), counts: read(String(tally)) }))
}

type Sum = readonly [count: number, sum: number]

/** A row as format 1 of the file wrote it. */
type OldCounts = {
  readonly all: number
  readonly datasets: number
  readonly distributions: number
  readonly score: Sum
  readonly dimensions: Readonly<Record<string, Sum>>
  readonly bands: Readonly<Record<string, number>>
  readonly answers: Readonly<Record<string, readonly [yes: number, no: number]>>
  readonly codes: ScopeCounts
}

function read(text: string): ScopeCounts {
  const stored: ScopeCounts | OldCounts = JSON.parse(text)
  return isOld(stored) ? renewed(stored) : stored
}

const isOld = (stored: ScopeCounts | OldCounts): stored is OldCounts => 'answers' in stored

const renewed = (old: OldCounts): ScopeCounts => ({
  ...old.codes,
  ...Object.fromEntries(
    Object.entries(old.answers).map(([name, [yes, no]]) => [name, { true: yes, false: no }]),
  ),
  ...Object.fromEntries(dimensions.map((name) => [name, scoreOf(old.dimensions[name] ?? [0, 0])])),
  scoring: scoreOf(old.score),
  bands: old.bands,
  datasets: { all: old.all, measured: old.datasets, distributions: old.distributions },
})

const scoreOf = ([count, sum]: Sum) => ({ count, sum })
