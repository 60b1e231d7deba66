/** What a launch asks for, and what comes of it. */

import type { Configs } from '../document.ts'
import type { Feed } from '../runs/feed.ts'
import type { Run, StartedBy, StartMode } from '../runs/run.ts'

export type Launch = {
  /** Name or id of the pipe. */
  readonly pipe: string
  readonly configs?: Configs
  readonly startMode?: StartMode
  readonly startedBy: StartedBy
  readonly trigger?: string
  /** Milliseconds that the run waits in the queue at least: not all of a portal's sources are asked at the full hour. */
  readonly waitMs?: number
  /** Nothing is written; at most 20 records unless `limit` says otherwise. */
  readonly dryRun?: boolean
  readonly limit?: number
  /** Only these ids, original or source ids. */
  readonly only?: readonly string[]
  /** Datasets of the repository go through the pipe, which must not begin with an importer. */
  readonly feed?: Feed
}

/** The run that was made, or the active one in whose favour the launch was dropped. */
export type Launched = { readonly run: Run } | { readonly dropped: Run }
