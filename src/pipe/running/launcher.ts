/** Starts, cancels and resumes runs. */

import type { Configs } from '../document.ts'
import type { Run, StartedBy, StartMode } from '../runs/run.ts'

export type Launch = {
  /** Name or id of the pipe. */
  readonly pipe: string
  readonly configs?: Configs
  readonly startMode?: StartMode
  readonly startedBy: StartedBy
  readonly trigger?: string
  /** Nothing is written; at most 20 records unless `limit` says otherwise. */
  readonly dryRun?: boolean
  readonly limit?: number
  /** Only these ids, original or source ids. */
  readonly only?: readonly string[]
}

/** The run that was made, or the active one in whose favour the launch was dropped. */
export type Launched = { readonly run: Run } | { readonly dropped: Run }

/** `Failure`: `unknown-pipe`, `invalid-parameter` (configs), `unknown-run`, `conflict` (no such step in this state). */
export type Launcher = {
  /** A pipe that cannot be opened gives a run that has failed already. */
  launch(launch: Launch): Launched
  /** Resolves when the work in flight has ended. */
  cancel(runId: string): Promise<Run>
  /** The same run goes on. */
  resume(runId: string): Run
  /** A new run of what failed. */
  retry(runId: string): Run
  /** Running and waiting, in order. */
  active(): readonly Run[]
  /** The run when it has ended. */
  settled(runId: string, signal: AbortSignal): Promise<Run>
  /** Interrupts what runs; it is resumed at the next start. */
  stop(): Promise<void>
}
