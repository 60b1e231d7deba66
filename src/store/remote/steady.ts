/** Repeats queries without results on stores that, during a commit, may hide existing triples for a moment. */

import type { StoreEndpoint, Edit } from './dialect.ts'

type Commit = (edits: readonly Edit[]) => Promise<void>

type RepeatedReads = Pick<StoreEndpoint, 'ask' | 'select'> & { readonly commit: Commit }

/**
 * Wraps `commit` and queries: a query without results is repeated once if a commit ran meanwhile. Rows that appear early or late do no
 * harm, but an existing row that is missed would be taken as absent.
 */
export function repeatEmptyReads(
  endpoint: Pick<StoreEndpoint, 'ask' | 'select'>,
  commit: Commit,
): RepeatedReads {
  let [running, ended] = [0, 0]

  async function readTwice<T>(
    look: () => Promise<T>,
    isNothing: (answer: T) => boolean,
  ): Promise<T> {
    const before = ended
    const isBusy = running > 0
    const answer = await look()
    const isMoved = isBusy || running > 0 || ended > before
    return isMoved && isNothing(answer) ? look() : answer
  }

  return {
    commit: async (edits) => {
      running += 1
      try {
        await commit(edits)
      } finally {
        running -= 1
        ended += 1
      }
    },
    ask: (query, signal) =>
      readTwice(
        () => endpoint.ask(query, signal),
        (is) => !is,
      ),
    select: (query, signal) =>
      readTwice(
        () => endpoint.select(query, signal),
        ({ length }) => length === 0,
      ),
  }
}
