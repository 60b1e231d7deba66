/** Lines that wait for their turn. */

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
  let lines: string[] = []
  let size = 0
  let isClosed = false
  let news = Promise.withResolvers<void>()
  const wake = () => {
    news.resolve()
    news = Promise.withResolvers()
  }
  return {
    add: (line) => {
      if (isClosed) return true
      size += line.length + 1
      if (size > most) return false
      lines.push(line)
      wake()
      return true
    },
    next: async () => {
      while (lines.length === 0 && !isClosed) await news.promise
      const line = lines.shift()
      size -= line === undefined ? 0 : line.length + 1
      return line
    },
    drop: () => {
      lines = []
      size = 0
    },
    close: () => {
      isClosed = true
      wake()
    },
  }
}
