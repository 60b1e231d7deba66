/** Entry of the public worker: a read-only replica that strangers may query, and that may be ended at any moment. */

import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { Failure } from '../../errors.ts'
import { fromLines } from '../../rdf/lines.ts'
import { formats } from '../../rdf/media-types.ts'
import { systemGraph } from '../../rdf/namespaces.ts'
import { rdfXml } from '../../rdf/writing/xml.ts'
import { startEngine } from '../embedded/engine.ts'
import { GraphFile } from '../embedded/graph-file.ts'
import { refusalOf, type Feed } from '../embedded/messages.ts'
import { fromTriples, isBroken, isCrowded, openQuads, type Quads } from '../embedded/quads.ts'
import { perform } from '../embedded/effects.ts'
import { fill } from '../embedded/writer.ts'
import type { PublicAnswer } from '../graph-store.ts'
import { cutAnswer, distinct } from './cut.ts'
import { admit, type Admitted } from './gate.ts'
import type { PublicJob } from './door.ts'
import type { ReplicaReply, ReplicaSettings } from './replica.ts'

const triples = 'application/n-triples'

function checkGraphs(quads: Quads, { named }: Admitted): void {
  for (const graph of named) {
    const shape = { mediaType: 'text/csv' }
    // The parser has taken the name as an IRI, so it has nothing that could end one.
    if (quads.query(`ASK { GRAPH <${graph}> { ?s ?p ?o } }`, shape).includes('true')) continue
    throw new Failure('malformed-query', 'The query names a graph that is not public.')
  }
}

function run(quads: Quads, text: string, shape: Admitted & { readonly mediaType: string }): string {
  try {
    return quads.query(text, shape)
  } catch (cause) {
    if (isBroken(cause)) throw cause
    throw new Failure('malformed-query', 'The query was refused by the engine.', { cause })
  }
}

// Graphs are cut as lines and then written in the wanted format, which could not be cut itself.
function graphAnswer(quads: Quads, admitted: Admitted, job: PublicJob): PublicAnswer {
  const { mediaType, count } = admitted
  const cutOf = (text: string) =>
    cutAnswer(distinct(run(quads, text, { ...admitted, mediaType: triples })), triples, job)
  let answer = cutOf(admitted.text)
  if (!answer.cut && count !== undefined) {
    const solutions = run(quads, count, { ...admitted, mediaType: 'text/csv' })
    if (Number(solutions.split('\r\n')[1]) > job.rows) answer = cutOf(job.request.query)
  }
  const { body, cut } = answer
  return { mediaType, body: inFormat(body, mediaType), cut }
}

/** Fails with `not-acceptable` for what RDF/XML cannot express: the engine would write characters and names that XML has not. */
function inFormat(lines: string, mediaType: string): string {
  if (mediaType === triples) return lines
  return mediaType === formats.rdfxml.mediaType
    ? rdfXml(fromLines(lines))
    : fromTriples(lines, mediaType)
}

function answer(quads: Quads, job: PublicJob): PublicAnswer {
  const admitted = admit(job.request, job.rows)
  checkGraphs(quads, admitted)
  if (admitted.graph) return graphAnswer(quads, admitted, job)
  const { mediaType } = admitted
  return { mediaType, ...cutAnswer(run(quads, admitted.text, admitted), mediaType, job) }
}

function reply(quads: Quads, job: PublicJob): ReplicaReply {
  try {
    return { answer: answer(quads, job) }
  } catch (error) {
    if (error instanceof Failure) return { refusal: refusalOf(error) }
    throw error
  }
}

const post = (message: ReplicaReply) => parentPort?.postMessage(message, [])

function filled(directory: string): Quads {
  const quads = openQuads()
  const file = new GraphFile(directory, true)
  try {
    fill(file, quads, (graph) => graph !== systemGraph)
    return quads
  } catch (cause) {
    if (!isBroken(cause)) throw cause
    const failure = new Failure('store-full', 'The data do not fit into the memory of a copy.')
    post({ refusal: refusalOf(failure) })
    throw cause
  } finally {
    file.close()
  }
}

function follow(quads: Quads, feed: MessagePort): void {
  let isTold = false
  // What was written while the copy was read comes again: effects may be done twice.
  feed.on('message', ({ effects, size }: Feed) => {
    for (const effect of effects) perform(quads, effect)
    feed.postMessage(size, [])
    if (isTold || !isCrowded(quads.statements())) return
    isTold = true
    post({ crowded: true })
  })
  // Without the feed this copy would grow stale.
  feed.on('close', () => process.exit())
}

const { engine, directory, feed }: ReplicaSettings = workerData
startEngine(engine)
const quads = filled(directory)
follow(quads, feed)
parentPort?.on('message', (job: PublicJob) => post(reply(quads, job)))
post({ ready: true })
