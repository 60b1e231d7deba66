/** Entry of the worker behind `sparql-double.ts`: one empty RDF engine that answers queries and updates in their order. */

import { parentPort, workerData } from 'node:worker_threads'
import { startEngine, type RdfEngine } from '../../src/store/embedded/engine.ts'
import { openQuads } from '../../src/store/embedded/quads.ts'
import type { EngineAnswer, EngineJob } from './sparql-double.ts'

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the double starts it so
startEngine(workerData as RdfEngine)
const quads = openQuads()

const emptied = 'SELECT ?g { GRAPH ?g {} FILTER NOT EXISTS { GRAPH ?g { ?s ?p ?o } } }'

/** Oxigraph lists graphs that have become empty; other stores do not. */
function dropEmptied(): void {
  const names = quads.query(emptied, { mediaType: 'text/tab-separated-values' })
  for (const [, name = ''] of names.matchAll(/^<(.*)>$/gm)) quads.drop(name)
}

function answered({ id, update, query, shape }: EngineJob): EngineAnswer {
  try {
    if (query !== undefined) return { id, ok: true, text: quads.query(query, shape) }
    quads.update(update ?? '')
    dropEmptied()
    return { id, ok: true, text: '' }
  } catch (error) {
    return { id, ok: false, text: String(error) }
  }
}

parentPort?.on('message', (job: EngineJob) => parentPort?.postMessage(answered(job), []))
