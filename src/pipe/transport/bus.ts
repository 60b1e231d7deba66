/** Queues of this process by name: whoever puts a message in waits while the queue is full. */

import { Channel } from '../../workers/channel.ts'
import { Failure, type Kind, shown } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { valuesUntilAborted } from '../chain.ts'
import type { Pipe } from '../document.ts'

/** A queue: of this process, or of the broker at that address. */
export type Queue = { readonly name: string; readonly broker?: string }

/** Takes a message over; throws `Failure` `queue-full` when it should be asked again. */
type Listener = (message: Pipe) => Promise<void> | void

export type Bus = {
  /** Resolves when the queue has taken the message; throws `unknown-segment` when nobody listens there. */
  send(name: string, message: Pipe, signal: AbortSignal): Promise<void>
  /** One listener per name; the function ends it. Throws `already-exists`. */
  listen(name: string, listener: Listener): () => void
}

type BusOptions = {
  /** Messages in one queue. */
  readonly queued: number
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  readonly log: Log
}

const patienceMs = 100
/** What there is no room for now. */
const later: ReadonlySet<Kind> = new Set(['queue-full', 'spool-full'])

export function bus({ queued, pause, log }: BusOptions): Bus {
  const queues = new Map<string, Channel<Pipe>>()
  const serve = async (name: string, queue: Channel<Pipe>, end: AbortSignal, to: Listener) => {
    for await (const message of valuesUntilAborted(queue, end)) {
      while (!end.aborted && !(await delivered(message, to, log.child({ queue: name })))) {
        await pause(patienceMs, end).catch(() => undefined)
      }
    }
  }
  return {
    async send(name, message, signal) {
      const queue = queues.get(name)
      if (!queue) throw new Failure('unknown-segment', `nobody listens at the queue ${shown(name)}`)
      await queue.room(signal)
      queue.put(message)
    },
    listen(name, listener) {
      if (queues.has(name)) {
        throw new Failure('already-exists', `somebody listens at the queue ${shown(name)} already`)
      }
      const queue = new Channel<Pipe>({ items: queued })
      const ending = new AbortController()
      queues.set(name, queue)
      serve(name, queue, ending.signal, listener).catch((err: unknown) => {
        if (!ending.signal.aborted) log.error({ err, queue: name }, 'queue.broken')
      })
      return () => {
        queues.delete(name)
        ending.abort()
        queue.close()
      }
    },
  }
}

/** False when the message has to wait. One that cannot be taken over at all is logged and goes. */
async function delivered(message: Pipe, listener: Listener, log: Log): Promise<boolean> {
  try {
    await listener(message)
    return true
  } catch (err) {
    if (err instanceof Failure && later.has(err.kind)) return false
    log.warn({ err, run: message.header.runId }, 'message.refused')
    return true
  }
}
