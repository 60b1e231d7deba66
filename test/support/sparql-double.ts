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
  readonly #pending = new Map<number, Pending>()
  /** What has been done: done again by the next worker. */
  readonly #updates: string[] = []
  #worker = this.#started()
  #last = 0

  /** A store that never gave up a query would be busy with it when the next one comes. */
  constructor(callMs = 3000) {
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
    const job = { ...given, id: ++this.#last }
    const late = setTimeout(() => this.#end(job.id), this.#callMs)
    const settle = (answer: Answered) => {
      clearTimeout(late)
      resolve(answer)
    }
    this.#pending.set(job.id, { job, settle })
    this.#worker.postMessage(job, [])
    return promise
  }

  #started(): Worker {
    const worker = new Worker(new URL('./sparql-engine.ts', import.meta.url), {
      workerData: engine,
      execArgv: [],
    })
    worker.on('message', ({ id, ok, text }: EngineAnswer) => {
      const pending = this.#pending.get(id)
      if (worker !== this.#worker || !pending) return
      this.#pending.delete(id)
      if (ok && pending.job.update !== undefined) this.#updates.push(pending.job.update)
      pending.settle({ status: ok ? 200 : 400, text })
    })
    worker.on('error', () => worker === this.#worker && this.#end())
    return worker
  }

  /** Gives up on one call, or on all, with the worker that does them. */
  #end(late?: number): void {
    void this.#worker.terminate()
    this.#worker = this.#started()
    for (const update of this.#updates) {
      this.#worker.postMessage({ id: 0, update, shape: { mediaType: '' } }, [])
    }
    for (const [id, { job, settle }] of this.#pending) {
      if (late !== undefined && id !== late) this.#worker.postMessage(job, [])
      else {
        this.#pending.delete(id)
        settle({ status: late === undefined ? 503 : 504, text: 'the query was ended' })
      }
    }
  }
}
