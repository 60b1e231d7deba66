/** Lets others have a turn: long work on the main thread stops here every now and then. */

import { setImmediate } from 'node:timers/promises'

export type Pause = () => Promise<void> | undefined

/** A pause that costs something only when more than `ms` of `now` have gone by since the last one. */
export function pauses(now: () => number, ms = 15): Pause {
  let last = now()
  const rest = async () => {
    await setImmediate()
    last = now()
  }
  return () => (now() - last < ms ? undefined : rest())
}
