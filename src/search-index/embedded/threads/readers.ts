/** The reader workers: one request each at a time, within a time limit, and a pause for checkpoints. */

import { failureOf } from './giving-up.ts'
import type { ReaderCalls } from './messages.ts'
import { unavailable, type Thread } from './thread.ts'

export type Reader = Thread<ReaderCalls>

type Job = {
  /** Starts the call; `done` resolves when the worker has answered, whatever it said. */
  readonly begin: (reader: Reader) => { readonly id: number; readonly done: Promise<void> }
  /** Aborted when nobody wants the answer any more. */
  readonly stopping: AbortController
}

/** How long a worker may take to notice that it should stop; then it is replaced. */
const graceMs = 2_000

export class Readers {
  readonly #idle: Reader[]
  readonly #all: readonly Reader[]
  readonly #limitMs: number
  #jobs: Job[] = []
  #paused: (() => void) | undefined
  #pause: Promise<void> | undefined
  #closed = false

  constructor(readers: readonly Reader[], limitMs: number) {
    this.#all = readers
    this.#idle = [...readers]
    this.#limitMs = limitMs
  }

  /** Waiting for a free reader counts towards the limit. Rejects with the signal's failure when it is aborted. */
  async run<Name extends keyof ReaderCalls>(
    name: Name,
    payload: ReaderCalls[Name][0],
    outer?: AbortSignal,
  ): Promise<ReaderCalls[Name][1]> {
    if (this.#closed) throw unavailable('it is closed')
    const sources = [AbortSignal.timeout(this.#limitMs), ...(outer ? [outer] : [])]
    const stopping = new AbortController()
    const { signal } = stopping
    const stop = (event: Event) => stopping.abort(failureOf(event.target))
    for (const source of sources) source.addEventListener('abort', stop)
    try {
      if (outer?.aborted) throw failureOf(outer)
      return await new Promise<ReaderCalls[Name][1]>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(failureOf(signal)), { once: true })
        const begin = (reader: Reader) => {
          const { id, answer } = reader.call(name, payload)
          return { id, done: answer.then(resolve, reject) }
        }
        this.#jobs.push({ begin, stopping })
        this.#next()
      })
    } finally {
      for (const source of sources) source.removeEventListener('abort', stop)
    }
  }

  /** Runs `work` while no reader is inside a request, one such work after the other. */
  async pausedFor(work: () => Promise<unknown>): Promise<void> {
    while (this.#pause) await Promise.allSettled([this.#pause])
    this.#pause = this.#pausedFor(work)
    try {
      await this.#pause
    } finally {
      this.#pause = undefined
    }
  }

  /** Runs `work` while there are no workers at all; those that come afterwards know nothing of before. */
  replacedAfter(work: () => Promise<unknown>): Promise<void> {
    return this.pausedFor(async () => {
      await Promise.all(this.#all.map((reader) => reader.terminate()))
      await work()
    })
  }

  async #pausedFor(work: () => Promise<unknown>): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#paused = resolve
      this.#next()
    })
    try {
      await work()
    } finally {
      this.#paused = undefined
      this.#next()
    }
  }

  /** Lets running requests end; waiting ones are refused. */
  async close(): Promise<void> {
    this.#closed = true
    for (const job of this.#jobs.splice(0)) job.stopping.abort(unavailable('it is closed'))
    const running = this.#all.filter((reader) => reader.running)
    // One that hangs is ended by the time limit of what it hangs in, and is closed by that too.
    await Promise.allSettled(running.map((reader) => reader.call('close', undefined).answer))
  }

  #next(): void {
    if (this.#paused) {
      if (this.#idle.length === this.#all.length) this.#paused()
      return
    }
    while (this.#jobs.length > 0) {
      const reader = this.#idle.pop()
      if (!reader) return
      const job = this.#jobs.shift()
      if (job && !job.stopping.signal.aborted) void this.#serve(reader, job)
      else this.#idle.push(reader)
    }
  }

  /** The reader is busy until the worker has answered, also when nobody waits for the answer any more. */
  async #serve(reader: Reader, { begin, stopping }: Job): Promise<void> {
    const { id, done } = begin(reader)
    let last: AbortSignal | undefined
    const kill = () => void reader.terminate()
    const stop = () => {
      reader.stop(id)
      last = AbortSignal.timeout(graceMs)
      last.addEventListener('abort', kill, { once: true })
    }
    stopping.signal.addEventListener('abort', stop, { once: true })
    await done
    stopping.signal.removeEventListener('abort', stop)
    last?.removeEventListener('abort', kill)
    this.#idle.push(reader)
    this.#next()
  }
}
