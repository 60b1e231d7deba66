/** Waiting for what Meilisearch does later: every write is a task, and a failed one resolves like a good one. */

import { z } from 'zod'
import { expected, failedTask, givenUp } from './engine-failures.ts'
import type { Wire } from './engine-client.ts'

export type Tasks = {
  /** Resolves when all have succeeded; each argument is the answer to the call that began it. */
  done(begun: readonly unknown[], signal?: AbortSignal): Promise<void>
}

const begunTask = z.object({ taskUid: z.number() })
const tasksAnswer = z.object({
  results: z.array(
    z.object({ uid: z.number(), status: z.string(), error: z.unknown().optional().optional() }),
  ),
})

/** Milliseconds between two looks: short for single writes, longer for those that take long anyway. */
const firstPause = 2
const lastPause = 200

export function tasksOf(
  wire: Wire,
  pause: (ms: number, signal: AbortSignal) => Promise<void>,
): Tasks {
  const unending = new AbortController().signal
  return {
    done: async (begun, signal = unending) => {
      let open = begun.map((one) => expected(begunTask, one).taskUid)
      for (let ms = firstPause; open.length > 0; ms = Math.min(ms * 1.3, lastPause)) {
        await pause(ms, signal)
        if (signal.aborted) throw givenUp(signal.reason)
        const answer = await wire.get(`/tasks?uids=${open.join(',')}&limit=${open.length}`, signal)
        for (const { uid, status, error } of expected(tasksAnswer, answer).results) {
          if (status === 'failed' || status === 'canceled') throw failedTask(error)
          if (status === 'succeeded') open = open.filter((one) => one !== uid)
        }
      }
    },
  }
}
