/** Remembers for a while which catalogue a dataset is in, so that a read of the dataset need not ask. */

import { together } from '../writing/together.ts'

export type Homes = {
  /** The id of the catalogue that a dataset is in. Those who ask while the store is being asked are answered together. */
  of(dataset: string): Promise<string | undefined>
  /** Tells of writes that have landed. */
  enter(dataset: string, catalogue: string): void
  leave(dataset: string): void
}

type Options = {
  /** Dataset → catalogue, both ids, as far as there are such datasets. */
  readonly find: (datasets: readonly string[]) => Promise<ReadonlyMap<string, string>>
  readonly now: () => number
  /** Milliseconds for which an answer is believed: others may write to the store behind our back. */
  readonly keptMs?: number
  readonly most?: number
}

type Home = { readonly catalogue: string; readonly since: number }

export function homes({ find, now, keptMs = 600_000, most = 50_000 }: Options): Homes {
  const known = new Map<string, Home>()
  let latest = ''
  const enter = (dataset: string, catalogue: string) => {
    known.delete(dataset)
    // Ids come as windows on the lines of a write, which would be kept with them: three times as much memory.
    if (latest !== catalogue) latest = copied(catalogue)
    known.set(copied(dataset), { catalogue: latest, since: Math.floor(now()) })
    // The oldest comes first.
    for (const [oldest] of known) {
      if (known.size <= most) break
      known.delete(oldest)
    }
  }
  const ask = together(async (datasets: readonly string[]) => {
    const found = await find([...new Set(datasets)])
    return datasets.map((dataset) => found.get(dataset))
  })
  return {
    of: async (dataset) => {
      const home = known.get(dataset)
      if (home && now() - home.since < keptMs) return home.catalogue
      const catalogue = await ask(dataset)
      if (catalogue !== undefined) enter(dataset, catalogue)
      return catalogue
    },
    enter,
    leave: (dataset) => void known.delete(dataset),
  }
}

const copied = (text: string): string => Buffer.from(text).toString()
