/** Text on its way from a command to its reader. */

import { bell } from './bell.ts'

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

type Hold = { readonly waiting: string[]; state: 'open' | 'ended' | 'left' }

/** Holds at most so many pieces. */
export function channel(most = 32): Channel {
  const hold: Hold = { waiting: [], state: 'open' }
  const [news, room] = [bell(), bell()]
  const add = (text: string) => {
    hold.waiting.push(text)
    news.ring()
  }
  const leave = () => {
    hold.state = 'left'
    hold.waiting.length = 0
    room.ring()
    news.ring()
  }
  return {
    push: async (text) => {
      while (hold.state === 'open' && hold.waiting.length >= most) await room.rung()
      if (hold.state === 'open') add(text)
    },
    offer: (text) => {
      if (hold.state === 'open' && hold.waiting.length < most / 4) add(text)
    },
    end: () => {
      if (hold.state === 'open') hold.state = 'ended'
      news.ring()
    },
    leave,
    pieces: async function* pieces() {
      try {
        for (;;) {
          const text = hold.waiting.shift()
          room.ring()
          if (text !== undefined) yield text
          else if (hold.state === 'open') await news.rung()
          else return
        }
      } finally {
        leave()
      }
    },
  }
}
