/** Callers that no longer wait: what they get instead of an answer. */

import { Failure } from '../../../errors.ts'

/** The caller's own failure where it gave one as the reason. */
export function failureOf(source: EventTarget | null): Failure {
  const reason: unknown = source instanceof AbortSignal ? source.reason : undefined
  if (reason instanceof Failure) return reason
  const detail = 'the search took too long or was given up'
  return new Failure('time-limit', detail, { retryAfter: 10, cause: reason })
}

/** The answer, or at once the failure of a signal that is aborted before it comes. */
export async function unlessGivenUp<T>(answer: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return answer
  const { promise, reject } = Promise.withResolvers<never>()
  const stop = () => reject(failureOf(signal))
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    return await Promise.race([answer, promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
