/** Answers that can be long (dumps, long lists, feeds, sitemaps, reports): only so many at once, and in turns on the main thread. */

import { Failure } from '../../errors.ts'
import type { Limits } from '../limits.ts'

export type LongAnswers = {
  /**
   * Resolves with the way to give the slot back (more than once does no harm) when the client and all together have one free.
   * Throws `too-many-requests` when enough wait for one already; rejects with the signal's reason.
   */
  readonly take: (client: string, signal: AbortSignal) => Promise<() => void>
  /** Resolves in a round of the event loop of one's own, whoever else makes a long answer; to be asked for before each slice of work. */
  readonly turn: () => Promise<void>
}

type LongLimits = Pick<Limits, 'longAnswers' | 'longAnswersPerClient' | 'longAnswersWaiting'>

type Waiter = { readonly client: string; readonly go: () => void }

const retryAfter = 5

/** For all services of a process together. A client with a free slot of its own is never behind one that has none. */
export function longAnswers(limits: LongLimits): LongAnswers {
  const busy = new Map<string, number>()
  const waiting: Waiter[] = []
  let running = 0

  const isFree = (client: string) =>
    running < limits.longAnswers && (busy.get(client) ?? 0) < limits.longAnswersPerClient
  const begin = (client: string) => {
    running += 1
    busy.set(client, (busy.get(client) ?? 0) + 1)
  }
  const end = (client: string) => {
    running -= 1
    const left = (busy.get(client) ?? 1) - 1
    if (left > 0) busy.set(client, left)
    else busy.delete(client)
    const next = waiting.findIndex((one) => isFree(one.client))
    const [waiter] = next >= 0 ? waiting.splice(next, 1) : []
    if (!waiter) return
    begin(waiter.client)
    waiter.go()
  }
  const slot = (client: string) => {
    let isHeld = true
    return () => {
      if (isHeld) end(client)
      isHeld = false
    }
  }
  return {
    take: async (client, signal) => {
      signal.throwIfAborted()
      if (isFree(client)) begin(client)
      else if (waiting.length < limits.longAnswersWaiting) await queued(waiting, client, signal)
      else throw tooMany(limits)
      return slot(client)
    },
    turn: turns(),
  }
}

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

/** Rounds of the event loop between two turns. Each round lets in one new connection, whatever waits at the door. */
const rounds = 8

/** One of those who ask goes on, then others are heard for some rounds of the event loop, which take no time when nobody came. */
function turns(): () => Promise<void> {
  const asking: (() => void)[] = []
  let left = 0
  const next = () => {
    if (left > 0) left -= 1
    else {
      left = rounds
      asking.shift()?.()
    }
    if (asking.length > 0) setImmediate(next)
  }
  return () =>
    new Promise((resolve) => {
      asking.push(resolve)
      if (asking.length === 1) setImmediate(next)
    })
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
