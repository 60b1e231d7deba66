/** Text on its way from a command to its reader. */

export type Channel = {
  /** Resolves when the reader is near enough to take more, or has left. */
  readonly push: (text: string) => Promise<void>
  /** Left out when the reader is behind. */
  readonly offer: (text: string) => void
  /** Everything was pushed. */
  readonly end: () => void
  /** The reader is gone: nothing is kept any more, and nobody waits. */
  readonly leave: () => void
  /** To be read once. */
  readonly pieces: () => AsyncGenerator<string>
}

/** Holds at most so many pieces. */
export function channel(most = 32): Channel {
  const waiting: string[] = []
  let state: 'open' | 'ended' | 'left' = 'open'
  let news = Promise.withResolvers<void>()
  let room = Promise.withResolvers<void>()
  const wake = () => {
    news.resolve()
    news = Promise.withResolvers()
  }
  const make = () => {
    room.resolve()
    room = Promise.withResolvers()
  }
  const add = (text: string) => {
    waiting.push(text)
    wake()
  }
  const leave = () => {
    state = 'left'
    waiting.length = 0
    make()
    wake()
  }
  return {
    push: async (text) => {
      while (state === 'open' && waiting.length >= most) await room.promise
      if (state === 'open') add(text)
    },
    offer: (text) => {
      if (state === 'open' && waiting.length === 0) add(text)
    },
    end: () => {
      if (state === 'open') state = 'ended'
      wake()
    },
    leave,
    pieces: async function* pieces() {
      try {
        for (;;) {
          const text = waiting.shift()
          make()
          if (text !== undefined) yield text
          else if (state === 'open') await news.promise
          else return
        }
      } finally {
        leave()
      }
    },
  }
}
