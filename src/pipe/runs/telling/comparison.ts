/** The report of a run from its rows. */

import { changedKeys } from '../keeping/changed-keys.ts'
import type { Sqlite } from '../../../sqlite.ts'
import type { KeptRun, RunRows } from '../keeping/run-rows.ts'
import type { RunDifference, RunReport } from '../report.ts'

type Deps = { readonly file: Sqlite; readonly rows: RunRows }

/** The run that another one is held against: the one whose failures it tries again, else the pipe's finished run before, if it was about the same catalogue. */
export function comparedWith(
  { rows }: Pick<Deps, 'rows'>,
  { start, run, serial }: KeptRun,
): KeptRun | undefined {
  if (start.dryRun || start.only) return undefined
  if (start.retryOf !== undefined) return rows.byId(start.retryOf)
  const before = rows.before(run.pipe, serial, ['complete', 'incomplete'])
  // One pipe may be fed with many catalogues in turn.
  return before?.run.catalogue === run.catalogue ? before : undefined
}

/** The report of a run whose items are in the file. */
export function reportOf(deps: Deps, kept: KeptRun): RunReport {
  const before = comparedWith(deps, kept)
  return {
    run: kept.run,
    counts: kept.run.counts,
    ...kept.tally,
    ...(before && { difference: difference(deps, kept, before) }),
  }
}

function difference(
  { file }: Pick<Deps, 'file'>,
  { serial, run }: KeptRun,
  before: KeptRun,
): RunDifference {
  const { created, updated, removed } = run.counts
  return {
    run: before.run.id,
    created,
    updated,
    removed,
    newlyFailing: changedKeys(file, {
      failedIn: serial,
      other: before.serial,
      there: 'not failed',
    }),
    newlyFixed: changedKeys(file, { failedIn: before.serial, other: serial, there: 'well' }),
  }
}
