/** One refresh at a time: who asks for what is being done joins it, what else is wanted is done together afterwards. */

import type { Extent } from '../refreshing/refresh.ts'

type Job = {
  extent: Extent
  readonly done: PromiseWithResolvers<number>
  readonly control: AbortController
  /** Who still wants it. */
  waiters: number
}

export type RefreshQueue = {
  /**
   * Resolves with the number of the refresh. `isFresh`: what runs already does not count, because it may have read before
   * what the caller knows of. A refresh that nobody waits for any more is aborted.
   */
  request(
    wish: { readonly extent: Extent; readonly isFresh?: boolean },
    signal?: AbortSignal,
  ): Promise<number>
  /** Aborts what runs and waits for its end. */
  stop(): Promise<void>
}

const covers = (running: Extent, wanted: Extent): boolean =>
  running === 'all' || (wanted !== 'all' && wanted.every((id) => running.includes(id)))

/** Everything that either of them wants. */
export const together = (one: Extent, other: Extent): Extent =>
  one === 'all' || other === 'all' ? 'all' : [...new Set([...one, ...other])].sort()

export function refreshQueue(
  work: (extent: Extent, signal: AbortSignal) => Promise<number>,
): RefreshQueue {
  const ending = new AbortController()
  let running: Job | undefined
  let waiting: Job | undefined
  let ended = Promise.resolve()

  const start = async (job: Job): Promise<void> => {
    running = job
    try {
      const signal = AbortSignal.any([job.control.signal, ending.signal])
      job.done.resolve(await work(job.extent, signal))
    } catch (error) {
      job.done.reject(error)
    }
    const next = waiting
    running = waiting = undefined
    if (next) await start(next)
  }

  const jobFor = (extent: Extent, isFresh: boolean): Job => {
    const isThere = running && !isFresh && !running.control.signal.aborted
    if (running && isThere && covers(running.extent, extent)) return running
    if (waiting && !waiting.control.signal.aborted) {
      waiting.extent = together(waiting.extent, extent)
      return waiting
    }
    const job = newJob(extent)
    if (running) waiting = job
    else ended = start(job)
    return job
  }

  return {
    request: ({ extent, isFresh = false }, signal) => {
      const reason = ending.signal.aborted ? ending.signal : signal
      if (reason?.aborted) return Promise.reject<number>(reason.reason)
      return joined(jobFor(extent, isFresh), signal)
    },
    stop: async () => {
      ending.abort(new Error('the cache ends'))
      await ended
    },
  }
}

function newJob(extent: Extent): Job {
  const done = Promise.withResolvers<number>()
  // Whoever waits hears of a failure; a refresh that nobody waits for must not end the process.
  done.promise.catch(() => undefined)
  return { extent, done, control: new AbortController(), waiters: 0 }
}

function joined(job: Job, signal: AbortSignal | undefined): Promise<number> {
  job.waiters += 1
  if (!signal) return job.done.promise
  return new Promise<number>((resolve, reject) => {
    const leave = () => {
      job.waiters -= 1
      if (job.waiters === 0) job.control.abort(signal.reason)
      reject(signal.reason)
    }
    signal.addEventListener('abort', leave, { once: true })
    const stay = () => signal.removeEventListener('abort', leave)
    job.done.promise.finally(stay).then(resolve, reject)
  })
}
