/** Answers of search engines on a server: parsed and checked, with their failures. */

import type { z } from 'zod'
import { Failure } from '../../errors.ts'
import { reportNumber } from '../../workers/numbers.ts'
import type { WriteBlock } from '../search-index.ts'

/** Most seconds that a server can ask to wait for, and those of one that does not say. */
const [longestRetryAfter, usualRetryAfter] = [300, 2]

/** Failure `engine-unavailable` with a `Retry-After` of two seconds. */
export const engineUnavailable = (detail: string, cause?: unknown): Failure =>
  new Failure('engine-unavailable', detail, { retryAfter: usualRetryAfter, cause })

/** Why a server that answers does not take a call for now. */
export type Obstacle = 'overload' | 'forbidden' | WriteBlock

const obstacleDetails: Readonly<Record<Obstacle, string>> = {
  overload: 'The search engine is overloaded.',
  forbidden: 'The search engine does not allow the call to this user or key.',
  'disk-full':
    'The disk of the search engine is full. It takes no writes until there is room on it; waiting does not help.',
  'read-only':
    'The search engine takes no writes: its indices are set to read-only. Waiting does not help.',
}

/** Sentence for operators and clients. */
export const obstacleDetail = (obstacle: Obstacle): string => obstacleDetails[obstacle]

/** Failure `engine-unavailable` for a call that a server does not take for now. */
class EngineObstacle extends Failure {
  readonly obstacle: Obstacle

  constructor(obstacle: Obstacle, cause: Error, askedMs: number) {
    const pauseMs = Math.min(askedMs, longestRetryAfter * 1000)
    super('engine-unavailable', obstacleDetails[obstacle], {
      retryAfter: Math.ceil(pauseMs / 1000) || usualRetryAfter,
      pauseMs,
      cause,
    })
    this.obstacle = obstacle
  }
}

/** Failure for a call that the server does not take for now, which is counted. `askedMs`: what its `Retry-After` says. */
export function refusedCall(obstacle: Obstacle, cause: Error, askedMs = 0): Failure {
  reportNumber('cartulary_engine_refusals_total', [obstacle])
  return new EngineObstacle(obstacle, cause, askedMs)
}

/** Why the server takes no writes, if that is what a failure means. */
export const writeBlockOf = (error: unknown): WriteBlock | undefined =>
  error instanceof EngineObstacle &&
  (error.obstacle === 'disk-full' || error.obstacle === 'read-only')
    ? error.obstacle
    : undefined

/** Failure of calls before the engine is configured: why that failed last, where it is known. */
export const notReady = (cause?: unknown): Failure =>
  engineUnavailable(
    cause instanceof Failure && cause.kind === 'engine-unavailable'
      ? cause.detail
      : 'The search engine is not ready yet.',
    cause,
  )

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
