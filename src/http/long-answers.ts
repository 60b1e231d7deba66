/**
 * Limits of concurrent work for each client, and answers that can be long (dumps, long lists, feeds, sitemaps, reports):
 * few at a time, made in pieces while they are sent, as fast as the client takes them, and in turns on the main thread.
 */

import { Failure } from '../errors.ts'
import type { Log } from '../log.ts'
import { BoundedCache } from '../workers/bounded-cache.ts'
import { nextTurn } from '../workers/event-loop.ts'
import { Semaphore } from '../workers/semaphore.ts'
import type { AppContext, LongAnswers } from './context.ts'
import type { Limits } from './limits.ts'
import { machineOf } from './peer.ts'

/** Counts by client; a client without any takes no memory. */
export function clientCounts() {
  const counts = new Map<string, number>()
  const of = (client: string): number => counts.get(client) ?? 0
  const add = (client: string, by: 1 | -1): void => {
    const next = of(client) + by
    if (next > 0) counts.set(client, next)
    else counts.delete(client)
  }
  return { of, add }
}

type SlotOptions = {
  /** Slots per client. */
  readonly atOnce: number
  /** Configuration key named in the refusal, such as `writesPerKey`. */
  readonly limit: string
}

/** `run` does the work if the client has a free slot, else throws `too-many-requests` (429). */
export function slots({ atOnce, limit }: SlotOptions) {
  const busy = clientCounts()
  return {
    run: async <T>(client: string, work: () => Promise<T>): Promise<T> => {
      if (busy.of(client) >= atOnce) {
        const detail = `at most ${atOnce} at once (limit ${limit}); wait for one to finish`
        throw new Failure('too-many-requests', detail, { retryAfter: 1 })
      }
      busy.add(client, 1)
      try {
        return await work()
      } finally {
        busy.add(client, -1)
      }
    },
  }
}

type LongLimits = Pick<Limits, 'longAnswers' | 'longAnswersPerClient' | 'longAnswersWaiting'>

type Waiter = { readonly client: string; readonly go: () => void }

const retryAfter = 5

type FairOptions = {
  /** Slots of all clients, and those of one client. */
  readonly atOnce: () => number
  readonly perClient: number
  /** Places in the queue, and those of one client. */
  readonly waiting: number
  readonly waitingPerClient?: number
  /** Thrown when a place in the queue is needed and there is none. */
  readonly refusal: () => Failure
}

/** Slots that clients take by turns: a client with a free slot of its own never waits for one that has none. */
export type FairSlots = Pick<LongAnswers, 'take'> & {
  /** Whether one more client would be refused. */
  readonly isFull: () => boolean
}

/** Slots for work of clients, who are told apart by `machineOf` their address. */
export function fairSlots(options: FairOptions): FairSlots {
  const { atOnce, perClient, waitingPerClient = options.waiting } = options
  const busy = clientCounts()
  const waiting: Waiter[] = []
  let running = 0
  const isFree = (client: string) => running < atOnce() && busy.of(client) < perClient
  const isFull = () => waiting.length >= options.waiting
  const mayWait = (client: string) =>
    !isFull() && waiting.filter((one) => one.client === client).length < waitingPerClient
  const begin = (client: string) => {
    running += 1
    busy.add(client, 1)
  }
  const end = (client: string) => {
    running -= 1
    busy.add(client, -1)
    const next = waiting.findIndex((one) => isFree(one.client))
    const [waiter] = next >= 0 ? waiting.splice(next, 1) : []
    if (!waiter) return
    begin(waiter.client)
    waiter.go()
  }
  return {
    isFull,
    take: async (address, signal) => {
      signal.throwIfAborted()
      const client = machineOf(address)
      if (isFree(client)) begin(client)
      else if (mayWait(client)) await queued(waiting, client, signal)
      else throw options.refusal()
      let isHeld = true
      return () => {
        if (isHeld) end(client)
        isHeld = false
      }
    },
  }
}

/** For all services of a process together. */
export function longAnswers(limits: LongLimits): LongAnswers {
  const { take } = fairSlots({
    atOnce: () => limits.longAnswers,
    perClient: limits.longAnswersPerClient,
    waiting: limits.longAnswersWaiting,
    refusal: () => tooMany(limits),
  })
  const large = fairSlots({
    atOnce: () => largeAtOnce,
    perClient: 1,
    waiting: limits.longAnswersWaiting,
    refusal: () => new Failure('too-many-requests', largeDetail, { retryAfter }),
  })
  const unknown = new Semaphore(largeAtOnce)
  const known = new BoundedCache<boolean>('answer-sizes', 50_000)
  const takeUnknown = (signal: AbortSignal) => unknown.acquire(signal)
  return { take, turn: nextTurn, large: { known, takeUnknown, take: large.take } }
}

/** Answers that are made at once out of more than `largeText` UTF-16 units; each may need a hundred times a usual one. */
const [largeAtOnce, largeText] = [2, 1_000_000]
const largeDetail = `at most ${largeAtOnce} answers about large resources are made at once, one for each client, and enough wait`

