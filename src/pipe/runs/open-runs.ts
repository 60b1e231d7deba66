/** Opens the history of runs. */

import { randomUUIDv7 } from 'node:crypto'
import type { Log } from '../../log.ts'
import { changing } from './changing.ts'
import { itemRows } from './keeping/item-rows.ts'
import { openRunFile } from './keeping/run-file.ts'
import { runRows } from './keeping/run-rows.ts'
import { upkeep } from './keeping/upkeep.ts'
import type { KeepSource, Redact } from './living/cleaned.ts'
import type { LiveDeps, LiveRun } from './living/live-run.ts'
import { reading } from './reading.ts'
import type { Runs } from './runs.ts'
import { followers } from './telling/following.ts'

export type RunsOptions = {
  /** The SQLite file, such as `{data}/runs.sqlite`. */
  readonly path: string
  /** Who holds the leases: no two processes that are alive at the same time may have the same. */
  readonly owner: string
  /** Whether an owner has certainly ended; when nobody can tell, its lease of 60 s has to run out. */
  readonly isGone?: (owner: string) => boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Rejects when the signal fires. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  readonly log: Log
  /** Takes registered secrets out of whatever is kept. */
  readonly redact?: Redact
  /** Of which items the source text is kept; `failed` when absent. */
  readonly keepSource?: KeepSource
  /** Days that a run is kept after its end; 365 when absent. */
  readonly historyDays?: number
  /** Ids that begin with the time (RFC 9562) are written side by side, not all over the file. */
  readonly makeId?: () => string
}

/** Opens the file and starts its upkeep: writing in groups, forgetting what is too old. Interrupts nobody. */
export function openRuns(options: RunsOptions): Runs {
  const { now, pause, redact = (text) => text, keepSource = 'failed' } = options
  const file = openRunFile(options.path)
  const watching = followers(pause)
  const lives = new Map<string, LiveRun>()
  const deps: LiveDeps = {
    file,
    rows: runRows(file),
    items: itemRows(file),
    now,
    redact,
    keepSource,
    tell: (id) => watching.tell(id),
  }
  const { owner, makeId = randomUUIDv7, isGone = () => false } = options
  const room = { deps, lives, owner, makeId, isGone }
  const { historyDays = 365, log } = options
  const keeping = upkeep({ deps, lives, watching, historyDays, pause, log })
  const read = reading(room, watching)
  return {
    ...read,
    ...changing(room),
    close: async () => {
      await keeping.stop()
      watching.close()
      file.close()
    },
  }
}
