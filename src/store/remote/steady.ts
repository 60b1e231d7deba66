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
  let [runningCommits, endedCommits] = [0, 0]

  async function readTwice<T>(read: () => Promise<T>, isEmpty: (answer: T) => boolean): Promise<T> {
    const before = endedCommits
    const isBusy = runningCommits > 0
    const answer = await read()
    const hadCommit = isBusy || runningCommits > 0 || endedCommits > before
    return hadCommit && isEmpty(answer) ? read() : answer
  }

  return {
    commit: async (edits) => {
      runningCommits += 1
      try {
        await commit(edits)
      } finally {
        runningCommits -= 1
        endedCommits += 1
      }
    },
    ask: (query, signal) =>
      readTwice(
        () => endpoint.ask(query, signal),
        (holds) => !holds,
      ),
    select: (query, signal) =>
      readTwice(
        () => endpoint.select(query, signal),
        ({ length }) => length === 0,
      ),
  }
}
