/** HTTP service of the public SPARQL endpoint, which sends read-only queries with limits to the configured store. */

import { type RouteConfig, z } from '@hono/zod-openapi'
import type { Quad } from '@rdfjs/types'
import { Failure } from '../errors.ts'
import type { ApiKeys } from '../http/api-key.ts'
import { type App, type AppContext, type SharedAppOptions, newApp } from '../http/app.ts'
import { readBodyText } from '../http/body.ts'
import { anyone, endpointsFor, mount } from '../http/endpoint.ts'
import { problem } from '../http/problem.ts'
import type { Limits } from '../http/limits.ts'
import { answerRdf } from '../http/rdf.ts'
import { networkOf } from '../http/peer.ts'
import { addVary } from '../http/headers.ts'
import { toLines } from '../rdf/lines.ts'
import { formats, negotiate } from '../rdf/media-types.ts'
import { rdf, rdfs, sd } from '../rdf/namespaces.ts'
import { blankNode, literal, namedNode, quad } from '../rdf/terms.ts'
import { isXmlText } from '../rdf/writing/xml.ts'
import { charsetOf } from '../text/decoding.ts'
import type { GraphStore } from '../store/graph-store.ts'
import type { StoreLimits } from '../store/store-limits.ts'
import { solutionTypes } from '../store/sparql-results.ts'

/** Dependencies of the endpoint. */
type SparqlContext = {
  readonly keys: Pick<ApiKeys, 'find'>
  readonly store: Pick<GraphStore, 'publicQuery'>
  /** Bytes of the longest query, from which the limit of a body is counted; the store checks the query itself. */
  readonly queryBytes: number
  /** Address of the query page; absent without a portal of this platform. */
  readonly page?: ((c: AppContext) => string) | undefined
  readonly http: SharedAppOptions
}

/** Creates the service, with its one resource by GET and by POST. */
export function sparqlApp(context: SparqlContext): App {
  const app = newApp({ ...context.http, name: 'sparql' })
  mount(app, sparqlEndpoints, context)
  return app
}

/** Identifies the client, for fair use: by its API key, else by its network, because a client may have many addresses. */
function clientOf(c: AppContext, keys: SparqlContext['keys']): string {
  const key = c.req.header('X-API-Key') === undefined ? undefined : keys.find(c)
  return key?.id ?? networkOf(c.get('client'))
}

/** Media types of answers; they come before pages, so that a client without a preference gets data. */
const offeredTypes = [
  ...solutionTypes,
  ...Object.values(formats).map(({ mediaType }) => mediaType),
  'text/html',
]

/** Returns the page with the same query, to which browsers are redirected; `undefined` where the request is answered here. */
function queryPage(
  c: AppContext,
  request: SparqlRequest,
  page: SparqlContext['page'],
): string | undefined {
  const { query, defaultGraphs, namedGraphs } = request
  if (!page || c.req.method === 'POST' || defaultGraphs.length + namedGraphs.length > 0)
    return undefined
  if (negotiate(c.req.header('Accept'), offeredTypes) !== 'text/html') return undefined
  return page(c) + (query === undefined ? '' : `?query=${encodeURIComponent(query)}`)
}

/** Answers solutions, a boolean or a graph, without a query the service description; redirects browsers to the page. */
async function answer(c: AppContext, context: SparqlContext): Promise<Response> {
  const { store, keys, queryBytes } = context
  const request = await receiveQuery(c, queryBytes)
  const { query: text, ...graphs } = request
  const page = queryPage(c, request, context.page)
  if (page !== undefined) {
    const redirect = c.redirect(page, 303)
    addVary(redirect.headers, 'Accept')
    addVary(redirect.headers, 'Accept-Language')
    return redirect
  }
  if (text === undefined) {
    if (c.req.method === 'POST')
      throw new Failure(
        'malformed-query',
        'send the query as "query" of a form, or as application/sparql-query',
      )
    return answerRdf(c, toLines(serviceDescription(c.get('address'))))
  }
  // SPARQL 1.1 Protocol, 2.1.4: relative IRIs are resolved against the endpoint.
  const origin = { base: c.get('address'), client: clientOf(c, keys) }
  const limited = { query: text, maxBytes: queryBytes, accept: c.req.header('Accept') }
  const publicRequest = { ...limited, ...origin, ...graphs }
  const { mediaType, body, cut } = await store.publicQuery(publicRequest, c.get('signal'))
  if (mediaType.endsWith('xml') && !isXmlText(body)) throw noXml()
  // A client must be able to recognise an incomplete answer.
  if (cut) c.header('Results-Cut', 'true')
  const answerText = cut ? withTruncationMark(body, mediaType, c.get('address')) : body
  const response = c.body(answerText, 200, { 'Content-Type': mediaType })
  addVary(response.headers, 'Accept')
  return response
}

