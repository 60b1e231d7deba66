/** How what was measured reaches a repository. */

import type { Failure } from '../errors.ts'
import type { RecordMessage } from './message.ts'

/** What became of the metrics of one dataset; `gone`: there is no such dataset. */
export type MetricsLanded = 'created' | 'updated' | 'unchanged' | 'gone' | Failure

export type MetricsExport = {
  /** The metrics of a message as RDF: what is sent to a repository elsewhere. */
  readonly body: (
    message: RecordMessage,
  ) => Promise<{ readonly mediaType: string; readonly text: string }>
  /**
   * Into the repository of this process, many at once and without its door; absent where there is none. Rejects with
   * `Failure` when nothing of them could be written.
   */
  readonly own?: (
    messages: readonly RecordMessage[],
    signal: AbortSignal,
  ) => Promise<readonly MetricsLanded[]>
}
