/** Entry of the worker with a replica: a read-only index for public queries, which can be ended at any time. */

import { workerData, type MessagePort } from 'node:worker_threads'
import { Failure } from '../../errors.ts'
import { systemGraph } from '../../rdf/namespaces.ts'
import { emit, serve } from '../../workers/serve.ts'
import { startEngine } from '../embedded/engine.ts'
import { GraphFile } from '../embedded/graph-file.ts'
import type { EffectFeed } from '../embedded/messages.ts'
import {
  isBroken,
  needsCompaction,
  openQuads,
  type Quads,
  type QueryShape,
} from '../embedded/quads.ts'
import { applyEffects } from '../embedded/effects.ts'
import { loadGraphs } from '../embedded/load-graphs.ts'
import { quadsParts } from '../embedded/quads-parts.ts'
import { resultsOf } from '../sparql-results.ts'
import { answerPublicQuery, type PublicEngine } from './public-answer.ts'
import { engineRefusal } from './query-checks.ts'
import type { ReplicaCalls, ReplicaEvent, ReplicaSettings } from './replicas.ts'

const solutionsJson = 'application/sparql-results+json'

/** Engine of public queries on an index. */
function engineOf(quads: Quads): PublicEngine {
  const run = (text: string, shape: QueryShape): string => {
    try {
      return quads.query(text, shape)
    } catch (cause) {
      if (isBroken(cause)) throw cause
      throw engineRefusal('engine', cause)
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

function loadCopy(directory: string): Quads {
  const quads = openQuads()
  const file = new GraphFile(directory, true)
  try {
    loadGraphs(quadsParts(file, { without: systemGraph }), quads)
    return quads
  } catch (cause) {
    if (!isBroken(cause)) throw cause
    throw new Failure('store-full', 'The data do not fit into the memory of a copy.', { cause })
  } finally {
    file.close()
  }
}

function follow(quads: Quads, feed: MessagePort): void {
  let isReported = false
  // Writes during the loading may be in the file and in the feed; applying their effects twice does no harm.
  feed.on('message', ({ effects, size }: EffectFeed) => {
    applyEffects(quads, effects)
    feed.postMessage(size, [])
    if (isReported || !needsCompaction(quads.statements())) return
    isReported = true
    emit('fragmented' satisfies ReplicaEvent)
  })
  // Without the feed this replica would become stale.
  feed.on('close', () => process.exit())
}

const { engine, directory, feed }: ReplicaSettings = workerData.data
startEngine(engine)
const quads = loadCopy(directory)
follow(quads, feed)
const publicEngine = engineOf(quads)
/** Ends the worker for errors that are no failures, such as a trap of the engine. */
const endWorker = (error: unknown): Promise<never> => {
  if (error instanceof Failure) throw error
  setImmediate(() => {
    throw error
  })
  return new Promise(() => undefined)
}
serve<ReplicaCalls>({ query: (job) => answerPublicQuery(job, publicEngine).catch(endWorker) })
emit('ready' satisfies ReplicaEvent)
