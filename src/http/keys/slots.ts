/** Bounds how many things one client does at the same time. */

import { Failure } from '../../errors.ts'

type Slots = {
  /** Runs the work if the client has a free slot, else throws `too-many-requests` (429). */
  run<T>(client: string, work: () => Promise<T>): Promise<T>
}

type Options = {
  /** Slots per client. */
  readonly atOnce: number
  /** Configuration key named in the refusal, such as `writesPerKey`. */
  readonly limit: string
}

/** Slots per client id; a client without running work takes no memory. */
export function slots({ atOnce, limit }: Options): Slots {
  const busy = new Map<string, number>()
  return {
    run: async (client, work) => {
      const running = busy.get(client) ?? 0
      if (running >= atOnce) {
        const detail = `at most ${atOnce} at once (limit ${limit}); wait for one to finish`
        throw new Failure('too-many-requests', detail, { retryAfter: 1 })
      }
      busy.set(client, running + 1)
      try {
        return await work()
      } finally {
        const left = (busy.get(client) ?? 1) - 1
        if (left > 0) busy.set(client, left)
        else busy.delete(client)
      }
    },
  }
}
