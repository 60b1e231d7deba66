/** The clock of versions: numbers that grow with every write, also over restarts and when the wall clock steps back. */

export type VersionClock = {
  /** A number larger than every earlier one. */
  readonly next: () => number
  /** A version that became known late: the next ones are larger. */
  readonly raise: (newest: number) => void
}

/**
 * `newest` is the largest version known to the index and to the pending marks. Numbers follow the wall clock (ms × 1000),
 * so that they stay comparable between processes, but never fall behind what was given out.
 */
export function versions(newest: number, now: () => number): VersionClock {
  let last = newest
  return {
    next: () => {
      last = Math.max(last + 1, now() * 1000)
      return last
    },
    raise: (known) => {
      last = Math.max(last, known)
    },
  }
}
