/** What goes between the main thread and a worker thread: named calls, their answers and events. Both ends name the same `Signatures`. */

import type { Complaint, Kind } from '../errors.ts'

/** Names of calls → what they take and what they answer. */
export type Signatures = Readonly<Record<string, readonly [payload: unknown, result: unknown]>>

export type CallMessage<Payload = unknown> = {
  readonly id: number
  readonly name: string
  readonly payload: Payload
}

/** An error that crosses the thread border: a `Failure` arrives as a `Failure`, everything else as an `Error` of this text. */
export type ErrorMessage = {
  readonly kind?: Kind
  readonly text: string
  readonly errors?: readonly Complaint[]
  readonly retryAfter?: number | undefined
  readonly stack?: string | undefined
}

export type WorkerMessage =
  /** The first message: from now on it takes calls. */
  | { readonly ready: true }
  | { readonly id: number; readonly value: unknown; readonly retire?: boolean }
  | { readonly id: number; readonly error: ErrorMessage; readonly retire?: boolean }
  | { readonly event: unknown }

/** What each worker is started with; `data` is the pool's own. */
export type WorkerStart = {
  readonly data: unknown
  /** Holds the number of the call that nobody waits for any more. */
  readonly cancelled: Int32Array
}
