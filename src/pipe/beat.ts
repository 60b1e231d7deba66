/** Work that is done again and again while a part of the process is open. */

import type { Log } from '../log.ts'
import type { Pause } from '../workers/retry.ts'

/**
 * Does the work every so many ms until the signal fires; resolves then. A round that fails is logged under the name, and the
 * next one comes.
 */
export async function repeated(
  name: string,
  ms: number,
  {
    pause,
    log,
    signal,
  }: { readonly pause: Pause; readonly log: Log; readonly signal: AbortSignal },
  work: () => void,
): Promise<void> {
  for (;;) {
    try {
      await pause(ms, signal)
      if (signal.aborted) return
      work()
    } catch (err) {
      if (signal.aborted) return
      log.error({ err }, name)
    }
  }
}
