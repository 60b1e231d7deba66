/** Work that goes on after its answer. */

import type { Log } from '../../log.ts'
import type { SchedulerDeps } from '../deps.ts'

/** What is refused is refused at once; what takes longer than this is under way. */
const waitMs = 500

type Deps = Pick<SchedulerDeps, 'pause' | 'ending'> & { readonly log: Log }

/** Rejects as the work does, if it does so soon; later failures are for the log. */
export async function begun(work: Promise<unknown>, { pause, ending, log }: Deps): Promise<void> {
  const settled = new AbortController()
  let answered = false
  const watched = work.catch((error: unknown) => {
    if (!answered) throw error
    if (!ending.aborted) log.warn({ err: error }, 'request.unfinished')
  })
  try {
    const waited = pause(waitMs, AbortSignal.any([settled.signal, ending])).catch(() => undefined)
    await Promise.race([watched, waited])
  } finally {
    answered = true
    settled.abort()
  }
}
