/** One validating worker and the records that it has: the first is in work, the next is at hand. */

import { Worker } from 'node:worker_threads'
import type { ModelShapes, Ready, Reply, Start, Task } from './messages.ts'

/** A record on its way to a report. */
export type Work = {
  readonly model: string
  readonly shapes: ModelShapes
  readonly text: string
  readonly withRecords?: boolean | undefined
  readonly done: (outcome: Outcome) => void
}

/** `lost`: the worker is gone, and this record was in work. */
export type Outcome = Reply | { readonly lost: 'time' | 'worker'; readonly cause: unknown }

export type LaneSettings = {
  /** Results that are kept of one record. */
  readonly results: number
  /** Heap of the worker in MB. */
  readonly memoryMb: number
}

/** What a worker that is gone leaves behind. */
type Ended = (lane: Lane, left: readonly Work[]) => void

/** Records that a worker has at once: while it posts a report the next one is there already. */
const atHand = 2

export class Lane {
  readonly #worker: Worker
  readonly #queue: { readonly id: number; readonly work: Work }[] = []
  readonly #sent = new Set<string>()
  readonly #next: (lane: Lane) => void
  readonly #ended: Ended
  #last = 0
  #isOver = false
  #isReady = false
  /** Beats since anything happened; whoever watches counts them. */
  age = 0

  constructor(
    settings: LaneSettings,
    on: { readonly next: (lane: Lane) => void; readonly ended: Ended },
  ) {
    this.#next = on.next
    this.#ended = on.ended
    const workerData: Start = { results: settings.results }
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData,
      name: 'validating',
      // Shapes are somebody's text: nothing of our environment is theirs to see. A small nursery keeps garbage from counting.
      env: {},
      resourceLimits: { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: settings.memoryMb },
    })
    this.#worker.on('message', (message: Ready | Reply) => this.#hear(message))
    this.#worker.on('error', (error) => this.#lose('worker', error))
    this.#worker.on('exit', () => this.#lose('worker', new Error('the worker ended')))
  }

  get size(): number {
    return this.#queue.length
  }

  /** Whether it has begun; the time until then is not its record's. */
  get isReady(): boolean {
    return this.#isReady
  }

  get hasRoom(): boolean {
    return !this.#isOver && this.#queue.length < atHand
  }

  take(work: Work): void {
    const { model, shapes, text, withRecords } = work
    const id = ++this.#last
    const task: Task = { id, model, text, withRecords, ...(!this.#sent.has(model) && { shapes }) }
    this.#sent.add(model)
    if (this.#queue.length === 0) this.age = 0
    this.#queue.push({ id, work })
    // Only a worker that somebody waits for keeps the process alive.
    this.#worker.ref()
    this.#worker.postMessage(task, [])
  }

  /** Ends the worker because its record takes too long. */
  expire(): void {
    this.#lose('time', undefined)
  }

  /** Ends the worker; what it has comes back by `ended`. */
  async close(): Promise<void> {
    this.#isOver = true
    this.#ended(this, this.#emptied())
    await this.#worker.terminate()
  }

  #hear(reply: Ready | Reply): void {
    if (this.#isOver) return
    this.age = 0
    if ('ready' in reply) {
      this.#isReady = true
      return
    }
    const front = this.#queue.shift()
    if (this.#queue.length === 0) this.#worker.unref()
    front?.work.done(reply)
    this.#next(this)
  }

  #lose(lost: 'time' | 'worker', cause: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    void this.#worker.terminate()
    const [front, ...left] = this.#emptied()
    front?.done({ lost, cause })
    this.#ended(this, left)
  }

  #emptied(): Work[] {
    return this.#queue.splice(0).map(({ work }) => work)
  }
}