const noXml = () =>
  new Failure(
    'not-acceptable',
    'The answer holds control characters, which XML cannot; ask for JSON or Turtle.',
  )

// The contract of the public SPARQL endpoint (SPARQL 1.1 Protocol, query operation).

const textSchema = { schema: { type: 'string' as const } }

const responses: RouteConfig['responses'] = {
  200: {
    description: 'Solutions, a boolean, or a graph; without a query the service description',
    headers: {
      'Results-Cut': {
        description:
          '"true" when rows or triples are missing because the answer met a limit (sparqlRows, sparqlBytes). SPARQL results in JSON and XML then link to #results-cut, Turtle begins with a comment',
        schema: { type: 'string', enum: ['true'] },
      },
    },
    content: {
      'application/sparql-results+json': textSchema,
      'application/sparql-results+xml': textSchema,
      'text/csv': textSchema,
      'text/tab-separated-values': textSchema,
      'text/turtle': textSchema,
      'application/n-triples': textSchema,
      'application/rdf+xml': textSchema,
    },
  },
  303: { description: 'The page with the same query, for clients that prefer text/html' },
  400: problem('Not a query that may run here: a syntax error, an update, SERVICE or LOAD'),
  406: problem('None of the accepted media types can be served'),
  413: problem('The query needs more memory than it may have'),
  429: problem('Too many queries at once'),
  503: problem('The query took too long, or the endpoint is being made ready'),
}

const iriList = z.union([z.string(), z.array(z.string())]).optional()

const sparqlEndpoint = endpointsFor<SparqlContext>(responses)

const queryByGet = sparqlEndpoint({
  method: 'get',
  path: '/',
  operation: 'getQuery',
  summary: 'Query the published graphs',
  auth: anyone,
  query: z.object({
    query: z.string().optional().openapi({ description: 'SELECT, ASK, CONSTRUCT or DESCRIBE' }),
    'default-graph-uri': iriList,
    'named-graph-uri': iriList,
  }),
  answers: {},
  handle: ({ c }, context) => answer(c, context),
})

const queryByPost = sparqlEndpoint({
  method: 'post',
  path: '/',
  operation: 'postQuery',
  summary: 'Query the published graphs with a query that is too long for an address',
  auth: anyone,
  body: {
    required: true,
    content: {
      'application/x-www-form-urlencoded': { schema: { type: 'object' as const } },
      'application/sparql-query': textSchema,
    },
  },
  answers: {},
  handle: ({ c }, context) => answer(c, context),
})

/** The endpoints of the service: its one resource by GET and by POST. */
export const sparqlEndpoints = [queryByGet, queryByPost]

// Reads a query from the three forms of the SPARQL 1.1 Protocol (section 2.1).

type SparqlRequest = {
  /** Absent when the request brought none. */
  readonly query: string | undefined
  readonly defaultGraphs: readonly string[]
  readonly namedGraphs: readonly string[]
}

/** Bytes that a form may have besides its query. */
const otherFieldsBytes = 64 * 1024

/** Reads a request. Throws `unsupported-media-type`, `too-large`, and `malformed-query` for updates, UTF-16 and UTF-32. */
async function receiveQuery(c: AppContext, queryBytes: number): Promise<SparqlRequest> {
  const address = new URL(c.req.url).searchParams
  if (c.req.method !== 'POST') return fromParameters(address)
  const type = c.req.header('Content-Type')?.split(';')[0]?.trim().toLowerCase()
  const limits = { bytes: queryBytes * 3 + otherFieldsBytes, name: 'sparqlQueryBytes' }
  // SPARQL 1.1 Protocol, 2.1.3: a query is sent in UTF-8.
  if (/^utf-?(?:16|32)/i.test(charsetOf(c.req.header('Content-Type')) ?? ''))
    throw new Failure('malformed-query', 'send the query in UTF-8')
  const text = await readBodyText(c.req.raw, limits, c.get('signal'))
  if (type === 'application/sparql-query') return { ...fromParameters(address), query: text }
  if (type === 'application/x-www-form-urlencoded') return fromParameters(new URLSearchParams(text))
  if (type === 'application/sparql-update') throw updateRefused()
  const accepted = 'application/x-www-form-urlencoded, application/sparql-query'
  throw new Failure('unsupported-media-type', `Content-Type must be one of ${accepted}`, {
    headers: { Accept: accepted },
  })
}

