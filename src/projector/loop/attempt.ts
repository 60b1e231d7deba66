/** Projecting what was taken from the queue, all of it or as much as can be done. */

import { Failure } from '../../errors.ts'
import type { Pending } from './queue.ts'

export type Attempt = {
  readonly done: readonly Pending[]
  readonly failed: readonly Pending[]
  /** Of the last failure. */
  readonly error: unknown
}

/** Builds what resources become in the index; the answer writes it there. */
export type Gather = (batch: readonly Pending[], signal: AbortSignal) => Promise<Write>
export type Write = () => Promise<void>

/** Records that fail one after the other before the rest of a batch is left for later. */
const enough = 3

/** Whether the search engine cannot be reached, whatever the records are. */
export const isAway = (error: unknown): boolean =>
  error instanceof Failure && error.kind === 'engine-unavailable'

/** A batch as a whole; when that fails one by one, so that one bad record does not hold up its neighbours. */
export async function attempted(
  taken: readonly Pending[],
  write: Write,
  again: (one: Pending) => Promise<void>,
): Promise<Attempt> {
  try {
    await write()
    return { done: taken, failed: [], error: undefined }
  } catch (whole) {
    const done: Pending[] = []
    const failed: Pending[] = []
    let error = whole
    for (const one of taken.length > 1 && !isAway(whole) ? taken : []) {
      // When the first few all fail it is not the records.
      if (done.length === 0 && failed.length >= enough) break
      try {
        await again(one)
        done.push(one)
      } catch (single) {
        failed.push(one)
        error = single
      }
    }
    return { done, failed: taken.filter((one) => !done.includes(one)), error }
  }
}
