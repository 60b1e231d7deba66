/** Long work on the main thread stops here every now and then, so that requests are answered meanwhile. */

import { setImmediate } from 'node:timers/promises'

/** A turn for others when it is due; costs nothing when it is not (there is nothing to wait for then). */
export type YieldWhenDue = () => Promise<void> | undefined

/** Due after `ms` of work by `now`, which counts milliseconds. */
export function yielding(now: () => number, ms = 10): YieldWhenDue {
  let last = now()
  const rest = async () => {
    await setImmediate()
    last = now()
  }
  return () => (now() - last < ms ? undefined : rest())
}

/** The items, with a turn for others after every `size` of them. */
export async function* inTurns<Item>(items: Iterable<Item>, size = 1): AsyncGenerator<Item> {
  let count = 0
  for (const item of items) {
    yield item
    count += 1
    if (count % size === 0) await setImmediate()
  }
}
