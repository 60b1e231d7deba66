/** Which catalogues are being deleted, so that nothing lands in one that goes or has gone meanwhile. */

export type Deletions = {
  /** Runs the work that deletes a catalogue. */
  readonly during: <T>(catalogue: string, work: () => Promise<T>) => Promise<T>
  /**
   * To be called before the catalogue is looked up; the answer is asked in the very turn of the write: true when a deletion
   * runs or has run since.
   */
  readonly watch: (catalogue: string) => () => boolean
}

export function deletions(): Deletions {
  const running = new Set<string>()
  const counts = new Map<string, number>()
  const count = (catalogue: string) => counts.get(catalogue) ?? 0
  return {
    during: async (catalogue, work) => {
      running.add(catalogue)
      counts.set(catalogue, count(catalogue) + 1)
      try {
        return await work()
      } finally {
        running.delete(catalogue)
      }
    },
    watch: (catalogue) => {
      const before = count(catalogue)
      return () => running.has(catalogue) || count(catalogue) !== before
    },
  }
}
