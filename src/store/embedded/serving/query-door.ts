/** SPARQL 1.1 Protocol over the writing worker: the query and the update operation. */

import { Failure } from '../../../errors.ts'
import { formatOfMediaType, negotiate } from '../../../rdf/media-types.ts'
import { graphTypes, solutionTypes } from '../../protocol/media-types.ts'
import { parseSparql } from '../../protocol/parse-sparql.ts'
import type { Calls } from '../calls.ts'
import type { Answered, Exchange } from './exchange.ts'
import type { QueryShape } from '../quads.ts'

const form = 'application/x-www-form-urlencoded'

const typeOf = ({ headers }: Exchange) =>
  headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''

/** The parameters of a request: of its address, and of its body when that is a form. */
function parametersOf(exchange: Exchange): URLSearchParams {
  const { searchParams } = exchange.url
  if (exchange.method !== 'POST' || typeOf(exchange) !== form) return searchParams
  const all = new URLSearchParams(exchange.body)
  for (const [name, value] of searchParams) all.append(name, value)
  return all
}

function textOf(exchange: Exchange, name: 'query' | 'update', parameters: URLSearchParams): string {
  const direct = exchange.method === 'POST' && typeOf(exchange) !== form
  if (direct && typeOf(exchange) !== `application/sparql-${name}`) {
    throw new Failure('unsupported-media-type', `Send application/sparql-${name} or a form.`)
  }
  if (direct) return exchange.body
  const [text, ...more] = parameters.getAll(name)
  if (text === undefined || more.length > 0) {
    throw new Failure('malformed-query', `There must be exactly one parameter "${name}".`)
  }
  return text
}

// Most queries are ours and ask for exactly one type: then the form of the query need not be known.
function mediaTypeFor(exchange: Exchange, text: string): string {
  const accept = exchange.headers.get('accept') ?? undefined
  if (accept !== undefined && [...solutionTypes, ...graphTypes].includes(accept)) return accept
  const tree = parseSparql(text)
  if (tree.type !== 'query') throw new Failure('malformed-query', 'This is an update, not a query.')
  const graph = tree.queryType === 'CONSTRUCT' || tree.queryType === 'DESCRIBE'
  const type = negotiate(accept, graph ? graphTypes : solutionTypes)
  if (type === undefined) throw new Failure('not-acceptable', 'The result has other formats.')
  return type
}

/** `GET ?query=`, a form, or `application/sparql-query`. */
export async function answerQuery(calls: Calls, exchange: Exchange): Promise<Answered> {
  const parameters = parametersOf(exchange)
  const text = textOf(exchange, 'query', parameters)
  const mediaType = mediaTypeFor(exchange, text)
  const shape: QueryShape = {
    mediaType,
    defaultGraphs: parameters.getAll('default-graph-uri'),
    namedGraphs: parameters.getAll('named-graph-uri'),
  }
  const body = await calls.call('query', { text, shape }, { signal: exchange.signal })
  return { status: 200, body, headers: { 'content-type': mediaType } }
}

/** A form, or `application/sparql-update`; durable when answered. */
export async function answerUpdate(calls: Calls, exchange: Exchange): Promise<Answered> {
  if (exchange.method !== 'POST') {
    const headers = { Allow: 'POST' }
    throw new Failure('method-not-allowed', 'An update is sent by POST.', { headers })
  }
  const parameters = parametersOf(exchange)
  if (parameters.has('using-graph-uri') || parameters.has('using-named-graph-uri')) {
    throw new Failure(
      'malformed-query',
      'Write USING into the update: the parameters are not taken.',
    )
  }
  const text = textOf(exchange, 'update', parameters)
  await calls.call('update', { text }, { signal: exchange.signal })
  return { status: 204 }
}

export const rdfTypeOf = (exchange: Exchange) =>
  formatOfMediaType(exchange.headers.get('content-type') ?? undefined)
