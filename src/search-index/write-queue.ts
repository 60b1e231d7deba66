/** Group commit, on every engine: what waits when a write ends goes out together with the next. */

import { Failure } from '../errors.ts'

type Waiting<Batch> = {
  readonly batch: Batch
  readonly resolve: () => void
  readonly reject: (failure: unknown) => void
}

type QueueOptions<Batch> = {
  /** Changes that go out together; a larger batch goes alone. */
  readonly most: number
  /** Writes all batches; answers what went wrong with each (`undefined` = nothing), and rejects when that is the same for all. */
  readonly commit: (batches: readonly Batch[]) => Promise<readonly unknown[]>
}

/**
 * A lone writer waits for nobody; many small ones share a commit, because those that come while one commit runs are
 * together in the next.
 */
export class WriteQueue<Batch extends { readonly length: number }> {
  readonly #options: QueueOptions<Batch>
  #waiting: Waiting<Batch>[] = []
  #running: Promise<void> | undefined
  #closed = false

  constructor(options: QueueOptions<Batch>) {
    this.#options = options
  }

  /** Resolves when the batch is written. A signal takes back what waits; what was sent lands. */
  async write(batch: Batch, signal?: AbortSignal): Promise<void> {
    if (this.#closed)
      throw new Failure('engine-unavailable', 'The search index is closed.', { retryAfter: 10 })
    if (batch.length === 0) return
    if (signal?.aborted) throw abandoned(signal)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting = { batch, resolve, reject }
    const stop = () => {
      this.#waiting = this.#waiting.filter((other) => other !== waiting)
      reject(abandoned(signal))
    }
    signal?.addEventListener('abort', stop, { once: true })
    this.#waiting.push(waiting)
    this.#running ??= this.#run()
    try {
      await promise
    } finally {
      // A signal may outlive thousands of writes: each listener left on it would keep a batch in memory.
      signal?.removeEventListener('abort', stop)
    }
  }

  /** What was accepted is still written. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#running
  }

  async #run(): Promise<void> {
    // Writes of the same turn of the event loop belong together.
    await Promise.resolve()
    while (this.#waiting.length > 0) await this.#commit(this.#take())
    this.#running = undefined
  }

  #take(): Waiting<Batch>[] {
    let size = 0
    const end = this.#waiting.findIndex((one) => (size += one.batch.length) > this.#options.most)
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : Math.max(1, end))
  }

  async #commit(group: readonly Waiting<Batch>[]): Promise<void> {
    try {
      const errors = await this.#options.commit(group.map(({ batch }) => batch))
      for (const [i, { resolve, reject }] of group.entries())
        if (errors[i] === undefined) resolve()
        else reject(errors[i])
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }
}

function abandoned(signal: AbortSignal | undefined): Failure {
  const reason: unknown = signal?.reason
  if (reason instanceof Failure) return reason
  return new Failure('time-limit', 'the write was given up', { cause: reason })
}
