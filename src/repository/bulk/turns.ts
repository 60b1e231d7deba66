/** Lets only so many work at once; the others wait in the order in which they came. */

export type Turns = {
  /** Resolves when it is one's turn, with the way to end it (more than once does no harm); rejects with the signal's reason. */
  take(signal: AbortSignal): Promise<() => void>
}

export function turns(most: number): Turns {
  const waiting: (() => void)[] = []
  let free = most

  const end = () => {
    const next = waiting.shift()
    if (next) next()
    else free += 1
  }

  const turn = () => {
    let ended = false
    return () => {
      if (!ended) end()
      ended = true
    }
  }

  return {
    take: async (signal) => {
      signal.throwIfAborted()
      if (free > 0) {
        free -= 1
        return turn()
      }
      const mine = Promise.withResolvers<void>()
      const leave = () => {
        const place = waiting.indexOf(mine.resolve)
        if (place < 0) return
        waiting.splice(place, 1)
        mine.reject(signal.reason)
      }
      waiting.push(mine.resolve)
      signal.addEventListener('abort', leave, { once: true })
      try {
        await mine.promise
      } finally {
        signal.removeEventListener('abort', leave)
      }
      return turn()
    },
  }
}
