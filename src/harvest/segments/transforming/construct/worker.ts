/** Entry of the worker of queries: each record gets a store of its own, in memory and without a network. */

import { parentPort, workerData } from 'node:worker_threads'
import { Failure } from '../../../../errors.ts'
import { toLines } from '../../../../rdf/lines.ts'
import { startEngine } from '../../../../store/embedded/engine.ts'
import { isBroken, openQuads } from '../../../../store/embedded/quads.ts'
import { toFailureMessage } from '../../../../store/embedded/messages.ts'
import type { Reply } from '../bench.ts'
import { quadsOf } from '../incoming.ts'
import type { ConstructJob, ConstructResult, ConstructSettings } from './messages.ts'

type Query = ConstructJob['queries'][number]

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '')

/** Lines of the default graph after the query; other graphs are for a query's own use and forgotten. */
function applied(lines: string, { kind, text }: Query, keep: boolean): string {
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

async function transformed(job: ConstructJob): Promise<string> {
  let lines = toLines(await quadsOf(job))
  for (const query of job.queries) {
    lines = applied(lines, query, job.keep)
    if (linesOf(lines).length > job.most) {
      throw new Failure('transform-failed', `the query left more than ${job.most} triples`)
    }
  }
  if (lines !== '') return lines
  throw new Failure('transform-empty', 'the query left nothing of the record')
}

async function answer(job: ConstructJob): Promise<void> {
  let result: ConstructResult
  try {
    result = { text: await transformed(job) }
  } catch (error) {
    // A trap of the engine ends the worker, and with it the job.
    if (!(error instanceof Failure)) throw error
    result = { refusal: toFailureMessage(error) }
  }
  const reply: Reply<ConstructResult> = { result, spent: false }
  parentPort?.postMessage(reply, [])
}

const { engine }: ConstructSettings = workerData
startEngine(engine)
parentPort?.on('message', (job: ConstructJob) => {
  void answer(job)
})
const ready: Reply<ConstructResult> = { ready: true }
parentPort?.postMessage(ready, [])
