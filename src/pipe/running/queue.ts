/** Which run may start next. */

import type { RunStart } from '../runs/run.ts'

/** A run in the queue or on its way. */
export type Place = {
  readonly id: string
  /** Runs of one lane go one after the other. */
  readonly lane: string
  readonly isDry: boolean
  /** Does not wait for other runs of its lane. */
  readonly isBeside: boolean
  /** Milliseconds of the clock before which it does not start. */
  readonly notBefore?: number
}

export type Queue = {
  add(place: Place): void
  /** Takes a waiting run out; whether it was there. */
  remove(id: string): boolean
  /** The first waiting run that may start at this time, moved to the running ones. */
  next(now: number): Place | undefined
  ended(id: string): void
  /** A running one that rests does not count among those at once, until it goes on. */
  rest(id: string, isResting: boolean): void
  waiting(): readonly Place[]
  running(): readonly Place[]
}

export const placeOf = (id: string, start: RunStart): Place => ({
  id,
  lane: laneOf(start),
  isDry: start.dryRun,
  isBeside: start.dryRun || start.startMode === 'concurrent',
})

/** Runs of a pipe; of one that is fed, those about the same catalogue, and apart from them those about single datasets. */
export const laneOf = ({ pipe, feed }: Pick<RunStart, 'pipe' | 'feed'>): string =>
  feed ? JSON.stringify([pipe, feed.catalogue ?? null, feed.datasets !== undefined]) : pipe

/** In order of arrival, at most `atOnce` at once, and one per lane unless a run may go beside others. */
export function queue(atOnce: number): Queue {
  const waiting = new Map<string, Place>()
  const running = new Map<string, Place>()
  const resting = new Set<string>()
  const isFree = ({ lane, isBeside }: Place): boolean =>
    isBeside || ![...running.values()].some((one) => one.lane === lane && !one.isDry)
  return {
    add: (place) => void waiting.set(place.id, place),
    remove: (id) => waiting.delete(id),
    next(now) {
      if (running.size - resting.size >= atOnce) return undefined
      const isDue = ({ notBefore = 0 }: Place) => notBefore <= now
      const place = [...waiting.values()].find((one) => isDue(one) && isFree(one))
      if (!place) return undefined
      waiting.delete(place.id)
      running.set(place.id, place)
      return place
    },
    ended(id) {
      running.delete(id)
      resting.delete(id)
    },
    rest(id, isResting) {
      if (isResting && running.has(id)) resting.add(id)
      else resting.delete(id)
    },
    waiting: () => [...waiting.values()],
    running: () => [...running.values()],
  }
}
