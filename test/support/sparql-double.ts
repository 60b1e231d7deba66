/** A SPARQL 1.1 store in memory for tests: Oxigraph in a worker, which is ended when a query takes too long. */

import { Worker } from 'node:worker_threads'
import { boundedEngine } from '../../src/store/embedded/engine.ts'
import type { QueryShape } from '../../src/store/embedded/quads.ts'

export type EngineJob = {
  readonly id: number
  readonly update?: string
  readonly query?: string
  readonly shape: QueryShape
}

export type EngineAnswer = { readonly id: number; readonly ok: boolean; readonly text: string }

type Pending = { readonly job: EngineJob; readonly settle: (answer: Answered) => void }

type Answered = { readonly status: number; readonly text: string }

const engine = boundedEngine(2 ** 31)

export class SparqlDouble {
  readonly #callMs: number
  /** The first one is in work. */
  readonly #pending: Pending[] = []
  /** What has been done: done again by the next worker. */
  readonly #updates: string[] = []
  #worker = this.#started()
  #late: NodeJS.Timeout | undefined
  #last = 0

  /** A store that never gave up a query would be busy with it when the next one comes. */
  constructor(callMs = 2000) {
    this.#callMs = callMs
  }

  query(query: string, shape: QueryShape): Promise<Answered> {
    return this.#call({ query, shape })
  }

  async update(update: string): Promise<Answered> {
    const answer = await this.#call({ update, shape: { mediaType: '' } })
    return answer.status === 200 ? { ...answer, status: 204 } : answer
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }

  #call(given: Omit<EngineJob, 'id'>): Promise<Answered> {
    const { promise, resolve } = Promise.withResolvers<Answered>()
    this.#last += 1
    this.#pending.push({ job: { ...given, id: this.#last }, settle: resolve })
    if (this.#pending.length === 1) this.#next()
    return promise
  }

  #next(): void {
    clearTimeout(this.#late)
    const [first] = this.#pending
    if (!first) return
    this.#worker.postMessage(first.job, [])
    this.#late = setTimeout(() => this.#end(504), this.#callMs)
  }

  #started(): Worker {
    const worker = new Worker(new URL('./sparql-engine.ts', import.meta.url), {
      workerData: engine,
      execArgv: [],
    })
    worker.on('message', ({ id, ok, text }: EngineAnswer) => {
      // What was done is done again: the time of the next call begins after that.
      if (id === 0) this.#late?.refresh()
      const [first] = this.#pending
      if (worker !== this.#worker || first?.job.id !== id) return
      this.#pending.shift()
      if (ok && first.job.update !== undefined) this.#updates.push(first.job.update)
      first.settle({ status: ok ? 200 : 400, text })
      this.#next()
    })
    worker.on('error', () => worker === this.#worker && this.#end(503))
    return worker
  }

  /** Gives up on the call in work, with the worker. */
  #end(status: number): void {
    void this.#worker.terminate()
    this.#worker = this.#started()
    for (const update of this.#updates) {
      this.#worker.postMessage({ id: 0, update, shape: { mediaType: '' } }, [])
    }
    this.#pending.shift()?.settle({ status, text: 'the query was ended' })
    this.#next()
  }
}
