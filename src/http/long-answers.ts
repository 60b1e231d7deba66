/**
 * Limits of changing requests by key, and answers that can be long (dumps, long lists, feeds, sitemaps, reports): few at a time,
 * made in pieces while they are sent, as fast as the client takes them, and in turns on the main thread.
 */

import { Failure } from '../errors.ts'
import type { Log } from '../log.ts'
import { BoundedCache } from '../workers/bounded-cache.ts'
import { nextTurn } from '../workers/event-loop.ts'
import { FairLimiter } from '../workers/fair-limiter.ts'
import type { AppContext, LongAnswers } from './context.ts'
import type { Limits } from './limits.ts'
import { machineOf } from './peer.ts'

/** Limits the changing requests that one key has under way; beyond that `too-many-requests` (429). */
export function writeLimiter(writesPerKey: number): FairLimiter {
  const detail = `at most ${writesPerKey} at once (limit writesPerKey); wait for one to finish`
  const refusal = () => new Failure('too-many-requests', detail, { retryAfter: 1 })
  return new FairLimiter({ perClient: writesPerKey, refusal })
}

type LongLimits = Pick<
  Limits,
  'connections' | 'longAnswers' | 'longAnswersPerClient' | 'longAnswersWaiting'
>

const retryAfter = 5

/** Slots of long answers, for all services of a process together. */
export function longAnswers(limits: LongLimits): LongAnswers {
  const slots = new FairLimiter({
    atOnce: limits.longAnswers,
    perClient: limits.longAnswersPerClient,
    waiting: limits.longAnswersWaiting,
    refusal: () => tooMany(limits),
  })
  const tooLarge = () => new Failure('too-many-requests', largeDetail, { retryAfter })
  const large = {
    known: new BoundedCache<boolean>('answer-sizes', 50_000),
    // Each request waits on a connection of its own.
    work: new FairLimiter({ atOnce: largeAtOnce, waiting: limits.connections, refusal: tooLarge }),
    answers: new FairLimiter({
      atOnce: largeAtOnce,
      perClient: 1,
      waiting: limits.longAnswersWaiting,
      refusal: tooLarge,
    }),
  }
  return { slots, turn: nextTurn, large }
}

/** Answers that are made at once out of more than `largeText` UTF-16 units; each may need a hundred times a usual one. */
const [largeAtOnce, largeText] = [2, 1_000_000]
const largeDetail = `at most ${largeAtOnce} answers about large resources are made at once, one for each client, and enough wait`

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

type SlicedText<Step> = {
  readonly head: string
  readonly steps: AsyncIterable<Iterable<Step>>
  /** Takes little time. */
  readonly write: (step: Step) => string
  readonly tail: string
}

/** The text in pieces of at most some 64 KB, made in turns with all other long answers. */
export async function* slicedPieces<Step>(
  { head, steps, write, tail }: SlicedText<Step>,
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
  slots = c.get('longAnswers').slots,
): Promise<Response> {
  const outgoing = c.env?.outgoing
  if (!outgoing) return make()
  const release = await slots.take(machineOf(c.get('client')), c.get('signal'))
  outgoing.once('close', release)
  if (outgoing.destroyed) release()
  try {
    return await make()
  } catch (error) {
    release()
    throw error
  }
}

/** Does work that may need much memory in one of the few slots for it; rejects with the signal's reason while it waits. */
export const largeWork = <Result>(c: AppContext, work: () => Promise<Result>): Promise<Result> =>
  c.get('longAnswers').large.work.run(machineOf(c.get('client')), work, c.get('signal'))

/**
 * An answer about a resource that may be large: held in memory as a whole, it counts among few at once as soon as it is known to be
 * so. `key` names the resource; `make` tells how many UTF-16 units it has read of it. Throws `too-many-requests`.
 */
export async function sizedAnswer(
  c: AppContext,
  key: string,
  make: (read: (length: number) => void) => Promise<Response>,
): Promise<Response> {
  const { known, answers } = c.get('longAnswers').large
  const made = () => make((length) => known.set(key, length > largeText))
  if (!c.env?.outgoing) return made()
  if (known.get(key) === undefined) {
    // Another request may have learnt the size while this one waited.
    const isUnknown = () => known.peek(key) === undefined
    const answer = await largeWork(c, async () => (isUnknown() ? made() : undefined))
    if (answer) return answer
  }
  return known.peek(key) === true ? longAnswer(c, made, answers) : made()
}

type StreamOptions = {
  readonly log: Log
  /** Milliseconds for each piece to be made and taken. */
  readonly pieceMs: number
  readonly headers: Readonly<Record<string, string>>
}

/**
 * 200 with the pieces as body. The first one is made before the answer begins: what fails until then is a problem like any
 * other. A later failure breaks the connection off, because half a document must not look like a whole one.
 */
export async function sendPieces(
  c: AppContext,
  pieces: AsyncGenerator<string>,
  { log, pieceMs, headers }: StreamOptions,
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
