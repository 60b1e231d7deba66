/** Keeps resources apart that are projected only to fill an index. */

import type { IndexChange, SearchIndex } from '../../search-index/search-index.ts'
import type { Write } from './attempt.ts'
import type { Pending } from './queue.ts'

/** Gathers what was written and what only fills, each for the index that it is written to. */
export async function apart(
  index: SearchIndex,
  pending: readonly Pending[],
  gather: (part: readonly Pending[], index: SearchIndex) => Promise<Write>,
): Promise<Write> {
  const filling = pending.filter((one) => one.filling)
  const written = pending.filter((one) => !one.filling)
  const writes: Write[] = []
  if (written.length > 0) writes.push(await gather(written, index))
  if (filling.length > 0) writes.push(await gather(filling, onlyFilling(index)))
  return async () => {
    for (const write of writes) await write()
  }
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
