/** Answers of search engines on a server: parsed and checked, with their failures. */

import type { z } from 'zod'
import { Failure } from '../../errors.ts'

/** Failure `engine-unavailable` with a `Retry-After` of two seconds. */
export const engineUnavailable = (detail: string, cause?: unknown): Failure =>
  new Failure('engine-unavailable', detail, { retryAfter: 2, cause })

/** Failure of an aborted call: the reason of the signal if it is a `Failure`, else `time-limit`. */
export const abortFailure = (reason: unknown): Failure =>
  reason instanceof Failure
    ? reason
    : new Failure('time-limit', 'The search engine did not answer in time.', { cause: reason })

/** Parses JSON. Throws `engine-unavailable` for other text. */
export function parsedAnswer(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw engineUnavailable('The search engine sent an answer that is not JSON.', cause)
  }
}

/**
 * As `JSON.stringify`, but replaces lone surrogates in values, which parsers of engines refuse (RFC 8259, 8.2), by U+FFFD.
 * Names of members are not checked.
 */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value)
  // A test of the result is faster than a check of every text.
  if (!/\\ud[89a-f][0-9a-f]{2}/.test(text)) return text
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'string' ? member.toWellFormed() : member,
  )
}

/** Parses an answer. Throws `engine-unavailable` if it does not match the schema. */
export function parseAnswer<Shape>(shape: z.ZodType<Shape>, answer: unknown): Shape {
  const result = shape.safeParse(answer)
  if (result.success) return result.data
  throw engineUnavailable('The search engine sent an unexpected answer.', result.error)
}
