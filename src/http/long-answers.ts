/**
 * Limit on the changing requests of a key, and long answers (dumps, long lists, feeds, sitemaps, reports): few at the same time,
 * made in pieces as fast as the client reads, and in turns on the main thread.
 */

import { Failure } from '../errors.ts'
import type { Log } from '../log.ts'
import { BoundedCache } from '../workers/bounded-cache.ts'
import { nextTurn } from '../workers/event-loop.ts'
import { FairLimiter } from '../workers/fair-limiter.ts'
import type { AppContext, LongAnswers } from './context.ts'
import type { Limits } from './limits.ts'
import { machineOf } from './peer.ts'

/** Makes the limiter of the running changing requests of a key; it refuses with `too-many-requests` (429). */
export function writeLimiter(writesPerKey: number): FairLimiter {
  const detail = `at most ${writesPerKey} at once (limit writesPerKey); wait for one to finish`
  const refusal = () => new Failure('too-many-requests', detail, { retryAfter: 1 })
  return new FairLimiter({ perClient: writesPerKey, refusal })
}

type LongLimits = Pick<
  Limits,
  'connections' | 'longAnswers' | 'longAnswersPerClient' | 'longAnswersWaiting'
>

/** Seconds after which a refused client should try again. */
const retryAfter = 5

/** Makes the slots of long answers, which all services of a process share. */
export function longAnswers(limits: LongLimits): LongAnswers {
  const slots = new FairLimiter({
    atOnce: limits.longAnswers,
    perClient: limits.longAnswersPerClient,
    waiting: limits.longAnswersWaiting,
    refusal: () => tooMany(limits),
  })
  const tooLarge = () => new Failure('too-many-requests', largeDetail, { retryAfter })
  const large = {
    isLarge: new BoundedCache<boolean>('answer-sizes', 50_000),
    // Each waiting request has a connection, so their number is bounded by that of connections.
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

/**
 * Most answers, and most works, at the same time about large resources, and the UTF-16 units from which on a resource is large;
 * such an answer may need a hundred times the memory of a usual one.
 */
const [largeAtOnce, largeText] = [2, 1_000_000]
const largeDetail = `at most ${largeAtOnce} answers about large resources are made at once, one for each client, and enough wait`

function tooMany({ longAnswersPerClient, longAnswers, longAnswersWaiting }: LongLimits): Failure {
  const detail =
    `at most ${longAnswersPerClient} long answers of one client and ${longAnswers} of all at once, ${longAnswersWaiting} wait ` +
    '(limits longAnswersPerClient, longAnswers and longAnswersWaiting)'
  return new Failure('too-many-requests', detail, { retryAfter })
}

/** Milliseconds of work in one turn of the event loop. */
const sliceMs = 4
/** UTF-16 units from which on a piece is complete: as much as a client reads at once. */
const pieceLength = 64 * 1024

/** Text that is written step by step between a head and a tail. */
type SlicedText<Step> = {
  readonly head: string
  readonly steps: AsyncIterable<Iterable<Step>>
  /** Writes one step; has to be fast. */
  readonly write: (step: Step) => string
  readonly tail: string
}

/** Writes a text in pieces of about 64 KB, a batch of `steps` in at least one, in turns with all other long answers. */
export async function* slicedPieces<Step>(
  { head, steps, write, tail }: SlicedText<Step>,
  turn: LongAnswers['turn'],
): AsyncGenerator<string> {
  let text = head
  let sliceEnd = -Infinity
  for await (const batch of steps) {
    for (const step of batch) {
      if (performance.now() >= sliceEnd) {
        await turn()
        sliceEnd = performance.now() + sliceMs
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
 * Makes an answer that holds a slot until its last byte is sent or its client disconnects. Calls inside of the process need no
 * slot, because the platform bounds its own work. Rejects with `too-many-requests`, or the signal's reason while it waits.
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

/**
 * Runs work that may need much memory in one of the few slots for it. Rejects with `too-many-requests` if too many wait, and
 * with the signal's reason when it aborts before the work begins.
 */
export const largeWork = <Result>(c: AppContext, work: () => Promise<Result>): Promise<Result> =>
  c.get('longAnswers').large.work.run(machineOf(c.get('client')), work, c.get('signal'))

/**
 * Makes an answer about a resource that may be large and is held in memory. Large ones share few slots; the last answer about a
 * resource determines whether it is large, and the first one is made as `largeWork`. `key` names the resource; `make` calls
 * `reportLength` with the UTF-16 units that it read. Rejects as `longAnswer`.
 */
export async function sizedAnswer(
  c: AppContext,
  key: string,
  make: (reportLength: (length: number) => void) => Promise<Response>,
): Promise<Response> {
  const { isLarge, answers } = c.get('longAnswers').large
  const makeMeasured = () => make((length) => isLarge.set(key, length > largeText))
  if (!c.env?.outgoing) return makeMeasured()
  if (isLarge.get(key) === undefined) {
    // Another request may have determined the size while this one waited.
    const isUnknown = () => isLarge.peek(key) === undefined
    const answer = await largeWork(c, async () => (isUnknown() ? makeMeasured() : undefined))
    if (answer) return answer
  }
  return isLarge.peek(key) === true ? longAnswer(c, makeMeasured, answers) : makeMeasured()
}

/** Options of `sendPieces`. */
type StreamOptions = {
  readonly log: Log
  /** Milliseconds in which each piece has to be made and read. */
  readonly pieceMs: number
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Answers 200 with the pieces as body. The first piece is made before the answer begins, so that an early failure becomes a
 * problem. A later failure destroys the connection, because an incomplete document must not look complete.
 */
export async function sendPieces(
  c: AppContext,
  pieces: AsyncGenerator<string>,
  { log, pieceMs, headers }: StreamOptions,
): Promise<Response> {
  const extendDeadline = () => c.get('deadline').extend(pieceMs)
  extendDeadline()
  let piece = await pieces.next()
  if (c.req.method === 'HEAD') {
    await pieces.return(undefined)
    return c.body(null, 200, headers)
  }
  const encoder = new TextEncoder()
  const signal = c.get('signal')
  const abortAnswer = (
    controller: ReadableStreamDefaultController<Uint8Array>,
    error: unknown,
  ): void => {
    // Otherwise the adapter of the server may end the answer regularly.
    c.env?.outgoing?.destroy()
    controller.error(error)
  }
  const stream = new ReadableStream<Uint8Array>(
    {
      // A client that stops reading causes no further pull; the time limit ends the answer.
      start: (controller) =>
        signal.addEventListener('abort', () => abortAnswer(controller, signal.reason), {
          once: true,
        }),
      pull: async (controller) => {
        try {
          extendDeadline()
          while (piece.done !== true && piece.value === '') piece = await pieces.next()
          if (piece.done === true) return controller.close()
          controller.enqueue(encoder.encode(piece.value))
          piece = await pieces.next()
        } catch (error) {
          // The log line of the request says that the client disconnected.
          if (!signal.aborted)
            log.warn({ err: error, requestId: c.get('requestId') }, 'answer.broken')
          abortAnswer(controller, error)
        }
      },
      cancel: async () => void (await pieces.return(undefined)),
    },
    // No piece is made before it is pulled.
    { highWaterMark: 0 },
  )
  return c.body(stream, 200, headers)
}
