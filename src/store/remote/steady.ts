/** Repeats queries without results on stores that, during a commit, may hide existing triples for a moment. */

import type { StoreEndpoint } from './dialect.ts'

type Calls = Pick<StoreEndpoint, 'ask' | 'select' | 'update'>

/**
 * Wraps updates and queries: a query without results is repeated once if an update ran meanwhile. Rows that appear early or late do
 * no harm, but an existing row that is missed would be taken as absent.
 */
export function repeatEmptyReads(endpoint: Calls): Calls {
  let [runningUpdates, endedUpdates] = [0, 0]

  async function readTwice<T>(read: () => Promise<T>, isEmpty: (answer: T) => boolean): Promise<T> {
    const before = endedUpdates
    const isBusy = runningUpdates > 0
    const answer = await read()
    const hadUpdate = isBusy || runningUpdates > 0 || endedUpdates > before
    return hadUpdate && isEmpty(answer) ? read() : answer
  }

  return {
    update: async (text) => {
      runningUpdates += 1
      try {
        await endpoint.update(text)
      } finally {
        runningUpdates -= 1
        endedUpdates += 1
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
