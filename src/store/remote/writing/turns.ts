/** Turns of writes: those that name a graph in common run one after the other, in the order of asking. */

export type Turns = {
  /** Runs `work` when all earlier work on any of the graphs has ended. */
  readonly take: <T>(graphs: Iterable<string>, work: () => Promise<T>) => Promise<T>
  /** Runs `work` beside other such work, but not beside what took the graph: after it when it came first, else before. */
  readonly share: <T>(graph: string, work: () => Promise<T>) => Promise<T>
}

const settled = async (all: readonly Promise<unknown>[]): Promise<void> => {
  await Promise.allSettled(all)
}

export function turns(): Turns {
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
