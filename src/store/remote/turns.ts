/** Turns of writes: those that name a graph in common run one after the other, in the order of asking. */

import type { StoreEndpoint, Edit } from './dialect.ts'

export type Turns = {
  /** Runs `work` when all earlier work on any of the graphs has ended. */
  readonly take: <T>(graphs: Iterable<string>, work: () => Promise<T>) => Promise<T>
  /** Runs `work` beside other such work, but not beside what took the graph: after it when it came first, else before. */
  readonly share: <T>(graph: string, work: () => Promise<T>) => Promise<T>
}

const settled = async (all: readonly Promise<unknown>[]): Promise<void> => {
  await Promise.allSettled(all)
}

export function graphTurns(): Turns {
  const last = new Map<string, Promise<void>>()
  const shared = new Map<string, Promise<void>>()

  /** The end of what stands in a map last, which is forgotten then. */
  const keep = (ends: Map<string, Promise<void>>, name: string, end: Promise<void>) => {
    ends.set(name, end)
    const forget = () => ends.get(name) === end && ends.delete(name)
    void end.then(forget)
  }
  return {
    // All graphs are asked for in one step, so that no two works can wait for each other.
    take: <T>(graphs: Iterable<string>, work: () => Promise<T>): Promise<T> => {
      const names = [...new Set(graphs)]
      const earlier = [last, shared].flatMap((ends) =>
        names.flatMap((name) => ends.get(name) ?? []),
      )
      const result = earlier.length === 0 ? work() : settled(earlier).then(work)
      const end = settled([result])
      for (const name of names) keep(last, name, end)
      return result
    },
    share: (graph, work) => {
      const earlier = last.get(graph)
      const result = earlier ? earlier.then(work) : work()
      keep(shared, graph, settled([shared.get(graph) ?? Promise.resolve(), result]))
      return result
    },
  }
}

// Looks twice where a store may say for a moment, in the middle of a commit, that what is there is not.

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
