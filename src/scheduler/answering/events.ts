/** A run as it goes on, as Server-Sent Events (HTML Standard 9.2). */

import { Failure } from '../../errors.ts'
import type { Run } from '../../pipe/runs/run.ts'

/** So often something is sent, lest a proxy takes the connection for dead. */
const beatMs = 15_000

type Pause = (ms: number, signal: AbortSignal) => Promise<void>

/** An event `run` for each state, `end` for the last one, and comments while nothing happens. */
export async function* events(
  states: AsyncIterable<Run>,
  pause: Pause,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const source = states[Symbol.asyncIterator]()
  let last: Run | undefined
  try {
    for (;;) {
      const next = source.next()
      while (!(await isFirst(next, pause, signal))) {
        signal.throwIfAborted()
        yield ':\n\n'
      }
      const { done, value } = await next
      if (done === true) break
      last = value
      yield event('run', value)
    }
    if (last) yield event('end', last)
  } finally {
    await source.return?.()
  }
}

const event = (name: string, run: Run): string => `event: ${name}\ndata: ${JSON.stringify(run)}\n\n`

/** Whether the work ends before the next beat; the beat does not go on without it. */
async function isFirst(work: Promise<unknown>, pause: Pause, outer: AbortSignal): Promise<boolean> {
  const settled = new AbortController()
  const beat = pause(beatMs, AbortSignal.any([settled.signal, outer])).then(
    () => false,
    () => false,
  )
  try {
    return await Promise.race([work.then(() => true), beat])
  } finally {
    settled.abort()
  }
}

export type Followers = {
  /** The same pieces, counted while somebody reads them. Throws `too-many-requests`. */
  admit(client: string, pieces: AsyncGenerator<string>): AsyncGenerator<string>
}

/** Each follower holds a connection: only so many for one client and for all. */
export function followers({ perClient = 16, total = 500 } = {}): Followers {
  const counts = new Map<string, number>()
  let all = 0
  const leave = (client: string) => {
    all -= 1
    const left = (counts.get(client) ?? 1) - 1
    if (left > 0) counts.set(client, left)
    else counts.delete(client)
  }
  async function* counted(client: string, pieces: AsyncGenerator<string>) {
    const here = counts.get(client) ?? 0
    if (here >= perClient || all >= total) {
      const detail = `at most ${perClient} runs can be followed at once`
      throw new Failure('too-many-requests', detail, { retryAfter: 5 })
    }
    counts.set(client, here + 1)
    all += 1
    try {
      yield* pieces
    } finally {
      leave(client)
    }
  }
  return { admit: counted }
}
