/** State of a request in Hono's context: client, key, deadline and signal, addresses for links, slots for long answers. */

import type { HttpBindings } from '@hono/node-server'
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { Failure } from '../errors.ts'
import type { BoundedCache } from '../workers/bounded-cache.ts'
import type { FairLimiter } from '../workers/fair-limiter.ts'

/**
 * A known key without its secret. `id` is the first 8 hex digits of the SHA-256 digest of a configured key, or the id of the account
 * of a person or a program, which have names (`accounts.ts`).
 */
export type Key = {
  readonly id: string
  readonly name?: string
  readonly permissions: readonly string[]
}

/** Slots of long answers, which all services of a process share; clients are distinguished by `machineOf` their address. */
export type LongAnswers = {
  readonly slots: FairLimiter
  /** Resolves in a turn of the event loop that no other long answer uses; to be awaited before each slice of work. */
  readonly turn: () => Promise<void>
  /** Limits of `largeWork` and `sizedAnswer`. */
  readonly large: LargeAnswers
}

type LargeAnswers = {
  /** Key of a resource → whether its last answer was large. */
  readonly isLarge: BoundedCache<boolean>
  /** Slots for work that may need much memory, held while it runs. */
  readonly work: FairLimiter
  /** Slots for answers about large resources, held until their last byte. */
  readonly answers: FairLimiter
}

/** Types of `c.env` and `c.var` in handlers. */
export type AppEnv = {
  /**
   * Node's request and response; absent for calls inside of the process. Those may have `visitor` instead: the address of the
   * client for whom another service calls.
   */
  Bindings: Partial<HttpBindings> & { readonly visitor?: string | undefined }
  Variables: {
    /** Aborts when the client disconnects or the time limit is reached; pass it to everything that waits. */
    signal: AbortSignal
    deadline: Deadline
    requestId: string
    /** IP address of the client (behind trusted proxies: the one that they name), or `in-process`. */
    client: string
    /** Public address of the platform, with `/` at its end. */
    root: string
    /** Public address of the service, without a slash at its end. */
    address: string
    /** Whether the request is a GET that changes something, or asks for one by HEAD or a preflight; set by `changingGet`. */
    changes?: boolean
    /** The configured name of the portal. */
    siteName: string
    /** Form in the body; set after it was read. */
    form?: FormData
    longAnswers: LongAnswers
    /** Set by `ApiKeys.require` and `ApiKeys.find`; where the portal or the console acts for a person, that of the person. */
    key?: Key
    /** Client in this process that acts for the holder of `key`; absent for others. */
    actingBy?: 'portal' | 'console' | undefined
    /** Write for which the key was checked: the operation, and the catalogue of its resource, if any. */
    write?: { readonly operation: string; readonly catalogue: string | undefined }
  }
}

/** Routes are relative to the `base` of the app; `c.req.path` and OpenAPI paths too. */
export type App = OpenAPIHono<AppEnv>

export type AppContext = Context<AppEnv>

/** Id of the key of a request whose permission has been checked; empty without a key. */
export const keyIdOf = (c: AppContext): string => c.get('key')?.id ?? ''

/** Path of a URL as it was sent, without query: the `instance` of a problem. */
export function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  if (start < 0) return '/'
  const end = url.slice(start).search(/[?#]/)
  return end < 0 ? url.slice(start) : url.slice(start, start + end)
}

// Time limits.

/** Time limit of a request. */
export type Deadline = {
  /** Aborts with a `Failure` as its reason: `time-limit`, or `request-timeout` when the client disconnected. */
  readonly signal: AbortSignal
  /** Replaces the limit by a new one that starts now, longer or shorter. */
  extend(milliseconds: number): void
  /**
   * Resolves with the result of the work, or rejects with the signal's reason, even if the work ignores the signal. Work that
   * settles in the same turn of the event loop as the abort takes precedence.
   */
  race<T>(work: Promise<T>): Promise<T>
  /** Clears the timer; to be called after the last byte of the answer. */
  done(): void
}

/** Starts a time limit, whose signal also aborts when `outer` does. */
export function deadline(outer: AbortSignal | undefined, milliseconds: number): Deadline {
  const controller = new AbortController()
  const { signal } = controller
  const start = (limit: number) =>
    startTimer(() => {
      const detail = `the request took longer than ${limit / 1000} s (limit requestMs)`
      controller.abort(new Failure('time-limit', detail))
    }, limit)
  const onDisconnect = () => {
    const cause: unknown = outer?.reason
    controller.abort(new Failure('request-timeout', 'the client closed the connection', { cause }))
  }
  let timer = start(milliseconds)
  outer?.addEventListener('abort', onDisconnect)
  if (outer?.aborted) onDisconnect()
  return {
    signal,
    extend: (longer) => {
      clearTimeout(timer)
      timer = start(longer)
    },
    race: (work) => race(work, signal),
    done: () => {
      clearTimeout(timer)
      outer?.removeEventListener('abort', onDisconnect)
    },
  }
}

/** Resolves with the result of the work; rejects with the error that `makeError` makes after some milliseconds. */
export async function withTimeLimit<T>(
  work: Promise<T>,
  milliseconds: number,
  makeError: () => Error,
): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = startTimer(() => reject(makeError()), milliseconds)
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}

/** Starts a timer that does not keep the process alive. */
const startTimer = (run: () => void, milliseconds: number): NodeJS.Timeout =>
  setTimeout(run, milliseconds).unref()

function race<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    // Work that listens to the signal settles before the next turn.
    const stop = () => void setImmediate(() => reject(signal.reason))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
