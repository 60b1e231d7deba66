/** One line on a terminal that says how far an import is. */
import type { Progress } from './dump.ts'

export type Terminal = {
  readonly isTTY?: boolean
  readonly write: (text: string) => unknown
}

const everyMs = 200

/** Draws at most five times a second, and nothing at all where nobody watches. `clear` takes the line away. */
export function progressLine(terminal: Terminal, now: () => number) {
  let drawn = Number.NEGATIVE_INFINITY
  let phase = ''
  let since = 0
  return {
    show: (state: Progress): void => {
      if (terminal.isTTY !== true) return
      const at = now()
      if (state.phase !== phase) {
        phase = state.phase
        since = at
      } else if (at - drawn < everyMs) return
      drawn = at
      terminal.write(`\r${lineOf(state, (at - since) / 1000)}\u001b[K`)
    },
    clear: (): void => {
      if (terminal.isTTY === true && phase !== '') terminal.write('\r\u001b[K')
    },
  }
}

/** The line for a state that began so many seconds ago: bar, count, rate, and the time to go when it can be told. */
export function lineOf({ phase, done, total }: Progress, seconds: number): string {
  const rate = seconds > 0 ? done / seconds : 0
  const count = phase === 'reading' ? megabytes(done) : `${done}`
  const pace = phase === 'reading' ? `${megabytes(rate)}/s` : `${Math.round(rate)} datasets/s`
  if (total === undefined || total === 0) return `${phase} ${count} (${pace})`
  const share = Math.min(1, done / total)
  const bar = '█'.repeat(Math.round(share * 20)).padEnd(20, '░')
  const whole = phase === 'reading' ? megabytes(total) : `${total}`
  const left = rate > 0 ? `, ${duration((total - done) / rate)} to go` : ''
  return `${phase} ${bar} ${Math.floor(share * 100)} % ${count} of ${whole} (${pace}${left})`
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`

function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const minutes = Math.floor(whole / 60)
  return minutes > 0 ? `${minutes} min ${whole % 60} s` : `${whole} s`
}
