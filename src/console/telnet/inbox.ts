/** Lines that wait for their turn. */

import { bell } from '../execution/bell.ts'

export type Inbox = {
  /** False when there is no room. */
  readonly add: (line: string) => boolean
  /** The next line; undefined when there is none and none will come. */
  readonly next: () => Promise<string | undefined>
  readonly drop: () => void
  /** No more lines; those that wait are still given. */
  readonly close: () => void
}

/** Holds so many characters at most, a line counts as one more than it has. */
export function inbox(most = 65_536): Inbox {
  const hold: { lines: string[]; size: number; isClosed: boolean } = {
    lines: [],
    size: 0,
    isClosed: false,
  }
  const news = bell()
  return {
    add: (line) => {
      if (hold.isClosed) return true
      hold.size += line.length + 1
      if (hold.size > most) return false
      hold.lines.push(line)
      news.ring()
      return true
    },
    next: async () => {
      while (hold.lines.length === 0 && !hold.isClosed) await news.rung()
      const line = hold.lines.shift()
      hold.size -= line === undefined ? 0 : line.length + 1
      return line
    },
    drop: () => {
      hold.lines = []
      hold.size = 0
    },
    close: () => {
      hold.isClosed = true
      news.ring()
    },
  }
}
