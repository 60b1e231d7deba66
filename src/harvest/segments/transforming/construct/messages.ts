/** What the worker of queries is told, and what it answers. */

import type { FailureMessage } from '../../../../store/embedded/messages.ts'
import type { RdfEngine } from '../../../../store/embedded/engine.ts'
import type { Incoming } from '../incoming.ts'

export type ConstructSettings = { readonly engine: RdfEngine }

export type ConstructJob = Incoming & {
  /** In order, each on what the one before it has left; all values in place. */
  readonly queries: readonly { readonly kind: 'construct' | 'update'; readonly text: string }[]
  /** What a query gives is added to what was there. */
  readonly keep: boolean
  /** Triples that a query may leave. */
  readonly most: number
}

/** N-Triples. */
export type ConstructResult = { readonly text: string } | { readonly refusal: FailureMessage }
