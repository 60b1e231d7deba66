/** The queue of writes of every engine: a group commit that speaks of its failures as a search index does. */

import { Failure } from '../errors.ts'
import { Batcher } from '../workers/batcher.ts'

type QueueOptions<Batch> = {
  /** Changes that go out together; a larger batch goes alone. */
  readonly most: number
  /** Writes all batches; answers the error of each (`undefined` = written), and rejects when all of them have the same. */
  readonly commit: (batches: readonly Batch[]) => Promise<readonly unknown[]>
}

const closed = () =>
  new Failure('engine-unavailable', 'The search index is closed.', { retryAfter: 10 })

const abandoned = (reason: unknown): Failure =>
  reason instanceof Failure
    ? reason
    : new Failure('time-limit', 'the write was given up', { cause: reason })

/** Writes that share commits. `close` refuses further ones and resolves when those that were accepted are written. */
export type WriteQueue<Batch> = {
  readonly write: (batch: Batch, signal?: AbortSignal) => Promise<void>
  readonly close: () => Promise<void>
}

/** `write` resolves when the batch is written. A signal takes back a batch that waits; one that was sent is written. */
export function writeQueue<Batch extends { readonly length: number }>({
  most,
  commit,
}: QueueOptions<Batch>): WriteQueue<Batch> {
  const batcher = new Batcher<Batch, void>({
    mostWeight: most,
    weightOf: ({ length }) => length,
    closed,
    flush: async (batches) => {
      const errors = await commit(batches)
      return batches.map((_, at) =>
        errors[at] === undefined ? { value: undefined } : { error: errors[at] },
      )
    },
  })
  return {
    write: async (batch, signal) => {
      if (batch.length === 0) return
      await batcher.add(batch, signal).catch((error: unknown) => {
        throw signal?.aborted && error === signal.reason ? abandoned(error) : error
      })
    },
    close: () => batcher.close(),
  }
}
