/**
 * The worker's side of a pool: runs calls one after the other and answers each with its value or its error. What the pool was
 * given as `data` is `workerData.data` of `node:worker_threads`.
 */

import { parentPort, workerData } from 'node:worker_threads'
import { type Complaint, Failure, type Kind } from '../errors.ts'

export type CallContext = {
  /** Whether nobody waits for the answer any more; to be asked now and then during long work. */
  readonly isCancelled: () => boolean
  /** This worker is not to be used after this call, because of what the call has left behind. */
  readonly retire: () => void
}

type Handlers<Calls extends Signatures> = {
  readonly [Name in keyof Calls]: (
    payload: Calls[Name][0],
    context: CallContext,
  ) => Calls[Name][1] | Promise<Calls[Name][1]>
}

/** Payloads were typed where they were sent; here they are what the thread border left of them. */
type Untyped = Readonly<Record<string, (payload: never, context: CallContext) => unknown>>

/** Modules with handlers are imported by tests on the main thread too, where there is no start. */
const { cancelled = new Int32Array(1) }: Partial<WorkerStart> = workerData ?? {}

const post = (message: WorkerMessage) => parentPort?.postMessage(message, [])

/** Tells the main thread something that is no answer. */
export const emit = (event: unknown): void => post({ event })

/** Says that the worker is ready, and answers calls from now on. */
export function serve<Calls extends Signatures>(handlers: Handlers<Calls>): void {
  let last = Promise.resolve()
  parentPort?.on('message', (call: CallMessage<never>) => {
    last = last.then(() => answer(handlers, call))
  })
  post({ ready: true })
}

async function answer(handlers: Untyped, { id, name, payload }: CallMessage<never>): Promise<void> {
  let retire = false
  const context: CallContext = {
    isCancelled: () => Atomics.load(cancelled, 0) === id,
    retire: () => void (retire = true),
  }
  try {
    const value = await handlers[name]?.(payload, context)
    post({ id, value, retire })
  } catch (error) {
    post({ id, error: messageOf(error), retire })
  }
}

function messageOf(error: unknown): ErrorMessage {
  if (!(error instanceof Error)) return { text: String(error) }
  if (!(error instanceof Failure)) return { text: error.message, stack: error.stack }
  const { kind, detail, errors, retryAfter, stack } = error
  return { kind, text: detail, errors, retryAfter, stack }
}

// What goes between the main thread and a worker thread: named calls, their answers and events. Both ends name the
// same `Signatures`.

/** Names of calls → what they take and what they answer. */
export type Signatures = Readonly<Record<string, readonly [payload: unknown, result: unknown]>>

type CallMessage<Payload = unknown> = {
  readonly id: number
  readonly name: string
  readonly payload: Payload
}

/** An error that crosses the thread border: a `Failure` arrives as a `Failure`, everything else as an `Error` of this text. */
export type ErrorMessage = {
  readonly kind?: Kind
  readonly text: string
  readonly errors?: readonly Complaint[]
  readonly retryAfter?: number
  readonly stack?: string
}

export type WorkerMessage =
  /** The first message: from now on it takes calls. */
  | { readonly ready: true }
  | { readonly id: number; readonly value: unknown; readonly retire?: boolean }
  | { readonly id: number; readonly error: ErrorMessage; readonly retire?: boolean }
  | { readonly event: unknown }

/** Data of a worker at its start; `data` comes from the pool. */
export type WorkerStart = {
  readonly data: unknown
  /** Holds the number of the call that nobody waits for any more. */
  readonly cancelled: Int32Array
}
