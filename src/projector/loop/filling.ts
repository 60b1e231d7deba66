/** Keeps resources apart that are projected only to fill an index. */

import type { IndexChange, SearchIndex } from '../../indices/search-index.ts'
import type { Pending } from './queue.ts'

/** Calls `project` for what was written and for what only fills, each with the index that it writes to. */
export async function apart(
  index: SearchIndex,
  pending: readonly Pending[],
  project: (part: readonly Pending[], index: SearchIndex) => Promise<void>,
): Promise<void> {
  const filling = pending.filter((one) => one.filling)
  const written = pending.filter((one) => !one.filling)
  if (written.length > 0) await project(written, index)
  if (filling.length > 0) await project(filling, onlyFilling(index))
}

/** What is gone was removed by a write of its own, or is not in what is being filled. */
const onlyFilling = (index: SearchIndex): SearchIndex => ({
  ...index,
  write: (changes, signal) => {
    const puts = changes.flatMap((change): IndexChange[] =>
      'put' in change ? [{ ...change, filling: true }] : [],
    )
    return puts.length === 0 ? Promise.resolve() : index.write(puts, signal)
  },
})
