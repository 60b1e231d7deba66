/** What the worker of a script is told, and what it answers. */

import type { FailureMessage } from '../../../../store/embedded/messages.ts'
import type { Incoming } from '../incoming.ts'
import type { TransformLimits } from '../limits.ts'

/** The one thing that a worker of this kind does in its life. */
export type ScriptSettings = {
  /** The compiled language, shared by all workers. */
  readonly language: WebAssembly.Module
  readonly source: string
  /** JSON text of the global `params`. */
  readonly params: string
  /** One instance for all records, which remembers. */
  readonly single: boolean
  /** What `Date.now()` answers, in ms. */
  readonly now: number
  /** Where `Math.random()` begins; 32 bits. */
  readonly seed: number
  readonly limits: TransformLimits
}

/** `check`: whether the script can be run at all. */
export type ScriptJob = 'check' | Incoming

export type ScriptResult = {
  /** N-Triples; empty after a check. */
  readonly outcome: { readonly text: string } | { readonly refusal: FailureMessage }
  /** What the script wrote with `console.log`. */
  readonly lines: readonly string[]
}
