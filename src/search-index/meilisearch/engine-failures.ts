/** What can go wrong between us and Meilisearch, as failures of the platform; answers are read as they are expected. */

import type { z } from 'zod'
import { Failure } from '../../errors.ts'

/** Seconds after which another try makes sense. */
const retryAfter = 2

/** A call that Meilisearch answered with an error of its own; `code` is its name for it. */
export class Refusal extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.name = 'Refusal'
    this.status = status
    this.code = code
  }
}

export const away = (detail: string, cause?: unknown): Failure =>
  new Failure('engine-unavailable', detail, { retryAfter, cause })

/** A call that was given up: its signal's own failure, else a time limit. */
export const givenUp = (reason: unknown): Failure =>
  reason instanceof Failure
    ? reason
    : new Failure('time-limit', 'The search engine did not answer in time.', { cause: reason })

/** Keys that are not taken and a server that has too much to do may be better tomorrow; all else is our mistake. */
const passing = new Set([401, 403, 408, 429, 502, 503, 504])

/** Codes of a server that cannot work: its disk or memory is full. */
const unable = new Set(['no_space_left_on_device', 'too_many_open_files', 'io_error'])

export function refused(status: number, text: string): Failure {
  const refusal = refusalOf(status, text)
  if (passing.has(status) || unable.has(refusal.code))
    return away('The search engine does not take the request now.', refusal)
  return new Failure('internal', 'The search engine refused a request.', { cause: refusal })
}

/** A task that did not succeed. */
export function failedTask(error: unknown): Failure {
  const { code, message } = wordsOf(error)
  const refusal = new Refusal(0, code, message)
  return unable.has(code)
    ? away('The search engine cannot write now.', refusal)
    : new Failure('internal', 'The search engine refused a write.', { cause: refusal })
}

/** Whether a failure is this refusal of Meilisearch. */
export const isRefusal = (error: unknown, code: string): boolean =>
  error instanceof Failure && error.cause instanceof Refusal && error.cause.code === code

const longestMessage = 2048

function refusalOf(status: number, text: string): Refusal {
  try {
    const { code, message } = wordsOf(JSON.parse(text))
    return new Refusal(status, code, message.slice(0, longestMessage))
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    return new Refusal(status, 'none', text.slice(0, longestMessage))
  }
}

function wordsOf(told: unknown): { code: string; message: string } {
  const text = (name: string): string => {
    const value: unknown = typeof told === 'object' && told !== null && Reflect.get(told, name)
    return typeof value === 'string' ? value : 'none'
  }
  return { code: text('code'), message: text('message') }
}

/** What is read of an answer. Throws `engine-unavailable` when it is another one: that is not the server we know. */
export function expected<Shape>(shape: z.ZodType<Shape>, answer: unknown): Shape {
  const read = shape.safeParse(answer)
  if (read.success) return read.data
  throw away('The search engine answered something unexpected.', read.error)
}
