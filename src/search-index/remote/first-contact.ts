/** First contact with a search engine on a server, which may be away when the platform starts. */

import { Failure } from '../../errors.ts'

/**
 * Attempts the first contact and returns the function that repeats the attempt at each call until it has succeeded once. Also resolves
 * if the server cannot be reached (`engine-unavailable`); closes the connections and rejects if the attempt fails otherwise.
 */
export async function firstContact({
  attempt,
  close,
}: {
  readonly attempt: () => Promise<unknown>
  readonly close: () => void
}): Promise<() => Promise<void>> {
  let hasSucceeded = false
  const connectOnce = async () => {
    if (hasSucceeded) return
    await attempt()
    hasSucceeded = true
  }
  await connectOnce().catch((error: unknown) => {
    if (error instanceof Failure && error.kind === 'engine-unavailable') return
    close()
    throw error
  })
  return connectOnce
}
