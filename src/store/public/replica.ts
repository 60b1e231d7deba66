/** The life of the public worker: started at the first query, ended at the deadline, one query at a time. */

import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads'
import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { boundedEngine, processBytes, type Engine } from '../embedded/engine.ts'
import { failureOf, type Refusal } from '../embedded/messages.ts'
import { tickMs, ticks } from '../embedded/ticks.ts'
import type { PublicAnswer, PublicQuery } from '../graph-store.ts'

export type ReplicaSettings = {
  readonly engine: Engine
  readonly directory: string
  readonly feed: MessagePort
}

export type ReplicaJob = {
  readonly request: PublicQuery
  readonly rows: number
  readonly bytes: number
}

export type ReplicaReply =
  | { readonly ready: true }
  | { readonly answer: PublicAnswer }
  | { readonly refusal: Refusal }

type Settings = {
  readonly directory: string
  /** Hands the writing side its end of the feed; resolves when every later write goes through it. */
  readonly follow: (port: MessagePort) => Promise<unknown>
  /** Triples that the copy will have, or about as many. */
  readonly quads: () => Promise<number>
  /** Bytes that the copy and its queries may take; 0 = what fits the triples and the machine. */
  readonly memory: number
  /** Running time of one query in ms. */
  readonly queryMs: number
  /** How long a query waits for the copy to be built, in ms. */
  readonly buildMs: number
  readonly log: Log
}

type Running = PromiseWithResolvers<PublicAnswer> & { age: number }

/** Of each triple, and of the buffers for loading (of which little is touched). */
const [quadBytes, loadingBytes] = [450, 320 * 2 ** 20]
/** Few different bounds: the code for each is kept for good. */
const stepBytes = 256 * 2 ** 20

/** Three times what the copy needs, at most a quarter of what the process may have, but always enough for the copy itself. */
function usualBytes(quads: number): number {
  const needed = loadingBytes + quads * quadBytes
  const wanted = Math.max(Math.min(3 * needed, processBytes() / 4), 1.25 * needed)
  return Math.ceil(wanted / stepBytes) * stepBytes
}

const tooMuch = (bytes: number) =>
  new Failure(
    'query-too-complex',
    `A query may use ${Math.floor(bytes / 2 ** 20)} MB together with the data (sparqlMemoryBytes).`,
    { status: 413 },
  )

const building = () =>
  new Failure('store-unavailable', 'The public copy is being built.', { retryAfter: 5 })

export class Replica {
  readonly #settings: Settings
  readonly #clock = ticks(() => this.#tick())
  #worker: Worker | undefined
  #ready: PromiseWithResolvers<void> | undefined
  #isReady = false
  #running: Running | undefined
  #waited = 0

  constructor(settings: Settings) {
    this.#settings = settings
  }

  get state(): 'absent' | 'building' | 'ready' {
    return this.#isReady ? 'ready' : this.#ready ? 'building' : 'absent'
  }

  /** One query; the caller sees to it that there is no other. */
  async run(job: ReplicaJob): Promise<PublicAnswer> {
    await this.#built()
    if (!this.#worker) throw building()
    this.#running = { ...Promise.withResolvers<PublicAnswer>(), age: 0 }
    const { promise } = this.#running
    this.#worker.postMessage(job, [])
    this.#clock.start()
    return promise
  }

  /** Ends the worker; the next query builds another. */
  end(error: Failure = building()): void {
    const worker = this.#worker
    const [ready, running] = [this.#ready, this.#running]
    this.#worker = undefined
    this.#ready = undefined
    this.#isReady = false
    this.#running = undefined
    running?.reject(error)
    ready?.reject(error)
    void worker?.terminate()
  }

  async #built(): Promise<void> {
    if (!this.#ready) {
      this.#ready = Promise.withResolvers<void>()
      this.#ready.promise.catch(() => undefined)
      this.#launch(this.#ready).catch((error: unknown) => {
        this.#settings.log.error({ error }, 'replica.failed')
        this.end()
      })
    }
    if (this.#isReady) return
    this.#waited = 0
    this.#clock.start()
    await this.#ready.promise
  }

  async #launch(ready: PromiseWithResolvers<void>): Promise<void> {
    const { port1, port2 } = new MessageChannel()
    const { directory, follow, memory, quads, log } = this.#settings
    await follow(port1)
    const bytes = memory > 0 ? memory : usualBytes(await quads())
    if (this.#ready !== ready) return port2.close()
    const workerData: ReplicaSettings = { engine: boundedEngine(bytes), directory, feed: port2 }
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData,
      transferList: [port2],
      execArgv: [],
      // Answers leave the engine as one text.
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    })
    this.#worker = worker
    worker.on('message', (reply: ReplicaReply) => this.#hear(reply))
    worker.on('error', (error) => {
      if (worker !== this.#worker) return
      log.error({ error, bytes }, 'replica.lost')
      this.end(this.#running ? tooMuch(bytes) : building())
    })
    worker.on('exit', () => {
      if (worker === this.#worker) this.end()
    })
  }

  #hear(reply: ReplicaReply): void {
    if ('ready' in reply) {
      this.#isReady = true
      this.#ready?.resolve()
      return
    }
    const running = this.#running
    this.#running = undefined
    if ('answer' in reply) running?.resolve(reply.answer)
    else running?.reject(failureOf(reply.refusal))
  }

  #tick(): boolean {
    const { queryMs, buildMs } = this.#settings
    if (this.#running) {
      this.#running.age += 1
      if (this.#running.age * tickMs >= queryMs) {
        this.end(new Failure('time-limit', `A query may run ${queryMs} ms (sparqlMs).`))
      }
    }
    if (this.#ready && !this.#isReady) {
      this.#waited += 1
      // It goes on being built; who asks meanwhile is told at once.
      if (this.#waited * tickMs >= buildMs) this.#ready.reject(building())
    }
    return this.#running !== undefined || (this.#ready !== undefined && !this.#isReady)
  }
}
