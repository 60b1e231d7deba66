/** Long work on the main thread, so that requests are answered meanwhile. */

import { setImmediate } from 'node:timers/promises'

/** Waits only when the work has gone on for a while. */
export type Turn = () => Promise<void>

/** Milliseconds of work before others have a turn; `now` counts milliseconds. */
export function turns(now: () => number, ms = 8): Turn {
  let last = now()
  return async () => {
    if (now() - last < ms) return
    await setImmediate()
    last = now()
  }
}
