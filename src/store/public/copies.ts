/** The public copies of the data: as many as memory allows, built one after the other, and again when one is lost. */

import type { MessagePort } from 'node:worker_threads'
import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { processBytes } from '../embedded/engine.ts'
import { tickMs, ticks } from '../embedded/ticks.ts'
import { Replica } from './replica.ts'

type Settings = {
  readonly directory: string
  readonly follow: (port: MessagePort) => Promise<unknown>
  /** Triples that a copy will have, or about as many. */
  readonly quads: () => Promise<number>
  /** Bytes that a copy and its queries may take; 0 = what fits the triples and the machine. */
  readonly memory: number
  /** Copies at most. */
  readonly most: number
  readonly queryMs: number
  readonly log: Log
  /** A copy has become ready, or is not any more. */
  readonly changed: () => void
}

/** Of each triple, and of the buffers for loading (of which little is touched). */
const [quadBytes, loadingBytes] = [450, 320 * 2 ** 20]
/** A worker with nothing in its copy. */
const idleBytes = 40 * 2 ** 20
/** Few different bounds: the code for each is kept for good. */
const stepBytes = 256 * 2 ** 20
/** A copy that could not be built is tried again after so long. */
const restMs = 5000

/** Three times what a copy needs, at most a quarter of what the process may have, but always enough for the copy itself. */
function usualBytes(quads: number): number {
  const needed = loadingBytes + quads * quadBytes
  const wanted = Math.max(Math.min(3 * needed, processBytes() / 4), 1.25 * needed)
  return Math.ceil(wanted / stepBytes) * stepBytes
}

/** Copies for which there is room beside the writing engine, in three quarters of what the process may have. */
function affordable(quads: number, most: number): number {
  const each = idleBytes + quads * quadBytes
  const room = processBytes() * 0.75 - each
  return Math.min(most, Math.max(1, Math.floor(room / each)))
}

export class Copies {
  readonly #settings: Settings
  readonly #clock = ticks(() => this.#tick())
  #copies: Replica[]
  #isWanted = false
  #isBuilding = false
  #isClosed = false
  /** Milliseconds until the next try. */
  #rest = 0
  #buildMs = 0
  /** What kept the last copy from being built. */
  #fault: 'memory' | 'other' | undefined

  constructor(settings: Settings) {
    this.#settings = settings
    this.#copies = Array.from({ length: settings.most }, () => this.#copy())
  }

  get lanes(): readonly Replica[] {
    return this.#copies
  }

  get state(): 'absent' | 'building' | 'ready' {
    if (this.#copies.some(({ isReady }) => isReady)) return 'ready'
    return this.#isBuilding ? 'building' : 'absent'
  }

  /** Builds what is missing, and from now on whatever gets lost. */
  want(): void {
    this.#isWanted = true
    if (this.#rest === 0 || this.#fault === undefined) void this.#build()
  }

  /** Says to a query that no copy is ready. */
  closed(): Failure {
    const retryAfter = Math.max(1, Math.ceil(this.#buildMs / 1000) || 5)
    if (this.#fault !== 'memory') {
      return new Failure('store-unavailable', 'The public copy is being built.', { retryAfter })
    }
    const detail = 'The public copy of the data does not fit into its memory (sparqlMemoryBytes).'
    return new Failure('store-unavailable', detail, { retryAfter: 60 })
  }

  /** The writing side is gone, and with it the feed: all copies would grow stale. */
  end(): void {
    for (const copy of this.#copies) copy.end()
  }

  close(): void {
    this.#isClosed = true
    this.end()
  }

  #copy(): Replica {
    return new Replica({
      ...this.#settings,
      crowded: () => this.#renew(),
      lost: (left) => {
        // It fell behind a large import, which others would do as well: better when that is over, or when somebody asks.
        if (left) this.#wait()
        else if (this.#isWanted && this.#rest === 0) void this.#build()
        this.#settings.changed()
      },
    })
  }

  /** One at a time: each takes a core. */
  async #build(): Promise<void> {
    if (this.#isBuilding || this.#isClosed) return
    const { log, memory, most, quads } = this.#settings
    this.#isBuilding = true
    try {
      for (;;) {
        const count = await quads()
        this.#fit(affordable(count, most))
        const copy = this.#copies.find(({ isReady }) => !isReady)
        if (!copy || this.#isClosed) break
        const started = performance.now()
        await copy.build(memory > 0 ? memory : usualBytes(count))
        this.#buildMs = performance.now() - started
        this.#fault = undefined
        this.#settings.changed()
      }
    } catch (error) {
      this.#fault = error instanceof Failure && error.kind === 'store-full' ? 'memory' : 'other'
      this.#wait()
      if (!this.#isClosed) log.warn({ error }, 'replica.failed')
    } finally {
      this.#isBuilding = false
    }
    this.#renew()
  }

  /** One that holds too many deleted triples is made anew while another answers. */
  #renew(): void {
    const ready = this.#copies.filter(({ isReady }) => isReady)
    if (ready.length === 1 && this.#copies.length > 1) return
    const copy = ready.find(({ isCrowded, isBusy }) => isCrowded && !isBusy)
    if (!copy) return
    this.#settings.log.info('replica.renewed')
    copy.end()
  }

  #wait(): void {
    this.#rest = restMs
    this.#clock.start()
  }

  /** As many copies as are affordable now; what is ready is kept, what is busy ends by itself. */
  #fit(count: number): void {
    while (this.#copies.length < count) this.#copies.push(this.#copy())
    while (this.#copies.length > count && this.#copies.at(-1)?.isReady === false) this.#copies.pop()
  }

  #tick(): boolean {
    this.#rest = Math.max(0, this.#rest - tickMs)
    if (this.#rest === 0 && this.#isWanted) void this.#build()
    return this.#rest > 0
  }
}
