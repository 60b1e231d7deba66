/** Which keys a spool has not, told from two megabytes of memory: most nodes that a dataset points to are not described. */

export type Presence = {
  readonly note: (hash: number) => void
  /** False is certain; true may be wrong. */
  readonly mayHave: (hash: number) => boolean
}

const bits = 2 ** 24

/** For hashes of `keyHash`; a document of a million nodes still gets nineteen of twenty absent ones right. */
export function presence(): Presence {
  const field = new Uint8Array(bits / 8)
  const place = (hash: number) => hash % bits
  return {
    note: (hash) => {
      const at = place(hash)
      field[at >> 3] = (field[at >> 3] ?? 0) | (1 << (at & 7))
    },
    mayHave: (hash) => {
      const at = place(hash)
      return ((field[at >> 3] ?? 0) & (1 << (at & 7))) !== 0
    },
  }
}
