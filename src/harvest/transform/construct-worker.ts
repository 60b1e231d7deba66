/** Entry of the worker of queries: each record gets a store of its own, in memory and without a network. */

import { workerData } from 'node:worker_threads'
import { Failure } from '../../errors.ts'
import { toLines } from '../../rdf/lines.ts'
import { type RdfEngine, startEngine } from '../../store/embedded/engine.ts'
import { isBroken, openQuads } from '../../store/embedded/quads.ts'
import { serve } from '../../workers/serve.ts'
import { type InputRecord, overLimits, quadsOf } from './record-quads.ts'

type Query = ConstructJob['queries'][number]

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '')

/** Lines of the default graph after the query; other graphs are for a query's own use and forgotten. */
function applyQuery(lines: string, { kind, text }: Query, keep: boolean): string {
  const quads = openQuads()
  quads.load('', lines)
  // Blank nodes have one name as long as they are in one store.
  const before = keep ? linesOf(quads.dump('')) : []
  const after = () => {
    if (kind === 'construct') return quads.query(text, { mediaType: 'application/n-triples' })
    quads.update(text)
    return quads.dump('')
  }
  try {
    const all = new Set([...before, ...linesOf(after())])
    return all.size === 0 ? '' : `${[...all].join('\n')}\n`
  } catch (cause) {
    if (isBroken(cause)) throw cause
    throw new Failure('transform-failed', 'the query was refused by the engine', { cause })
  }
}

/** All queries one after the other. Throws `Failure` transform-failed or transform-empty. */
async function transformRecord(job: ConstructJob): Promise<string> {
  let lines = toLines(await quadsOf(job))
  for (const query of job.queries) {
    lines = applyQuery(lines, query, job.keep)
    if (linesOf(lines).length > job.most) {
      throw new Failure('transform-failed', `the query left more than ${job.most} triples`)
    }
  }
  if (lines !== '') return lines
  throw new Failure('transform-empty', 'the query left nothing of the record')
}

/** The compiled engine, which all workers share. */
export type ConstructSettings = { readonly engine: RdfEngine }

/** One record, and what is done to it. */
export type ConstructJob = InputRecord & {
  /** In order, each on what the one before it has left; all values in place. */
  readonly queries: readonly { readonly kind: 'construct' | 'update'; readonly text: string }[]
  /** Whether the result of the query is added to the record in place of replacing it. */
  readonly keep: boolean
  /** Triples that a query may leave. */
  readonly most: number
}

export type ConstructCalls = { transform: [job: ConstructJob, lines: string] }

const { engine }: ConstructSettings = workerData.data
startEngine(engine)
serve<ConstructCalls>({
  transform: async (job, { retire }) => {
    try {
      return await transformRecord(job)
    } catch (cause) {
      if (cause instanceof Failure) throw cause
      // A trap: the engine is not to be used again.
      retire()
      throw new Failure('transform-failed', overLimits, { cause })
    }
  },
})
