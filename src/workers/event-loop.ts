/** Lets long work on the main thread yield to the event loop, so that requests are answered meanwhile. */

/** Rounds of the event loop between two turns of long work. In each round Node accepts at least one new connection. */
const rounds = 8
/** UTF-16 units from which a text takes long to parse or to write. */
const longText = 30_000

const waiting: (() => void)[] = []
let remainingRounds = 0

function next(): void {
  if (remainingRounds > 0) remainingRounds -= 1
  else {
    remainingRounds = rounds
    waiting.shift()?.()
  }
  if (waiting.length > 0) setImmediate(next)
}

/**
 * Resolves when it is this caller's turn: one of all waiting callers continues, then the event loop handles requests for some
 * rounds, which take no time when there are none. `setImmediate` alone would let all callers continue in the same round.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(next)
  })
}

/** Returns the text; a long one after `nextTurn`, because the caller works long with it. */
export async function inOwnTurn<Text extends string | undefined>(text: Text): Promise<Text> {
  if (text !== undefined && text.length > longText) await nextTurn()
  return text
}

/** Yields to other work when that is due; returns `undefined` at once when it is not. */
export type YieldWhenDue = () => Promise<void> | undefined

/** Creates a function that yields after every `ms` milliseconds of work; `now` returns milliseconds. */
export function yielding(now: () => number, ms = 10): YieldWhenDue {
  let lastYieldMs = now()
  const yieldNow = async () => {
    await nextTurn()
    lastYieldMs = now()
  }
  return () => (now() - lastYieldMs < ms ? undefined : yieldNow())
}

/** Yields the items, with `nextTurn` after every `size` of them. */
export async function* inTurns<Item>(items: Iterable<Item>, size = 1): AsyncGenerator<Item> {
  let count = 0
  for (const item of items) {
    yield item
    count += 1
    if (count % size === 0) await nextTurn()
  }
}
