/** Queue of writes, for both engines: batches that wait at the same time are committed together. Its failures are those of a `SearchIndex`. */

import { Failure } from '../errors.ts'
import { Batcher } from '../workers/batcher.ts'

type QueueOptions<Batch> = {
  /** Changes in one commit; a larger batch is committed alone. */
  readonly mostChanges: number
  /** Writes all batches and returns the error of each (`undefined` = written). Rejects when all of them failed with the same error. */
  readonly commit: (batches: readonly Batch[]) => Promise<readonly unknown[]>
}

const closedFailure = () =>
  new Failure('engine-unavailable', 'The search index is closed.', { retryAfter: 10 })

const abortFailure = (reason: unknown): Failure =>
  reason instanceof Failure
    ? reason
    : new Failure('time-limit', 'the write was given up', { cause: reason })

/**
 * Queue of writes. `write` resolves when its batch is written; `close` refuses further batches and resolves when the accepted ones are
 * written.
 */
export type WriteQueue<Batch> = {
  readonly write: (batch: Batch, signal?: AbortSignal) => Promise<void>
  readonly close: () => Promise<void>
}

/** Makes a queue of writes. Aborting the signal of `write` withdraws a batch that waits; a batch that is being committed is written. */
export function writeQueue<Batch extends { readonly length: number }>({
  mostChanges,
  commit,
}: QueueOptions<Batch>): WriteQueue<Batch> {
  const batcher = new Batcher<Batch, void>({
    mostWeight: mostChanges,
    weightOf: ({ length }) => length,
    closed: closedFailure,
    flush: async (batches) => {
      const errors = await commit(batches)
      return batches.map((_, i) =>
        errors[i] === undefined ? { value: undefined } : { error: errors[i] },
      )
    },
  })
  return {
    write: async (batch, signal) => {
      if (batch.length === 0) return
      await batcher.add(batch, signal).catch((error: unknown) => {
        throw signal?.aborted && error === signal.reason ? abortFailure(error) : error
      })
    },
    close: () => batcher.close(),
  }
}
