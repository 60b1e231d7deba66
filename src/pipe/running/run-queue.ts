/** Which run may start next: in order of arrival, at most so many at once, and one per lane unless a run may go beside others. */

import type { RunStart } from '../runs/run.ts'

/** A run that waits or is executed. */
type QueueEntry = {
  readonly id: string
  /** Runs of one lane go one after the other. */
  readonly lane: string
  readonly isDry: boolean
  /** Does not wait for other runs of its lane. */
  readonly isConcurrent: boolean
  /** Milliseconds of the clock before which it does not start. */
  readonly notBefore?: number
}

export const queueEntry = (id: string, start: RunStart): QueueEntry => ({
  id,
  lane: laneOf(start),
  isDry: start.dryRun,
  isConcurrent: start.dryRun || start.startMode === 'concurrent',
})

/** Runs of a pipe; of one that is fed, those about the same catalogue, and apart from them those about single datasets. */
export const laneOf = ({ pipe, feed }: Pick<RunStart, 'pipe' | 'feed'>): string =>
  feed ? JSON.stringify([pipe, feed.catalogue ?? null, feed.datasets !== undefined]) : pipe

export class RunQueue {
  readonly #atOnce: number
  readonly #waiting = new Map<string, QueueEntry>()
  readonly #running = new Map<string, QueueEntry>()
  readonly #resting = new Set<string>()

  constructor(atOnce: number) {
    this.#atOnce = atOnce
  }

  add(entry: QueueEntry): void {
    this.#waiting.set(entry.id, entry)
  }

  /** Takes a waiting run out; whether it was there. */
  remove(id: string): boolean {
    return this.#waiting.delete(id)
  }

  /** The first waiting run that may start at this time, moved to the running ones. */
  next(now: number): QueueEntry | undefined {
    if (this.#running.size - this.#resting.size >= this.#atOnce) return undefined
    const entry = this.waiting().find((one) => (one.notBefore ?? 0) <= now && this.#isFree(one))
    if (!entry) return undefined
    this.#waiting.delete(entry.id)
    this.#running.set(entry.id, entry)
    return entry
  }

  ended(id: string): void {
    this.#running.delete(id)
    this.#resting.delete(id)
  }

  /** A running one that rests does not count among those at once, until it goes on. */
  rest(id: string, isResting: boolean): void {
    if (isResting && this.#running.has(id)) this.#resting.add(id)
    else this.#resting.delete(id)
  }

  waiting(): readonly QueueEntry[] {
    return [...this.#waiting.values()]
  }

  running(): readonly QueueEntry[] {
    return [...this.#running.values()]
  }

  #isFree({ lane, isConcurrent }: QueueEntry): boolean {
    return isConcurrent || !this.running().some((one) => one.lane === lane && !one.isDry)
  }
}
