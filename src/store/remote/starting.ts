/** What a failure of a store leaves open, and waiting for one that is not there yet. */

import { CredentialsError } from '../../client/authentication.ts'
import { Failure, StartRefused } from '../../errors.ts'
import type { Log } from '../../log.ts'

/** Whether nothing is known of a write that failed like this: it may have landed, or may land still. */
export const isDoubtful = (error: unknown): boolean =>
  !(error instanceof Failure) || error.kind === 'store-unavailable' || error.kind === 'time-limit'

type Waiting = {
  readonly log: Log
  readonly pause: (ms: number) => Promise<void>
  readonly now: () => number
  readonly signal: AbortSignal | undefined
  /** Hears why there is nothing yet, and `undefined` when there is. */
  readonly onWaiting?: ((detail: string | undefined) => void) | undefined
}

const [firstMs, longestMs] = [250, 5000]

/** What waiting does not mend. */
const isFinal = (error: unknown) =>
  error instanceof StartRefused ||
  !isDoubtful(error) ||
  (error instanceof Failure && error.cause instanceof CredentialsError)

/** Why the store gives nothing, with the address that refuses and the setting that names it. For operators alone. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Failure)) return 'It does not answer.'
  const { detail, cause } = error
  return cause instanceof Failure
    ? `The store cannot be reached: ${cause.detail} (PLATFORM_TRIPLESTORE_CONFIG).`
    : detail
}

/**
 * What `work` gives, once it gives something: it is tried again as long as the store is away or busy, with a line of
 * progress for every try. Rejects with what is no such thing, and with the signal's reason.
 */
export async function onceThere<T>(
  work: () => Promise<T>,
  { log, pause, now, signal, onWaiting }: Waiting,
): Promise<T> {
  const start = now()
  for (let ms = firstMs; ; ms = Math.min(ms * 2, longestMs)) {
    signal?.throwIfAborted()
    try {
      const done = await work()
      onWaiting?.(undefined)
      return done
    } catch (error) {
      if (isFinal(error)) throw error
      onWaiting?.(reasonOf(error))
      log.info({ seconds: Math.round((now() - start) / 1000), error }, 'store.waiting')
    }
    await pause(ms)
  }
}
