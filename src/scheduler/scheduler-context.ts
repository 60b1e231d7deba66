/** What the scheduler station stands on. */

import type { ApiKeys } from '../http/api-key.ts'
import type { AppContext, AppOptions } from '../http/app.ts'
import { readJsonBody } from '../pipe/pipe-text.ts'
import type { Launcher } from '../pipe/running/launcher.ts'
import type { Runs } from '../pipe/runs/run-history.ts'
import type { PipeSources } from '../pipe/sources/pipe-sources.ts'
import type { Json } from '../text/json.ts'
import type { Triggers } from './triggers.ts'

export type SchedulerContext = {
  readonly pipes: Pick<PipeSources, 'list' | 'invalid' | 'find' | 'look'>
  readonly launcher: Launcher
  readonly runs: Runs
  readonly triggers: Triggers
  /** Carries out the removals that a run holds back; `Failure` `conflict` when it holds none any more. */
  readonly confirm: (runId: string, signal: AbortSignal) => Promise<void>
  readonly keys: ApiKeys
  /** Bytes of a request body. */
  readonly pipeBytes: number
  /** Triggers of one pipe. */
  readonly triggersPerPipe: number
  /** Changing requests of one key at once. */
  readonly writesPerKey: number
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  /** Aborted when the station ends: what goes on behind an answer ends then. */
  readonly ending: AbortSignal
  readonly http: Omit<AppOptions, 'name'>
  readonly version: string
}

/** The body as JSON; undefined when it is blank. Throws `malformed-json`, `too-large`. */
export const bodyOf = (c: AppContext, { pipeBytes }: SchedulerContext): Promise<Json | undefined> =>
  readJsonBody(c, { bytes: pipeBytes, name: 'pipeBytes' })
