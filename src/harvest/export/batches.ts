/**
 * The stream of an export in batches: a few are written at once, and a page comes out when everything before it is written, so
 * that a run may be resumed from there.
 */

import { inOrder } from '../../pipe/ahead.ts'
import type { Message } from '../../pipe/message.ts'
import type { Pause } from '../../workers/retry.ts'

export type RecordBatch<Item> = {
  readonly items: readonly Item[]
  /** Pages and ends after the last item. */
  readonly messages: readonly Message[]
}

export type BatchOptions<Item> = {
  /** What is to be written of a message; deals with everything else itself. */
  readonly take: (message: Message) => Promise<Item | undefined>
  /** Two of the same key are not in one batch. */
  readonly key: (item: Item) => string
  readonly characters: (item: Item) => number
  readonly most: number
  readonly pause: Pause
}

const mostCharacters = 2 * 2 ** 20
/** Items wait for others to be written with them no longer than that: the source may pause. */
const longestWaitMs = 1000

/** A page, an end, an item that comes again and a full batch close one, and so does a second in which nothing comes. */
export async function* batches<Item>(
  input: AsyncIterable<Message>,
  { take, key, characters, most, pause }: BatchOptions<Item>,
): AsyncGenerator<RecordBatch<Item>> {
  let items = new Map<string, Item>()
  let size = 0
  const closed = (messages: readonly Message[] = []): RecordBatch<Item> => {
    const batch = { items: [...items.values()], messages }
    items = new Map()
    size = 0
    return batch
  }
  for await (const message of orPause(input, () => items.size > 0, pause)) {
    const item = message && (await take(message))
    if (!message) yield closed()
    else if (message.kind === 'page' || message.kind === 'end') yield closed([message])
    else if (item !== undefined) {
      if (items.has(key(item))) yield closed()
      items.set(key(item), item)
      size += characters(item)
      if (items.size >= most || size >= mostCharacters) yield closed()
    }
  }
  if (items.size > 0) yield closed()
}

/** The values, and nothing when something waits and a second has gone by since the first of it came. */
async function* orPause<Value>(
  input: AsyncIterable<Value>,
  isWaiting: () => boolean,
  pause: Pause,
): AsyncGenerator<Value | undefined> {
  const iterator = input[Symbol.asyncIterator]()
  const over = new AbortController()
  let due: Promise<undefined> | undefined
  let next = iterator.next()
  try {
    for (;;) {
      const end = () => undefined
      due = isWaiting() ? (due ?? pause(longestWaitMs, over.signal).then(end, end)) : undefined
      const first = due ? await Promise.race([next, due]) : await next
      if (!first) {
        due = undefined
        yield undefined
      } else {
        if (first.done === true) return
        yield first.value
        next = iterator.next()
      }
    }
  } finally {
    over.abort()
    next.catch(() => undefined)
    await iterator.return?.()
  }
}

type Writing<Item> = BatchOptions<Item> & {
  readonly write: (items: readonly Item[]) => Promise<void>
  /** Batches that are written at the same time. */
  readonly atOnce: number
}

/** The pages and the end, each when all before it was written. No batch is being written any more when it returns or throws. */
export async function* inBatches<Item>(
  input: AsyncIterable<Message>,
  { write, atOnce, ...options }: Writing<Item>,
): AsyncGenerator<Message> {
  const active = new Set<Promise<void>>()
  const work = async ({ items, messages }: RecordBatch<Item>) => {
    const done = items.length > 0 ? write(items) : Promise.resolve()
    active.add(done)
    await done.finally(() => active.delete(done))
    return messages
  }
  try {
    for await (const messages of inOrder(batches(input, options), work, atOnce)) yield* messages
  } finally {
    await Promise.allSettled(active)
  }
}

/** Works on all items, so many at the same time. Rejects with the first failure, when no work is under way any more. */
export async function inParallel<Item>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
  atOnce: number,
): Promise<void> {
  const waiting = Iterator.from(items)
  const failures: unknown[] = []
  const lane = async () => {
    for (const item of waiting) {
      if (failures.length > 0) return
      await work(item)
    }
  }
  const lanes = Array.from({ length: atOnce }, () =>
    lane().catch((error: unknown) => void failures.push(error)),
  )
  await Promise.all(lanes)
  if (failures.length > 0) throw failures[0]
}
