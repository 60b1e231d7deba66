/** State of a request in Hono's context: client, key, deadline and signal, addresses for links, slots for long answers. */

import type { HttpBindings } from '@hono/node-server'
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { Failure } from '../errors.ts'
import type { BoundedCache } from '../workers/bounded-cache.ts'
import type { FairLimiter } from '../workers/fair-limiter.ts'

/** A known key without its secret: `id` is the first 8 hex digits of its SHA-256 digest. */
export type Key = { readonly id: string; readonly permissions: readonly string[] }

/** Slots of answers that can be long, for all services of a process together; a client is `machineOf` its address. */
export type LongAnswers = {
  readonly slots: FairLimiter
  /** Resolves in a round of the event loop of one's own, whoever else makes a long answer; to be asked for before each slice of work. */
  readonly turn: () => Promise<void>
  /** For `largeWork` and `sizedAnswer`. */
  readonly large: LargeAnswers
}

type LargeAnswers = {
  /** Whether a resource is large, by its name, as its last answer has shown. */
  readonly known: BoundedCache<boolean>
  /** Slots for work that may need much memory, held while it runs. */
  readonly work: FairLimiter
  /** Slots for answers about large resources, held until their last byte. */
  readonly answers: FairLimiter
}

/** Types of `c.env` and `c.var` in handlers. */
export type AppEnv = {
  /**
   * Node's request and response; absent when the request came without a socket. `visitor` is for those: the address of the client for
   * whom another service of the process asks.
   */
  Bindings: Partial<HttpBindings> & { readonly visitor?: string | undefined }
  Variables: {
    /** Aborts when the client leaves or the time limit is reached; hand it to everything that waits. */
    signal: AbortSignal
    deadline: Deadline
    requestId: string
    /** Address of the client (behind trusted proxies: the one they name), or `in-process`. */
    client: string
    /** Address that the client reaches the platform by, `/` at its end. */
    root: string
    /** Address that the client reaches the service by, without a slash at its end. */
    address: string
    /** The request changes something although it is a GET. */
    changes?: boolean
    /** The configured name of the portal. */
    siteName: string
    /** Fields of the form in the body, once they have been read: a field by its name. */
    form?: (name: string) => string
    longAnswers: LongAnswers
    /** Set by `ApiKeys.require` and `ApiKeys.find`. */
    key?: Key
  }
}

/** Routes are relative to the `base` of the app; `c.req.path` and OpenAPI paths too. */
export type App = OpenAPIHono<AppEnv>

export type AppContext = Context<AppEnv>

/** Id of the key of a request whose permission has been checked; empty without a key. */
export const keyIdOf = (c: AppContext): string => c.get('key')?.id ?? ''

/** Path of the request as it was sent, without query: the `instance` of a problem. */
export function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  if (start < 0) return '/'
  const end = url.slice(start).search(/[?#]/)
  return end < 0 ? url.slice(start) : url.slice(start, start + end)
}

// Time limits: the one place of this folder that sets timers.

export type Deadline = {
  /** Aborted with a `Failure` as its reason: `time-limit`, or `request-timeout` when the client left. */
  readonly signal: AbortSignal
  /** Replaces the limit, counted from now, for endpoints that are known to take longer. */
  extend(milliseconds: number): void
  /**
   * Rejects with the signal's reason when it is aborted, even if the work does not listen to it. Work that does may say in
   * the same turn how it ends, which is then what counts.
   */
  race<T>(work: Promise<T>): Promise<T>
  /** Stops the clock; to be called when the answer is out. */
  done(): void
}

/** A signal that aborts after so many milliseconds, or when the given one does. */
export function deadline(outer: AbortSignal | undefined, milliseconds: number): Deadline {
  const controller = new AbortController()
  const { signal } = controller
  const start = (limit: number) =>
    startTimer(() => {
      const detail = `the request took longer than ${limit / 1000} s (limit requestMs)`
      controller.abort(new Failure('time-limit', detail))
    }, limit)
  const leave = () => {
    const cause: unknown = outer?.reason
    controller.abort(new Failure('request-timeout', 'the client closed the connection', { cause }))
  }
  let timer = start(milliseconds)
  outer?.addEventListener('abort', leave)
  if (outer?.aborted) leave()
  return {
    signal,
    extend: (longer) => {
      clearTimeout(timer)
      timer = start(longer)
    },
    race: (work) => race(work, signal),
    done: () => {
      clearTimeout(timer)
      outer?.removeEventListener('abort', leave)
    },
  }
}

/** Waits for the work, but not longer than so many milliseconds between two steps; then throws what `late` makes. */
export async function withTimeLimit<T>(
  work: Promise<T>,
  milliseconds: number,
  late: () => Error,
): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = startTimer(() => reject(late()), milliseconds)
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}

/** A timer that does not keep the process alive. */
const startTimer = (run: () => void, milliseconds: number): NodeJS.Timeout =>
  setTimeout(run, milliseconds).unref()

function race<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    // Promises that hang on the signal settle before the next turn.
    const stop = () => void setImmediate(() => reject(signal.reason))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
