/** Questions that are asked again where a store may say for a moment, in the middle of a commit, that what is there is not. */

import type { StoreEndpoint, Edit } from './dialect.ts'

type Land = (edits: readonly Edit[]) => Promise<void>

type Steady = Pick<StoreEndpoint, 'ask' | 'select'> & { readonly land: Land }

/**
 * `land`, and questions whose answer is nothing: when something was landing meanwhile, they are asked again. A row that is
 * there too early or too late is seen with the next question; one that seems to be gone would be missed for good.
 */
export function steady(endpoint: Pick<StoreEndpoint, 'ask' | 'select'>, land: Land): Steady {
  let [running, ended] = [0, 0]

  async function twice<T>(look: () => Promise<T>, isNothing: (answer: T) => boolean): Promise<T> {
    const before = ended
    const isBusy = running > 0
    const answer = await look()
    const isMoved = isBusy || running > 0 || ended > before
    return isMoved && isNothing(answer) ? look() : answer
  }

  return {
    land: async (edits) => {
      running += 1
      try {
        await land(edits)
      } finally {
        running -= 1
        ended += 1
      }
    },
    ask: (query, signal) =>
      twice(
        () => endpoint.ask(query, signal),
        (is) => !is,
      ),
    select: (query, signal) =>
      twice(
        () => endpoint.select(query, signal),
        ({ length }) => length === 0,
      ),
  }
}