/** Resolves when somebody has taken it out of the queue and called `go`; leaves it when the signal is aborted. */
async function queued(queue: Waiter[], client: string, signal: AbortSignal): Promise<void> {
  const mine = Promise.withResolvers<void>()
  const waiter = { client, go: mine.resolve }
  const leave = () => {
    const place = queue.indexOf(waiter)
    if (place < 0) return
    queue.splice(place, 1)
    mine.reject(signal.reason)
  }
  queue.push(waiter)
  signal.addEventListener('abort', leave, { once: true })
  await mine.promise.finally(() => signal.removeEventListener('abort', leave))
}

function tooMany({ longAnswersPerClient, longAnswers, longAnswersWaiting }: LongLimits): Failure {
  const detail =
    `at most ${longAnswersPerClient} long answers of one client and ${longAnswers} of all at once, ${longAnswersWaiting} wait ` +
    '(limits longAnswersPerClient, longAnswers and longAnswersWaiting)'
  return new Failure('too-many-requests', detail, { retryAfter })
}

/** Milliseconds of work in one turn. */
const sliceMs = 4
/** UTF-16 units that are sent together: what a reader takes at once. */
const pieceLength = 64 * 1024

type Sliced<Step> = {
  readonly head: string
  readonly steps: AsyncIterable<Iterable<Step>>
  /** Takes little time. */
  readonly write: (step: Step) => string
  readonly tail: string
}

/** The text in pieces of at most some 64 KB, made in turns with all other long answers. */
export async function* slicedPieces<Step>(
  { head, steps, write, tail }: Sliced<Step>,
  turn: LongAnswers['turn'],
): AsyncGenerator<string> {
  let text = head
  let until = -Infinity
  for await (const batch of steps) {
    for (const step of batch) {
      if (performance.now() >= until) {
        await turn()
        until = performance.now() + sliceMs
      }
      text += write(step)
      if (text.length < pieceLength) continue
      yield text
      text = ''
    }
    if (text !== '') yield text
    text = ''
  }
  yield text + tail
}

/**
 * Makes an answer that holds a slot until its last byte is out or its client has left. What comes without a socket is asked by
 * the platform itself, which bounds its own work.
 */
export async function longAnswer(
  c: AppContext,
  make: () => Response | Promise<Response>,
  slots: Pick<LongAnswers, 'take'> = c.get('longAnswers'),
): Promise<Response> {
  const outgoing = c.env?.outgoing
  if (!outgoing) return make()
  const release = await slots.take(c.get('client'), c.get('signal'))
  outgoing.once('close', release)
  if (outgoing.destroyed) release()
  try {
    return await make()
  } catch (error) {
    release()
    throw error
  }
}

/**
 * An answer about a resource that may be large: held in memory as a whole, it counts among few at once as soon as it is known to be
 * so. `key` names the resource; `make` tells how many UTF-16 units it has read of it. Throws `too-many-requests`.
 */
export async function sizedAnswer(
  c: AppContext,
  key: string,
  make: (read: (length: number) => void) => Promise<Response>,
): Promise<Response> {
  const { large } = c.get('longAnswers')
  const made = () => make((length) => large.known.set(key, length > largeText))
  if (!c.env?.outgoing) return made()
  if (large.known.peek(key) === undefined) {
    const release = await large.takeUnknown(c.get('signal'))
    try {
      if (large.known.peek(key) === undefined) return await made()
    } finally {
      release()
    }
  }
  return large.known.peek(key) === true ? longAnswer(c, made, large) : made()
}

type Flow = {
  readonly log: Log
  /** Milliseconds for each piece to be made and taken. */
  readonly pieceMs: number
  readonly headers: Readonly<Record<string, string>>
}

/**
 * 200 with the pieces as body. The first one is made before the answer begins: what fails until then is a problem like any
 * other. A later failure breaks the connection off, because half a document must not look like a whole one.
 */
export async function answerFlow(
  c: AppContext,
  pieces: AsyncGenerator<string>,
  { log, pieceMs, headers }: Flow,
): Promise<Response> {
  const renew = () => c.get('deadline').extend(pieceMs)
  renew()
  let next = await pieces.next()
  if (c.req.method === 'HEAD') {
    await pieces.return(undefined)
    return c.body(null, 200, headers)
  }
  const encoder = new TextEncoder()
  const signal = c.get('signal')
  const breakOff = (
    controller: ReadableStreamDefaultController<Uint8Array>,
    error: unknown,
  ): void => {
    // The server's adapter may write the message behind the body and end it well.
    c.env?.outgoing?.destroy()
    controller.error(error)
  }
  const stream = new ReadableStream<Uint8Array>(
    {
      // Nobody asks a reader who takes nothing any more: the time limit ends the answer.
      start: (controller) =>
        signal.addEventListener('abort', () => breakOff(controller, signal.reason), { once: true }),
      pull: async (controller) => {
        try {
          renew()
          while (next.done !== true && next.value === '') next = await pieces.next()
          if (next.done === true) return controller.close()
          controller.enqueue(encoder.encode(next.value))
          next = await pieces.next()
        } catch (error) {
          // That the client left is told by the line of the request.
          if (!signal.aborted)
            log.warn({ err: error, requestId: c.get('requestId') }, 'answer.broken')
          breakOff(controller, error)
        }
      },
      cancel: async () => void (await pieces.return(undefined)),
    },
    // Nothing is made before somebody asks for it.
    { highWaterMark: 0 },
  )
  return c.body(stream, 200, headers)
}
