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

// Keeps reads and writes of ours apart in time where the store would let them wait for each other in a circle.

type Side = 'reads' | 'writes'

type Apart = {
  /** Runs beside other work of its side, and not beside the other side as long as that takes no longer than `patienceMs`. */
  readonly run: <T>(side: Side, work: () => Promise<T>) => Promise<T>
}

type Waiting = { readonly side: Side; readonly start: () => void }

type Settings = {
  readonly pause: (ms: number) => Promise<void>
  /** A read that takes longer than this does not hold up writes, and the other way round. */
  readonly patienceMs?: number
}

/**
 * Turns: what waits starts when nothing of the other side runs any more, those who came first first. Without it a store with
 * locks on what is read finds deadlocks between a look-up and the write beside it, and each costs it 200 ms and more.
 */
export function readsApartFromWrites({ pause, patienceMs = 250 }: Settings): Apart {
  const running = { reads: 0, writes: 0 }
  const waiting: Waiting[] = []
  const other = (side: Side): Side => (side === 'reads' ? 'writes' : 'reads')

  const startNext = () => {
    const first = waiting[0]
    if (!first || running[other(first.side)] > 0) return
    // All of its side that stand in front; those behind somebody of the other side wait for their turn.
    while (waiting[0]?.side === first.side) waiting.shift()?.start()
  }

  const turn = async (side: Side): Promise<void> => {
    if (waiting.length === 0 && running[other(side)] === 0) {
      running[side] += 1
      return
    }
    const started = Promise.withResolvers<void>()
    let isStarted = false
    const start = () => {
      isStarted = true
      running[side] += 1
      started.resolve()
    }
    const one = { side, start }
    waiting.push(one)
    await Promise.race([started.promise, pause(patienceMs)])
    if (isStarted) return
    waiting.splice(waiting.indexOf(one), 1)
    start()
    startNext()
  }

  return {
    run: async (side, work) => {
      await turn(side)
      try {
        return await work()
      } finally {
        running[side] -= 1
        startNext()
      }
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
