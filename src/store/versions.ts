/** Clock of versions: numbers that grow with every write, also across restarts and when the wall clock steps back. */

/** Source of version numbers. */
export type VersionClock = {
  /** Returns a number larger than every earlier one. */
  readonly next: () => number
  /** Raises the following numbers above `newest`. */
  readonly raise: (newest: number) => void
}

/**
 * Creates a version clock. `newest` is the largest version in the index and the pending marks. Numbers follow the wall clock
 * (ms × 1000), so that they are comparable between processes, but never decrease.
 */
export function versionClock(newest: number, now: () => number): VersionClock {
  let last = newest
  return {
    next: () => {
      last = Math.max(last + 1, now() * 1000)
      return last
    },
    raise: (version) => {
      last = Math.max(last, version)
    },
  }
}
