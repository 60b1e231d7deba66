/** A text of lines that is written once and read often: on disk, or in memory where it is small. */

import type { Scratch } from '../../store/line-spool.ts'

export type Text = Pick<Scratch, 'append' | 'chunks' | 'close'>

export function memoryText(): Text {
  const parts: string[] = []
  return {
    append: (lines) => {
      if (lines !== '') parts.push(lines)
    },
    *chunks() {
      yield* parts
    },
    close: () => {
      parts.length = 0
    },
  }
}
