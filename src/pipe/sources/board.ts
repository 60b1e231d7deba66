/** What is known of pipes at present, and who wants to hear that it has changed. */

import type { Log } from '../../log.ts'
import { nothingFound, type Found } from './known.ts'

export type Board = {
  shown(): Found
  /** Replaces what is shown; tells listeners and the log what is new. */
  show(next: Found): void
  readonly onChange: (listener: () => void) => () => void
}

/** An empty board. */
export function board(log: Log): Board {
  let present: Found = nothingFound
  let face = JSON.stringify(present)
  let complaints = new Set<string>()
  const listeners = new Set<() => void>()
  return {
    shown: () => present,
    show: (next: Found) => {
      const nextFace = JSON.stringify(next)
      present = next
      if (nextFace === face) return
      face = nextFace
      complaints = told(log, next, complaints)
      log.info({ pipes: next.pipes.length, invalid: next.invalid.length }, 'pipes.changed')
      for (const listener of listeners) listener()
    },
    onChange: (listener: () => void) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}

/** Writes every complaint that was not there before. */
function told(log: Log, found: Found, before: ReadonlySet<string>): Set<string> {
  const now = new Set<string>()
  for (const { source, file, problems } of [...found.invalid, ...found.pipes]) {
    if (problems.length === 0) continue
    const line = JSON.stringify([source, file, problems])
    now.add(line)
    if (!before.has(line))
      log.warn({ source, file, problems: problems.slice(0, 10) }, 'pipe.invalid')
  }
  return now
}
