/**
 * Groups the messages of both exporters into batches: a few are written in parallel, and a page is passed on when everything
 * before it is written, so that a run can resume from it.
 */

import { mapOrdered } from '../../pipe/map-ordered.ts'
import type { Message } from '../../pipe/message.ts'
import type { Pause } from '../../workers/pause.ts'
import { itemsAndTimeouts } from '../../workers/timed-stream.ts'

type BatchOptions<Item> = {
  /** Returns the item to write for a message, if any; handles all other messages itself. */
  readonly take: (message: Message) => Promise<Item | undefined>
  /** Key of an item; a batch contains each key at most once. */
  readonly key: (item: Item) => string
  /** Length of an item's text. */
  readonly characters: (item: Item) => number
  /** Number of items at which a batch is full. */
  readonly maxItems: number
  readonly pause: Pause
}

type Batch<Item> = {
  readonly items: readonly Item[]
  /** Page or end after the last item. */
  readonly message?: Message
}

/** Number of characters at which a batch is full. */
const mostCharacters = 2 ** 20
/** Maximum ms that an item waits for others, because the source may pause. */
const longestWaitMs = 1000

/**
 * Splits the stream into batches: a batch ends with a page, an end, a repeated key, at its maximum size, or a second after
 * its first item.
 */
export async function* batchesOf<Item>(
  input: AsyncIterable<Message>,
  { take, key, characters, maxItems, pause }: BatchOptions<Item>,
): AsyncGenerator<Batch<Item>> {
  const stopped = new AbortController()
  const onPaused = () => undefined
  let items = new Map<string, Item>()
  let size = 0
  let waited: Promise<undefined> | undefined
  const takeBatch = (message?: Message): Batch<Item> => {
    const batch = { items: [...items.values()], message }
    items = new Map()
    size = 0
    waited = undefined
    return batch
  }
  const timer = () =>
    items.size > 0
      ? (waited ??= pause(longestWaitMs, stopped.signal).then(onPaused, onPaused))
      : undefined
  try {
    for await (const message of itemsAndTimeouts(input, timer)) {
      const item = message && (await take(message))
      if (!message) yield takeBatch()
      else if (message.kind === 'page' || message.kind === 'end') yield takeBatch(message)
      else if (item !== undefined) {
        if (items.has(key(item))) yield takeBatch()
        items.set(key(item), item)
        size += characters(item)
        if (items.size >= maxItems || size >= mostCharacters) yield takeBatch()
      }
    }
    if (items.size > 0) yield takeBatch()
  } finally {
    stopped.abort()
  }
}

type BatchWriting<Item> = BatchOptions<Item> & {
  readonly write: (items: readonly Item[]) => Promise<void>
  /** Number of batches written in parallel. */
  readonly atOnce: number
}

/**
 * Writes the batches and yields pages and the end, each after everything before it. When it returns or throws, no batch is
 * being written any more.
 */
export async function* writeBatches<Item>(
  input: AsyncIterable<Message>,
  { write, atOnce, ...options }: BatchWriting<Item>,
): AsyncGenerator<Message> {
  const active = new Set<Promise<void>>()
  const work = async ({ items, message }: Batch<Item>) => {
    const written = items.length > 0 ? write(items) : Promise.resolve()
    active.add(written)
    await written.finally(() => active.delete(written))
    return message
  }
  try {
    for await (const message of mapOrdered(batchesOf(input, options), work, atOnce))
      if (message) yield message
  } finally {
    await Promise.allSettled(active)
  }
}
