/** SPARQL 1.1 Graph Store HTTP Protocol over the writing worker. */

import { Failure } from '../../../errors.ts'
import { fromLines, toLines } from '../../../rdf/lines.ts'
import { formats, negotiateFormat, type Format } from '../../../rdf/media-types.ts'
import { parse } from '../../../rdf/parse.ts'
import { serialise } from '../../../rdf/serialise.ts'
import type { Calls } from '../calls.ts'
import type { Answered, Exchange } from './exchange.ts'
import { checkGraph } from '../../lines.ts'
import { rdfTypeOf } from './query-door.ts'

const methods = 'GET, HEAD, PUT, POST, DELETE'

/** The graph that `?graph=` or `?default` names; `''` is the default graph. */
function graphOf({ url }: Exchange): string {
  const [graph, ...more] = url.searchParams.getAll('graph')
  const isDefault = url.searchParams.has('default')
  if (more.length > 0 || (graph === undefined) !== isDefault) {
    throw new Failure('invalid-parameter', 'Name one graph: ?graph={IRI} or ?default.')
  }
  if (graph !== undefined) checkGraph(graph)
  return graph ?? ''
}

async function bodyOf(exchange: Exchange, graph: string): Promise<string> {
  const format = rdfTypeOf(exchange)
  if (!format) throw new Failure('unsupported-media-type', 'Send one of the RDF formats.')
  const quads = await parse(exchange.body, format, { baseIri: graph || exchange.url.href })
  const blank = quads.some(
    ({ subject, object }) => subject.termType === 'BlankNode' || object.termType === 'BlankNode',
  )
  if (blank) throw new Failure('invalid-content', 'Blank nodes cannot be stored, use IRIs.')
  return toLines(quads)
}

const wanted = (exchange: Exchange): { format: Format; mediaType: string } => {
  const accept = exchange.headers.get('accept') ?? undefined
  if (!accept) return { format: 'ntriples', mediaType: formats.ntriples.mediaType }
  const found = negotiateFormat(accept)
  if (!found) throw new Failure('not-acceptable', 'A graph comes in one of the RDF formats.')
  return found
}

async function answerRead(calls: Calls, exchange: Exchange, graph: string): Promise<Answered> {
  const { format, mediaType } = wanted(exchange)
  const text = await calls.call('read', { graph, links: true }, { signal: exchange.signal })
  if (text === undefined) throw new Failure('not-found', 'There is no such graph.')
  const headers = { 'content-type': mediaType }
  if (exchange.method === 'HEAD') return { status: 200, headers }
  const body = format === 'ntriples' ? text : await serialise(fromLines(text), format)
  return { status: 200, body, headers }
}

/** 200 with the graph, 201 when a write made it, 204 when it changed or deleted it, 404 for an absent one. */
export async function answerGraph(calls: Calls, exchange: Exchange): Promise<Answered> {
  const graph = graphOf(exchange)
  const { method, signal } = exchange
  if (method === 'GET' || method === 'HEAD') return answerRead(calls, exchange, graph)
  if (method === 'DELETE') {
    const existed = await calls.call('put', { graph, does: 'drop', text: '' }, { signal })
    if (existed) return { status: 204 }
    throw new Failure('not-found', 'There is no such graph.')
  }
  if (method === 'PUT' || method === 'POST') {
    const text = await bodyOf(exchange, graph)
    const does = method === 'PUT' ? 'replace' : 'merge'
    const existed = await calls.call('put', { graph, does, text }, { signal })
    return { status: existed ? 204 : 201 }
  }
  const headers = { Allow: methods }
  throw new Failure('method-not-allowed', `A graph takes ${methods}.`, { headers })
}
