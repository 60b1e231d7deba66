/** What readers and writers must know of an index at this moment. */

import type { IndexSettings } from '../../settings.ts'

export type Answering = {
  readonly uid: string
  readonly settings: IndexSettings
  /** Languages with a bucket of their own. */
  readonly languages: readonly string[]
  /** What is filled beside it, under other settings. */
  readonly next?: {
    readonly uid: string
    readonly settings: IndexSettings
    readonly languages: readonly string[]
  }
}
