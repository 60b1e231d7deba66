/** Waiting for news without asking for them again and again. */

export type Bell = {
  /** Wakes everybody who waits. */
  readonly ring: () => void
  /** The next ring. */
  readonly rung: () => Promise<void>
}

export function bell(): Bell {
  let next = Promise.withResolvers<void>()
  return {
    ring: () => {
      next.resolve()
      next = Promise.withResolvers()
    },
    rung: () => next.promise,
  }
}
