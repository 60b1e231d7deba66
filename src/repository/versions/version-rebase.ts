/** Writes the versions of a graph anew under another base of IRIs: names, differences, whole states and the hashes of states. */

import { sortedLines } from '../../rdf/lines.ts'
import type { Row, Sqlite } from '../../sqlite.ts'
import { packText, unpackText } from '../../text/packed.ts'
import { appliedTo, stateOf } from './version-file.ts'

/** Graph whose versions are written anew. */
export type RenamedGraph = {
  readonly graph: string
  readonly name: string
  /** Stored state before, `''` for a deleted record. */
  readonly lines: string
  /** Writes lines anew, in their order. */
  readonly change: (lines: string) => string
}

/** Names of graphs that have versions. */
export const graphsWithVersions = (file: Sqlite): readonly string[] =>
  file.rows('SELECT DISTINCT graph FROM version').map(({ graph }) => String(graph))

/** Writes the versions of a graph anew; returns their number. To be called in a transaction. */
export function rebaseVersions(file: Sqlite, { graph, name, lines, change }: RenamedGraph): number {
  const rows = file.rows('SELECT * FROM version WHERE graph = ? ORDER BY serial DESC', graph)
  const states = renamedStates(rows, lines, change)
  const renamed = (state: unknown) => states.get(String(state)) ?? String(state)
  const whole = (blob: unknown) =>
    blob === null ? null : packText(sortedLines(change(unpackText(blob))))
  const sql =
    'UPDATE version SET graph = ?, was = ?, became = ?, back = ?, whole = ? WHERE serial = ?'
  for (const row of rows) {
    const back = packText(change(unpackText(row['back'])))
    const hashes = [renamed(row['was']), renamed(row['became'])]
    file.run(sql, name, ...hashes, back, whole(row['whole']), Number(row['serial']))
  }
  return rows.length
}

/** Hashes of states before, and after the change, of all states that can be read. */
function renamedStates(
  rows: readonly Row[],
  stored: string,
  change: (lines: string) => string,
): ReadonlyMap<string, string> {
  const states = new Map<string, string>()
  let present: string | undefined = stored
  const note = (state: string) => states.set(stateOf(state), stateOf(sortedLines(change(state))))
  note(stored)
  for (const [index, row] of rows.entries()) {
    const at: string | undefined = present === undefined ? undefined : stateOf(present)
    if (row['became'] !== at) {
      // A row whose write never landed, as the walk of a history leaves it out.
      const isUnwritten =
        row['was'] === at || rows.slice(index + 1).some(({ became }) => became === at)
      if (at !== undefined && isUnwritten) continue
      present = row['whole'] === null ? undefined : unpackText(row['whole'])
      if (present !== undefined) note(present)
    }
    if (row['was'] === '') present = ''
    else if (present !== undefined) present = appliedTo(present, row['back'])
    if (present !== undefined) note(present)
  }
  return states
}
