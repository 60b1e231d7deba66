/** Remembers for a moment which catalogue a dataset is in, so that a read of the dataset need not ask. */

export type Homes = {
  /** The catalogue of a dataset: the one that is remembered, or what `find` answers. */
  of(dataset: string, find: () => Promise<string | undefined>): Promise<string | undefined>
  /** Tells of writes that have landed. */
  enter(dataset: string, catalogue: string): void
  leave(dataset: string): void
}

type Limits = {
  readonly now: () => number
  /** Milliseconds for which an answer is believed: others may write to the store behind our back. */
  readonly keptMs?: number
  readonly most?: number
}

type Home = { readonly catalogue: string; readonly since: number }

export function homes({ now, keptMs = 30_000, most = 20_000 }: Limits): Homes {
  const known = new Map<string, Home>()
  const enter = (dataset: string, catalogue: string) => {
    known.delete(dataset)
    known.set(dataset, { catalogue, since: now() })
    // The oldest comes first.
    for (const [oldest] of known) {
      if (known.size <= most) break
      known.delete(oldest)
    }
  }
  return {
    of: async (dataset, find) => {
      const home = known.get(dataset)
      if (home && now() - home.since < keptMs) return home.catalogue
      const catalogue = await find()
      if (catalogue !== undefined) enter(dataset, catalogue)
      return catalogue
    },
    enter,
    leave: (dataset) => void known.delete(dataset),
  }
}
