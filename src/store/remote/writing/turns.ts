/** Turns of writes: those that name a graph in common run one after the other, in the order of asking. */

export type Turns = {
  /** Runs `work` when all earlier work on any of the graphs has ended. */
  readonly take: <T>(graphs: Iterable<string>, work: () => Promise<T>) => Promise<T>
}

export function turns(): Turns {
  const last = new Map<string, Promise<unknown>>()
  return {
    // All graphs are asked for in one step, so that no two works can wait for each other.
    take: <T>(graphs: Iterable<string>, work: () => Promise<T>): Promise<T> => {
      const names = [...new Set(graphs)]
      const earlier = names.flatMap((name) => last.get(name) ?? [])
      const result = earlier.length === 0 ? work() : Promise.allSettled(earlier).then(work)
      const forget = () => {
        for (const name of names) if (last.get(name) === ended) last.delete(name)
      }
      const ended: Promise<void> = result.then(forget, forget)
      for (const name of names) last.set(name, ended)
      return result
    },
  }
}
