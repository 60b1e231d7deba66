/** Which catalogues are being deleted, so that nothing lands in one that goes or has gone meanwhile. */

export type Deletions = {
  /** Runs work that deletes a catalogue; several such works may overlap. */
  readonly during: <T>(catalogue: string, work: () => Promise<T>) => Promise<T>
  /**
   * To be called before the catalogue is looked up; the answer is asked in the very turn of the write: true when a deletion
   * runs or has run since.
   */
  readonly watch: (catalogue: string) => () => boolean
}

export function deletions(): Deletions {
  const running = new Map<string, number>()
  const counts = new Map<string, number>()
  const add = (to: Map<string, number>, catalogue: string, more: number) => {
    const sum = (to.get(catalogue) ?? 0) + more
    if (sum === 0) to.delete(catalogue)
    else to.set(catalogue, sum)
  }
  return {
    during: async (catalogue, work) => {
      add(running, catalogue, 1)
      add(counts, catalogue, 1)
      try {
        return await work()
      } finally {
        add(running, catalogue, -1)
      }
    },
    watch: (catalogue) => {
      const before = counts.get(catalogue)
      return () => running.has(catalogue) || counts.get(catalogue) !== before
    },
  }
}
