/** Long work on the main thread stops here every now and then, so that requests are answered meanwhile. */

/** Rounds of the event loop between two turns. Each round lets in one new connection, whatever else waits. */
const rounds = 8
/** UTF-16 units of a text that takes long to read or to write. */
const longText = 30_000

const waiting: (() => void)[] = []
let left = 0

function next(): void {
  if (left > 0) left -= 1
  else {
    left = rounds
    waiting.shift()?.()
  }
  if (waiting.length > 0) setImmediate(next)
}

/**
 * One of all works of the process that wait goes on, then others are heard for some rounds of the event loop, which take no time
 * when nobody came. `setImmediate` alone lets all of them go on in the same round, however many they are.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(next)
  })
}

/** The text; a long one in a turn of its own, because whoever asked for it works long with it. */
export async function inOwnTurn<Text extends string | undefined>(text: Text): Promise<Text> {
  if (text !== undefined && text.length > longText) await nextTurn()
  return text
}

/** A turn for others when it is due; costs nothing when it is not (there is nothing to wait for then). */
export type YieldWhenDue = () => Promise<void> | undefined

/** Due after `ms` of work by `now`, which counts milliseconds. */
export function yielding(now: () => number, ms = 10): YieldWhenDue {
  let last = now()
  const rest = async () => {
    await nextTurn()
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
    if (count % size === 0) await nextTurn()
  }
}
