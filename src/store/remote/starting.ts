/** Recognises failures of a store after which the outcome of a write is unknown, and repeats steps of the start until a store answers. */

import { CredentialsError } from '../../client/authentication.ts'
import { Failure, StartRefused } from '../../errors.ts'
import type { Log } from '../../log.ts'

/** Whether the outcome of a write with this error is unknown: it may be committed, now or later. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  !(error instanceof Failure) || error.kind === 'store-unavailable' || error.kind === 'time-limit'

type RetryOptions = {
  readonly log: Log
  readonly pause: (ms: number) => Promise<void>
  readonly now: () => number
  readonly signal: AbortSignal | undefined
  /** Called with the reason while the store is unavailable, and with `undefined` afterwards. */
  readonly onWaiting?: ((detail: string | undefined) => void) | undefined
}

const [firstMs, longestMs] = [250, 5000]

/** Whether waiting does not help. */
const isFinal = (error: unknown) =>
  error instanceof StartRefused ||
  !isOutcomeUnknown(error) ||
  (error instanceof Failure && error.cause instanceof CredentialsError)

/** Reason why the store is unavailable, with its address and setting; only for operators. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Failure)) return 'It does not answer.'
  const { detail, cause } = error
  return cause instanceof Failure
    ? `The store cannot be reached: ${cause.detail} (PLATFORM_TRIPLESTORE_CONFIG).`
    : detail
}

/**
 * Result of `work`, which is repeated while the store is unavailable or busy, with a log line for each attempt. Rejects with other
 * errors, and with the signal's reason.
 */
export async function retryUntilAvailable<T>(
  work: () => Promise<T>,
  { log, pause, now, signal, onWaiting }: RetryOptions,
): Promise<T> {
  const start = now()
  for (let ms = firstMs; ; ms = Math.min(ms * 2, longestMs)) {
    signal?.throwIfAborted()
    try {
      const result = await work()
      onWaiting?.(undefined)
      return result
    } catch (error) {
      if (isFinal(error)) throw error
      onWaiting?.(reasonOf(error))
      log.info({ seconds: Math.round((now() - start) / 1000), error }, 'store.waiting')
    }
    await pause(ms)
  }
}
