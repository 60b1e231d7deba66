/** The public SPARQL endpoint: read-only and bounded, in front of whichever store is configured. */

import { Failure } from '../../errors.ts'
import type { ApiKeys } from '../../http/api-key.ts'
import { newApp, type App, type AppContext, type AppOptions } from '../../http/app.ts'
import { answerRdf } from '../../http/rdf.ts'
import { toLines } from '../../rdf/lines.ts'
import { isXmlText } from '../../rdf/writing/xml.ts'
import { networkOf } from '../../http/shell/client.ts'
import { addVary } from '../../http/shell/headers.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import { markedAsCut } from './cut.ts'
import { serviceDescription } from './description.ts'
import { received } from './received.ts'
import { queryByGet, queryByPost } from './routes.ts'

export type SparqlDeps = {
  readonly keys: Pick<ApiKeys, 'find'>
  readonly store: Pick<GraphStore, 'publicQuery'>
  /** Longest query in bytes. */
  readonly queryBytes: number
  readonly http: Omit<AppOptions, 'name'>
}

export function sparqlApp(deps: SparqlDeps): App {
  const app = newApp({ ...deps.http, name: 'sparql' })
  app.openapi(queryByGet, (c) => answer(c, deps))
  app.openapi(queryByPost, (c) => answer(c, deps))
  return app
}

/** A key of ours, else the network: one address more costs nothing. Other headers are not looked at, nobody needs a key here. */
function clientOf(c: AppContext, keys: SparqlDeps['keys']): string {
  const key = c.req.header('X-API-Key') === undefined ? undefined : keys.find(c)
  return key?.id ?? networkOf(c.get('client'))
}

async function answer(c: AppContext, { store, keys, queryBytes }: SparqlDeps): Promise<Response> {
  const { query: text, ...graphs } = await received(c, queryBytes)
  if (text === undefined) {
    if (c.req.method === 'POST')
      throw new Failure(
        'malformed-query',
        'send the query as "query" of a form, or as application/sparql-query',
      )
    return answerRdf(c, toLines(serviceDescription(c.get('address'))))
  }
  const query = based(text, c.get('address'))
  const request = { query, accept: c.req.header('Accept'), client: clientOf(c, keys), ...graphs }
  const { mediaType, body, cut } = await store.publicQuery(request, c.get('signal'))
  if (mediaType.endsWith('xml') && !isXmlText(body)) throw noXml()
  // A client must be able to tell half an answer from a whole one.
  if (cut) c.header('Results-Cut', 'true')
  const shown = cut ? markedAsCut(body, mediaType, c.get('address')) : body
  const response = c.body(shown, 200, { 'Content-Type': mediaType })
  addVary(response.headers, 'Accept')
  return response
}

const relative = /<(?![A-Za-z][A-Za-z0-9+.-]*:)[^\s<>"{}|^`\\]*>/

/** Relative IRIs are resolved against the endpoint, where the query names no other base (SPARQL 1.1 Protocol, 2.1.4). */
const based = (query: string, address: string): string =>
  relative.test(query) ? `BASE <${address}> ${query}` : query

const noXml = () =>
  new Failure(
    'not-acceptable',
    'The answer holds control characters, which XML cannot; ask for JSON or Turtle.',
  )
