/** Group commit: what waits when the writer becomes free goes into one transaction. */

import { Failure } from '../../../errors.ts'
import type { Batch, WriterCalls, Written } from './messages.ts'
import { unavailable, type Thread } from './thread.ts'

type Waiting = {
  readonly batch: Batch
  readonly resolve: () => void
  readonly reject: (failure: unknown) => void
}

/** Changes per transaction; a larger batch is still one transaction, but takes no others in. */
const most = 200
/** A log of this size is moved into the file while the readers pause. */
const walLimit = 64 * 1024 * 1024

/**
 * A lone writer waits for nobody; many small ones share a commit, because those that come while one commit runs are
 * together in the next.
 */
export class WriteQueue {
  readonly #writer: Thread<WriterCalls>
  readonly #pausedFor: (work: () => Promise<unknown>) => Promise<void>
  readonly #committed: () => void
  #waiting: Waiting[] = []
  #running: Promise<void> | undefined
  #closed = false

  /** `committed` is told when a commit may have changed what is found, before anybody else hears of it. */
  constructor(
    writer: Thread<WriterCalls>,
    pausedFor: (work: () => Promise<unknown>) => Promise<void>,
    committed: () => void,
  ) {
    this.#writer = writer
    this.#pausedFor = pausedFor
    this.#committed = committed
  }

  write(batch: Batch, signal?: AbortSignal): Promise<void> {
    if (this.#closed) return Promise.reject(unavailable('it is closed'))
    if (batch.length === 0) return Promise.resolve()
    if (signal?.aborted) return Promise.reject(givenUp(signal))
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting = { batch, resolve, reject }
    const stop = () => {
      // What the writer has already got will land; what still waits need not.
      this.#waiting = this.#waiting.filter((other) => other !== waiting)
      reject(givenUp(signal))
    }
    signal?.addEventListener('abort', stop, { once: true })
    this.#waiting.push(waiting)
    this.#running ??= this.#run()
    // A signal may outlive thousands of writes: each listener left on it would keep a batch in memory.
    return promise.finally(() => signal?.removeEventListener('abort', stop))
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

  #take(): Waiting[] {
    let size = 0
    const end = this.#waiting.findIndex((one) => (size += one.batch.length) > most)
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : Math.max(1, end))
  }

  async #commit(group: readonly Waiting[]): Promise<void> {
    let written: Written
    try {
      written = await this.#writer.call(
        'write',
        group.map((one) => one.batch),
      ).answer
    } catch (error) {
      for (const one of group) one.reject(error)
      return
    } finally {
      this.#committed()
    }
    for (const [i, one] of group.entries()) {
      const error = written.errors[i]
      if (error === undefined) one.resolve()
      else one.reject(unavailable('a batch could not be written', error))
    }
    if (written.walBytes > walLimit) await this.#checkpoint()
  }

  /** A log that could not be moved is moved after a later batch; the failure is already in the log. */
  async #checkpoint(): Promise<void> {
    const moved = this.#pausedFor(() => this.#writer.call('checkpoint', undefined).answer)
    await Promise.allSettled([moved])
  }
}

function givenUp(signal: AbortSignal | undefined): Failure {
  const reason: unknown = signal?.reason
  if (reason instanceof Failure) return reason
  return new Failure('time-limit', 'the write was given up', { cause: reason })
}
