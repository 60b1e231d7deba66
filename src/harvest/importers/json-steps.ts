/** Steps of a streaming JSON parser: what it cannot read is the source's fault, and said so. */

import { Failure } from '../../errors.ts'

/** Throws `source-malformed`. */
export function step(work: () => void): void {
  try {
    work()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.slice(0, 200) : ''
    throw new Failure('source-malformed', `The JSON cannot be read: ${reason}`, { cause })
  }
}

/** To be called behind the last piece. Throws `source-truncated`. */
export function demandEnd({ isEnded }: { readonly isEnded: boolean }): void {
  if (!isEnded) throw new Failure('source-truncated', 'The JSON ends too early.')
}
