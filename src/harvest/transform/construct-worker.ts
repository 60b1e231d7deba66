/** Worker entry for SPARQL transformers: each query gets its own in-memory store with one record, without network access. */

import { workerData } from 'node:worker_threads'
import { Failure } from '../../errors.ts'
import { toLines } from '../../rdf/lines.ts'
import { type RdfEngine, startEngine } from '../../store/embedded/engine.ts'
import { isBroken, openQuads } from '../../store/embedded/quads.ts'
import { serve } from '../../workers/serve.ts'
import { type InputRecord, overLimits, quadsOf } from './record-quads.ts'

type Query = ConstructJob['queries'][number]

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '')

/**
 * Runs a query on the lines of a record. Returns the constructed triples, or the default graph after an update (other graphs are
 * dropped); with `keep`, together with the lines before.
 */
function applyQuery(lines: string, { kind, text }: Query, keep: boolean): string {
  const quads = openQuads()
  quads.load('', lines)
  // Blank nodes keep their names while they are in one store.
  const linesBefore = keep ? linesOf(quads.dump('')) : []
  const run = () => {
    if (kind === 'construct') return quads.query(text, { mediaType: 'application/n-triples' })
    quads.update(text)
    return quads.dump('')
  }
  try {
    const allLines = new Set([...linesBefore, ...linesOf(run())])
    return allLines.size === 0 ? '' : `${[...allLines].join('\n')}\n`
  } catch (cause) {
    if (isBroken(cause)) throw cause
    throw new Failure('transform-failed', 'the query was refused by the engine', { cause })
  }
}

/** Runs all queries in order; returns N-Triples. Throws `transform-failed` or `transform-empty`. */
async function transformRecord(job: ConstructJob): Promise<string> {
  let lines = toLines(await quadsOf(job))
  for (const query of job.queries) {
    lines = applyQuery(lines, query, job.keep)
    if (linesOf(lines).length > job.maxTriples) {
      throw new Failure('transform-failed', `the query left more than ${job.maxTriples} triples`)
    }
  }
  if (lines !== '') return lines
  throw new Failure('transform-empty', 'the query left nothing of the record')
}

/** Data with which the worker starts: the compiled engine, shared by all workers. */
export type ConstructSettings = { readonly engine: RdfEngine }

/** A record and its queries. */
export type ConstructJob = InputRecord & {
  /** Queries with values filled in; each operates on the result of the previous one. */
  readonly queries: readonly { readonly kind: 'construct' | 'update'; readonly text: string }[]
  /** Whether the result of a query is added to the record instead of replacing it. */
  readonly keep: boolean
  /** Maximum number of triples after a query. */
  readonly maxTriples: number
}

/** Calls of the worker: a record and its queries in, N-Triples out. */
export type ConstructCalls = { transform: [job: ConstructJob, lines: string] }

const { engine }: ConstructSettings = workerData.data
startEngine(engine)
serve<ConstructCalls>({
  transform: async (job, { retire }) => {
    try {
      return await transformRecord(job)
    } catch (cause) {
      if (cause instanceof Failure) throw cause
      // Anything else may be a WebAssembly trap, after which the engine must not be used again.
      retire()
      throw new Failure('transform-failed', overLimits, { cause })
    }
  },
})
