/**
 * Worker's side of a pool: runs calls one after the other and answers each with its value or its error. The option `data` of the
 * pool is `workerData.data` of `node:worker_threads` here.
 */

import { parentPort, workerData } from 'node:worker_threads'
import { type Complaint, Failure, type Kind } from '../errors.ts'

/** Functions that a handler gets besides its payload. */
export type CallContext = {
  /** Tells whether the pool has cancelled the call (`Thread.cancel`); long work checks it from time to time. */
  readonly isCancelled: () => boolean
  /** Ends this worker after the call, because the call has left memory or state behind. */
  readonly retire: () => void
}

type Handlers<Calls extends Signatures> = {
  readonly [Name in keyof Calls]: (
    payload: Calls[Name][0],
    context: CallContext,
  ) => Calls[Name][1] | Promise<Calls[Name][1]>
}

/** Handlers without the types of their payloads, which are checked where calls are sent. */
type Untyped = Readonly<Record<string, (payload: never, context: CallContext) => unknown>>

/** Absent on the main thread, where tests import modules with handlers. */
const { cancelled = new Int32Array(1) }: Partial<WorkerStart> = workerData ?? {}

const post = (message: WorkerMessage) => parentPort?.postMessage(message, [])

/** Sends an event, which is no answer to a call, to `onEvent` of the pool. */
export const emit = (event: unknown): void => post({ event })

/** Reports that the worker is ready, and answers calls from now on. */
export function serve<Calls extends Signatures>(handlers: Handlers<Calls>): void {
  let previousAnswer = Promise.resolve()
  parentPort?.on('message', (call: CallMessage<never>) => {
    previousAnswer = previousAnswer.then(() => answer(handlers, call))
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

// Messages between the main thread and a worker thread: named calls, their answers and events. Both sides use the same
// `Signatures`.

/** Payload and result by name of the call. */
export type Signatures = Readonly<Record<string, readonly [payload: unknown, result: unknown]>>

type CallMessage<Payload = unknown> = {
  readonly id: number
  readonly name: string
  readonly payload: Payload
}

/** Error as a message: a `Failure` arrives as a `Failure`, any other error as an `Error` with this text. */
export type ErrorMessage = {
  readonly kind?: Kind
  readonly text: string
  readonly errors?: readonly Complaint[]
  readonly retryAfter?: number
  readonly stack?: string
}

/**
 * Message of a worker: it is ready, the answer to a call, or an event. After an answer with `retire` the pool ends the worker.
 */
export type WorkerMessage =
  /** First message: the worker accepts calls from now on. */
  | { readonly ready: true }
  | { readonly id: number; readonly value: unknown; readonly retire?: boolean }
  | { readonly id: number; readonly error: ErrorMessage; readonly retire?: boolean }
  | { readonly event: unknown }

/** Data of a worker at its start; `data` comes from the pool. */
export type WorkerStart = {
  readonly data: unknown
  /** Number of the call that was cancelled last, in shared memory. */
  readonly cancelled: Int32Array
}
