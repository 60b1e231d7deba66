/** Entry of the public worker: a read-only replica that strangers may query, and that may be ended at any moment. */

import { workerData, type MessagePort } from 'node:worker_threads'
import { Failure } from '../../errors.ts'
import { systemGraph } from '../../rdf/namespaces.ts'
import { emit, serve } from '../../workers/serve.ts'
import { startEngine } from '../embedded/engine.ts'
import { GraphFile } from '../embedded/graph-file.ts'
import type { EffectFeed } from '../embedded/messages.ts'
import { isBroken, isCrowded, openQuads, type Quads, type QueryShape } from '../embedded/quads.ts'
import { perform } from '../embedded/effects.ts'
import { fill } from '../embedded/store-writer.ts'
import { resultsOf } from '../sparql-results.ts'
import { publicAnswer, type PublicEngine } from './public-answer.ts'
import { refusedBy } from './query-checks.ts'
import type { ReplicaCalls, ReplicaEvent, ReplicaSettings } from './replicas.ts'

const solutionsJson = 'application/sparql-results+json'

/** The engine answers at once; it is `async` for the sake of stores that do not. */
function engineOf(quads: Quads): PublicEngine {
  const run = (text: string, shape: QueryShape): string => {
    try {
      return quads.query(text, shape)
    } catch (cause) {
      if (isBroken(cause)) throw cause
      throw refusedBy('engine', cause)
    }
  }
  return {
    rows: undefined,
    exists: async (graph) => {
      // The parser has taken the name as an IRI, so it has nothing that could end one.
      return run(`ASK { GRAPH <${graph}> { ?s ?p ?o } }`, { mediaType: 'text/csv' }).includes(
        'true',
      )
    },
    solutions: async (query) => resultsOf(run(query.text, { ...query, mediaType: solutionsJson })),
    triples: async (query) => run(query.text, { ...query, mediaType: 'application/n-triples' }),
  }
}

function filled(directory: string): Quads {
  const quads = openQuads()
  const file = new GraphFile(directory, true)
  try {
    fill(file, quads, (graph) => graph !== systemGraph)
    return quads
  } catch (cause) {
    if (!isBroken(cause)) throw cause
    throw new Failure('store-full', 'The data do not fit into the memory of a copy.', { cause })
  } finally {
    file.close()
  }
}

function follow(quads: Quads, feed: MessagePort): void {
  let isTold = false
  // What was written while the copy was read comes again: effects may be done twice.
  feed.on('message', ({ effects, size }: EffectFeed) => {
    for (const effect of effects) perform(quads, effect)
    feed.postMessage(size, [])
    if (isTold || !isCrowded(quads.statements())) return
    isTold = true
    emit('crowded' satisfies ReplicaEvent)
  })
  // Without the feed this copy would grow stale.
  feed.on('close', () => process.exit())
}

const { engine, directory, feed }: ReplicaSettings = workerData.data
startEngine(engine)
const quads = filled(directory)
follow(quads, feed)
const own = engineOf(quads)
/** What is no refusal (a trap of the engine) must end the worker. */
const fatal = (error: unknown): Promise<never> => {
  if (error instanceof Failure) throw error
  setImmediate(() => {
    throw error
  })
  return new Promise(() => undefined)
}
serve<ReplicaCalls>({ query: (job) => publicAnswer(job, own).catch(fatal) })
emit('ready' satisfies ReplicaEvent)
