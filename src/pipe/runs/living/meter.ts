/** The moving numbers of one run. */

import { countNames, type Counts, type ItemState, type Run } from '../run.ts'

export type Meter = {
  count(name: keyof Counts, more: number): void
  state(state: ItemState): void
  page(bytes: number, at: number): void
  item(at: number): void
  total(total: number): void
  counts(): Counts
  progress(): Run['progress']
}

export const noCounts = (): Record<keyof Counts, number> => ({
  offered: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  skipped: 0,
  failed: 0,
  refused: 0,
  duplicate: 0,
  removed: 0,
  held: 0,
  adopted: 0,
  findings: 0,
})

export const noProgress: Run['progress'] = { pages: 0, bytes: 0 }

/** Goes on from what was kept. */
export function meter(kept: Pick<Run, 'counts' | 'progress'>): Meter {
  const counts: Record<keyof Counts, number> = { ...kept.counts }
  let progress = kept.progress
  let lastItem = 0
  return {
    count: (name, more) => {
      counts[name] += more
    },
    state: (state) => {
      if (isCounted(state)) counts[state] += 1
    },
    page: (bytes, at) => {
      progress = {
        ...progress,
        pages: progress.pages + 1,
        bytes: progress.bytes + bytes,
        lastPage: timeOf(at),
      }
    },
    item: (at) => {
      lastItem = at
    },
    total: (total) => {
      progress = { ...progress, total }
    },
    counts: () => ({ ...counts }),
    progress: () => ({ ...progress, ...(lastItem > 0 && { lastItem: timeOf(lastItem) }) }),
  }
}

export const timeOf = (at: number): string => new Date(at).toISOString()

const isCounted = (state: ItemState): state is Exclude<ItemState, 'restored'> =>
  countNames.some((name) => name === state)
