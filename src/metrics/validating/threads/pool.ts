/** The validating workers: started when there is work, replaced when one hangs, ended when there is none. */

import { Failure } from '../../../errors.ts'
import { tickMs, ticks } from '../../../store/embedded/ticks.ts'
import { Lane, type LaneSettings, type Outcome, type Work } from './lane.ts'

export type PoolSettings = LaneSettings & {
  readonly workers: number
  /** Time of one record. */
  readonly recordMs: number
  /** A worker without work ends after that. */
  readonly idleMs: number
  /** Records that may wait for a worker. */
  readonly waiting: number
  /** UTF-16 units of a record: a text that does not fit into a worker at all would take the process with it. */
  readonly length: number
}

/** A worker that has not begun by then never will. */
const startMs = 60_000

export class Pool {
  readonly #settings: PoolSettings
  readonly #lanes = new Set<Lane>()
  readonly #clock = ticks(() => this.#beat())
  #waiting: Work[] = []
  #stopped = false

  constructor(settings: PoolSettings) {
    this.#settings = settings
  }

  /**
   * What became of a record. Rejects with the signal's reason as soon as it is aborted, and with `Failure` `queue-full` when
   * too many wait.
   */
  run(work: Omit<Work, 'done'>, signal: AbortSignal): Promise<Outcome> {
    if (signal.aborted) return Promise.reject<Outcome>(signal.reason)
    if (this.#stopped || this.#waiting.length >= this.#settings.waiting) {
      const detail = this.#stopped ? 'the validator is stopped' : 'too many records wait'
      return Promise.reject(new Failure('queue-full', detail, { retryAfter: 5 }))
    }
    const { length } = this.#settings
    if (work.text.length > length) {
      const detail = `the record has more than ${length} characters`
      return Promise.reject(new Failure('too-complex', detail))
    }
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
    const leave = () => {
      this.#waiting = this.#waiting.filter((other) => other !== own)
      reject(signal.reason)
    }
    const own: Work = {
      ...work,
      done: (outcome) => {
        signal.removeEventListener('abort', leave)
        resolve(outcome)
      },
    }
    signal.addEventListener('abort', leave, { once: true })
    this.#waiting.push(own)
    this.#assign()
    return promise
  }

  /** Ends the workers; who still waits is told so. */
  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all([...this.#lanes].map((lane) => lane.close()))
    const lost: Outcome = { lost: 'worker', cause: new Error('the validator is stopped') }
    for (const work of this.#waiting.splice(0)) work.done(lost)
  }

  #assign(): void {
    this.#clock.start()
    while (this.#waiting.length > 0 && !this.#stopped) {
      const lane = this.#freest()
      const work = lane && this.#waiting.shift()
      if (!work) return
      lane.take(work)
    }
  }

  /** One without work, else a new one, else one that can have its next record at hand. */
  #freest(): Lane | undefined {
    const lanes = [...this.#lanes].filter(({ hasRoom }) => hasRoom)
    const idle = lanes.find(({ size }) => size === 0)
    if (idle || this.#lanes.size >= this.#settings.workers) return idle ?? lanes[0]
    const lane = new Lane(this.#settings, {
      next: () => this.#assign(),
      ended: (ended, left) => {
        this.#lanes.delete(ended)
        this.#waiting.unshift(...left)
        this.#assign()
      },
    })
    this.#lanes.add(lane)
    return lane
  }

  #beat(): boolean {
    const { recordMs, idleMs } = this.#settings
    for (const lane of this.#lanes) {
      lane.age += 1
      const limit = lane.isReady ? recordMs : startMs
      if (lane.size > 0 && lane.age * tickMs >= limit) lane.expire()
      else if (lane.size === 0 && lane.age * tickMs >= idleMs) void lane.close()
    }
    return this.#lanes.size > 0
  }
}