/** Reads the parameters of an address or a form; fails with `malformed-query` for an update and for two queries. */
function fromParameters(parameters: URLSearchParams): SparqlRequest {
  if (parameters.has('update')) throw updateRefused()
  const queries = parameters.getAll('query')
  if (queries.length > 1) throw new Failure('malformed-query', 'send one query per request')
  // Some forms send all of their fields, including empty ones.
  const nonEmpty = (name: string) => parameters.getAll(name).filter((iri) => iri.trim() !== '')
  return {
    query: queries[0]?.replace(/^\uFEFF/, ''),
    defaultGraphs: nonEmpty('default-graph-uri'),
    namedGraphs: nonEmpty('named-graph-uri'),
  }
}

const updateRefused = () =>
  new Failure(
    'malformed-query',
    'this endpoint answers queries only; data is written through the repository',
  )

// Marks an incomplete answer in its text, in the formats that allow it: headers are lost when answers are saved.

/** Adds a link to the meaning of `Results-Cut` to an incomplete answer; CSV, TSV, RDF/XML and JSON-LD are unchanged. */
function withTruncationMark(body: string, mediaType: string, address: string): string {
  const link = truncationLink(address)
  // SPARQL 1.1 Query Results JSON Format, 3.1.2: "link" refers to further metadata.
  if (['application/sparql-results+json', 'application/json'].includes(mediaType))
    return body.replace('{"head":{', () => `{"head":{"link":[${JSON.stringify(link)}],`)
  // SPARQL Query Results XML Format, 2.3.1: links come after the variables.
  if (['application/sparql-results+xml', 'application/xml'].includes(mediaType))
    return body.replace('</head>', () => `<link href="${link.replaceAll('&', '&amp;')}"/></head>`)
  return typesWithComments.has(mediaType) ? `# The answer is cut: ${link}\n${body}` : body
}

const typesWithComments = new Set([
  'text/turtle',
  'application/n-triples',
  'application/n-quads',
  'application/trig',
  'text/n3',
])

// The service description of the public endpoint (SPARQL 1.1 Service Description).

const resultFormats = [
  'SPARQL_Results_JSON',
  'SPARQL_Results_XML',
  'SPARQL_Results_CSV',
  'SPARQL_Results_TSV',
  'Turtle',
  'N-Triples',
  'RDF_XML',
]

/** Returns the IRI that incomplete answers link to; the service description explains it. */
const truncationLink = (address: string): string => `${address}#results-cut`

const truncationNote =
  'Answers with the header Results-Cut lack rows or triples, because the whole has more rows or bytes than this endpoint gives. Ask for the rest with OFFSET, or harvest the dumps of the catalogues.'

/** Makes the description; `address` is the public address of the endpoint. */
function serviceDescription(address: string): Quad[] {
  const service = blankNode()
  const results = resultFormats.map((format) => namedNode(`http://www.w3.org/ns/formats/${format}`))
  return [
    quad(service, rdf('type'), sd('Service')),
    quad(service, sd('endpoint'), namedNode(address)),
    quad(service, sd('supportedLanguage'), sd('SPARQL11Query')),
    // Published data is in named graphs; a query without GRAPH reads their union.
    quad(service, sd('feature'), sd('UnionDefaultGraph')),
    quad(namedNode(truncationLink(address)), rdfs('comment'), literal(truncationNote, 'en')),
    ...results.map((format) => quad(service, sd('resultFormat'), format)),
  ]
}

// Limits of public queries, in the form that the store expects.

/** Converts the limits of `PLATFORM_LIMITS`. */
export const publicLimits = ({
  limits,
}: {
  readonly limits: Limits
}): Pick<StoreLimits, 'publicMs' | 'publicMemory' | 'publicCopies' | 'publicLimits'> => ({
  publicMs: limits.sparqlMs,
  publicMemory: limits.sparqlMemoryBytes,
  publicCopies: limits.sparqlCopies,
  publicLimits: {
    rows: limits.sparqlRows,
    bytes: limits.sparqlBytes,
    perClient: limits.sparqlPerClient,
    waiting: limits.sparqlWaiting,
    lanes: limits.sparqlLanes,
  },
})
