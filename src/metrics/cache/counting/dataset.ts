/** One measured dataset as the cache takes it: what is counted, and what stands in lists. */

import type { Dimension } from '../../words/indicators.ts'
import type { Severity, Texts } from '../figures.ts'
import type { Counted } from './tally.ts'

export type FoundViolation = {
  readonly severity: Severity
  /** IRI; `''` where there is none. */
  readonly path: string
  /** Local name of the constraint component; `''` where there is none. */
  readonly component: string
  readonly value: string | null
  readonly messages: Texts
}

export type FoundUrl = {
  /** IRI of what was measured. */
  readonly distribution: string
  readonly type: 'accessUrl' | 'downloadUrl'
  /** `''` where the measurement does not tell it. */
  readonly url: string
  readonly status: number
  readonly checked: string | null
}

/** The key of a publisher is its IRI, or its name where it has none. */
export type FoundPublisher = { readonly key: string; readonly name: string }

/** What a dataset says of itself. */
export type DatasetFacts = {
  readonly titles: Texts
  readonly languages: readonly string[]
  readonly publisher: FoundPublisher | undefined
}

export type FoundDataset = DatasetFacts & {
  readonly id: string
  /** Absent: nothing was measured. */
  readonly measured?: {
    readonly score: number | null
    readonly points: Readonly<Record<Dimension, number | null>>
    readonly distributions: number
    readonly counted: readonly Counted[]
    /** Those that are not reachable. */
    readonly urls: readonly FoundUrl[]
    readonly violations: readonly FoundViolation[]
  }
}
