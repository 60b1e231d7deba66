/** Items on their way to the file, few enough for any memory. */

import type { RunItem } from '../run.ts'

const mostItems = 1000
const mostCharacters = 4 * 1024 * 1024

export type WaitingItems = {
  /** Whether it is time to write. */
  add(item: RunItem): boolean
  all(): readonly RunItem[]
  clear(): void
}

export function waitingItems(): WaitingItems {
  let waiting: RunItem[] = []
  let characters = 0
  return {
    add(item) {
      waiting.push(item)
      characters += item.excerpt?.length ?? 0
      return waiting.length >= mostItems || characters >= mostCharacters
    },
    all: () => waiting,
    clear() {
      waiting = []
      characters = 0
    },
  }
}
