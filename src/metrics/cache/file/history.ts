/** Snapshots: what the figures of a scope were on a day; ten years of them. */

import type { Sqlite } from '../../../sqlite.ts'
import type { Tally } from '../counting/tally.ts'
import type { Resolution, Span } from '../figures.ts'

export type Kind = 'global' | 'catalogue' | 'country' | 'publisher'

type Kept = { readonly kind: Kind; readonly key: string; readonly tally: Tally }

const yearsKept = 10

/** `YYYY-MM-DD` in UTC. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** The last of a day stands for it. Publishers, who are many, have one per month. Runs inside the caller's transaction. */
export function keepSnapshots(file: Sqlite, at: number, snapshots: readonly Kept[]): void {
  const day = dayOf(at)
  const publishers = snapshots.filter(({ kind }) => kind === 'publisher')
  for (const { kind, key, tally } of snapshots)
    file.run(
      'INSERT INTO history VALUES (?, ?, ?, ?) ON CONFLICT (kind, key, day) DO UPDATE SET tally = excluded.tally',
      kind,
      key,
      day,
      JSON.stringify(tally),
    )
  for (const { kind, key } of publishers)
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

/** The last snapshot of each period, ascending. */
export function snapshotsOf(
  file: Sqlite,
  { kind, key }: { readonly kind: Kind; readonly key: string },
  { from, to, resolution }: Span,
): readonly { readonly day: string; readonly tally: Tally }[] {
  const last = 'SELECT max(day) FROM history WHERE kind = ?1 AND key = ?2 AND day BETWEEN ?3 AND ?4'
  const rows = file.rows(
    `SELECT day, tally FROM history WHERE kind = ?1 AND key = ?2 AND day IN (${last} GROUP BY substr(day, 1, ?5)) ORDER BY day`,
    kind,
    key,
    from,
    to,
    periods[resolution],
  )
  return rows.map(({ day, tally }) => ({ day: String(day), tally: JSON.parse(String(tally)) }))
}
