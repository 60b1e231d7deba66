/** How far something has come. */

import type { Io } from '../command.ts'
import type { Progress } from '../parts.ts'
import { number } from './rows.ts'

const width = 30
/** Milliseconds between two lines. */
const rhythmMs = 5000

/** `[#####.....] 50 %  5 of 10`; without a total only the number. */
export function bar(done: number, total: number | undefined): string {
  if (total === undefined || total <= 0) return `[${'-'.repeat(width)}] ${number(done)}`
  const share = Math.min(1, done / total)
  const full = Math.floor(share * width)
  const percent = String(Math.floor(share * 100)).padStart(3)
  return `[${'#'.repeat(full)}${'.'.repeat(width - full)}] ${percent} %  ${number(done)} of ${number(total)}`
}

/** Whether it is time for another line: the first after five seconds, then every five. */
export function rhythm(now: () => number): () => boolean {
  let told = now()
  return () => {
    if (now() - told < rhythmMs) return false
    told = now()
    return true
  }
}

export function telling({ tell }: Io, now: () => number): Progress {
  const isTime = rhythm(now)
  return (done, total) => {
    if (isTime()) tell(bar(done, total))
  }
}
