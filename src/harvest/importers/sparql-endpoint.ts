/** Endpoints of the SPARQL importer: remote ones, and files or triple pattern fragments (a simple web API) queried locally. */

import type { Quad } from '@rdfjs/types'
import { z } from 'zod'
import { Failure } from '../../errors.ts'
import { formatByName } from '../../rdf/media-types.ts'
import { namedNode } from '../../rdf/terms.ts'
import type { Row } from '../../store/graph-store.ts'
import { bind, type Query, parseQuery } from '../../store/queries.ts'
import { solutionRows } from '../../store/sparql-results.ts'
import { shownUrl } from '../../secrets.ts'
import { BadConfig, readPipeFile } from '../transform/pipe-files.ts'
import { fetchDocument } from './documents.ts'
import type { ImportRun } from './importer.ts'
import { documentOf, type RdfDocument, readRdfDocument } from './rdf-document.ts'
import { type ImportSource } from './source.ts'

/** Executes queries. The caller closes documents. */
export type SparqlEndpoint = {
  readonly select: (query: string) => Promise<readonly Row[]>
  readonly construct: (query: string) => Promise<RdfDocument>
  readonly close: () => Promise<void>
}

const acceptSolutions = 'application/sparql-results+json, application/json;q=0.5'
const acceptGraphs =
  'application/n-triples, text/turtle;q=0.9, application/rdf+xml;q=0.8, application/ld+json;q=0.7'

/** Endpoint of the SPARQL 1.1 Protocol: POST with a form, or GET. */
export function remoteEndpoint(run: ImportRun<SparqlConfig>): SparqlEndpoint {
  const { config, source, limits } = run
  const { address, method, inputFormat, preProcessing: repair } = config
  const requestFor = (query: string, accept: string) => {
    const body = `query=${encodeURIComponent(query)}`
    const url = `${address}${address.includes('?') ? '&' : '?'}${body}`
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const form = { method: 'POST', body, headers, accept, paged: false } as const
    return method === 'post'
      ? { url: address, request: form }
      : { url, request: { accept, paged: false } }
  }
  return {
    select: async (query) => {
      const { url, request } = requestFor(query, acceptSolutions)
      const { text } = await source.json(url, request)
      try {
        return solutionRows(text)
      } catch (cause) {
        const detail = `${shownUrl(url)} did not answer with the solutions of a query.`
        throw new Failure('source-malformed', detail, { cause })
      }
    },
    construct: async (query) => {
      const { url, request } = requestFor(query, acceptGraphs)
      const { maxPageBytes: maxBytes } = limits
      const believesType = inputFormat === undefined
      const stored = await fetchDocument(run, url, { ...request, maxBytes, believesType })
      if (typeof stored === 'string') throw new Error(`${stored} is not to be expected`)
      return readRdfDocument(stored, { inputFormat, repair })
    },
    close: async () => {},
  }
}

// Local queries by Comunica, loaded on demand.

/** Endpoint whose engine sends every request through the source: guarded, polite and counted. */
export async function localEndpoint(
  { config, source }: ImportRun<SparqlConfig>,
  kind: 'file' | 'fragments',
): Promise<SparqlEndpoint> {
  const { QueryEngine } = await comunica()
  const engine = new QueryEngine()
  const type = kind === 'file' ? 'file' : 'qpf'
  const options: Parameters<typeof engine.queryBindings>[1] = {
    sources: [{ type, value: config.address }],
    fetch: fetchBy(source, kind === 'file'),
    lenient: true,
  }
  return {
    select: async (query) => {
      const rows: Row[] = []
      for await (const bindings of await engine.queryBindings(query, options))
        rows.push(Object.fromEntries([...bindings].map(([name, term]) => [name.value, term])))
      return rows
    },
    construct: async (query) =>
      documentOf(config.address, batches(await engine.queryQuads(query, options))),
    close: () => engine.invalidateHttpCache(),
  }
}

/** Loads Comunica, an optional package, because it is large and rarely needed. Throws `conflict` if it is not installed. */
async function comunica() {
  try {
    return await import('@comunica/query-sparql')
  } catch (cause) {
    const detail =
      'Files and fragments are queried by an optional package that is not installed. Install it beside the platform with "npm install --no-save @comunica/query-sparql@5.4.1" (Node 22.19 or newer), or use an endpoint ("source": "endpoint").'
    throw new Failure('conflict', detail, { cause })
  }
}

/** Groups single quads into batches. */
async function* batches(quads: AsyncIterable<Quad>): AsyncIterable<Quad[]> {
  for await (const quad of quads) yield [quad]
}

/** Makes a `fetch` for Comunica of a source. `isSingle`: there is one document, requested once for all queries. */
function fetchBy(source: ImportSource, isSingle: boolean): typeof fetch {
  const pages = new Map<string, ReturnType<ImportSource['page']>>()
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    const accept = new Headers(init?.headers).get('accept') ?? '*/*'
    const page = pages.get('') ?? source.page(url, { accept, paged: false })
    if (isSingle) pages.set('', page)
    const { text, status, headers: pageHeaders, url: address } = await page
    const headers = new Headers(pageHeaders)
    for (const name of ['content-encoding', 'content-length']) headers.delete(name)
    const response = new Response(text, { status, headers })
    Object.defineProperty(response, 'url', { value: address })
    return response
  }
}

// Queries of operators; their form decides how the import proceeds.

/** Maximum bytes of a query. */
const maxQueryBytes = 1_048_576

/** `list`: SELECT of datasets · `each`: for one dataset at a time · `graph`: everything, or parts by LIMIT and OFFSET. */
type OperatorQuery =
  | { readonly kind: 'list'; readonly text: string; readonly variable: string }
  | { readonly kind: 'each'; readonly textFor: (dataset: string) => string }
  | { readonly kind: 'graph'; readonly textFor: GraphQuery }

/** A query for everything, or for a part of it. */
export type GraphQuery = string | ((limit: number, offset: number) => string)

/** Parses an operator's query; `directory` is that of the pipe. Throws `BadConfig`. */
export function parseOperatorQuery(
  query: NonNullable<SparqlConfig['query']>,
  directory: string | undefined,
): OperatorQuery {
  const text = typeof query === 'string' ? query : fileText(query.file, directory)
  const parsed = parseQuery(text, 'the query')
  // Without strings, IRIs and comments.
  const code = parsed.tokens.map((token) => (token.kind === 'skip' ? ' ' : token.text)).join('')
  const [form = ''] =
    /\b(?:SELECT|CONSTRUCT|DESCRIBE|ASK|INSERT|DELETE|LOAD|CLEAR|DROP)\b/i.exec(code) ?? []
  const hasParameter = (name: string) =>
    parsed.tokens.some((token) => token.kind === 'parameter' && token.text === name)
  if (/^SELECT$/i.test(form)) return { kind: 'list', text, variable: onlyVariable(code) }
  if (!/^(?:CONSTRUCT|DESCRIBE)$/i.test(form))
    throw new BadConfig('must be a SELECT, CONSTRUCT or DESCRIBE query')
  if (hasParameter('$dataset'))
    return { kind: 'each', textFor: (iri) => bind(parsed, { dataset: namedNode(iri) }) }
  if (!hasParameter('$limit') && !hasParameter('$offset')) return { kind: 'graph', textFor: text }
  if (!hasParameter('$limit') || !hasParameter('$offset'))
    throw new BadConfig('needs both $limit and $offset')
  if (!/\bORDER\s+BY\b/i.test(code))
    throw new BadConfig('needs ORDER BY beside $limit and $offset: without it pages overlap')
  return { kind: 'graph', textFor: (limit, offset) => windowOf(parsed, { limit, offset }) }
}

/** Reads a query file. Throws `BadConfig`. */
function fileText(name: string, directory: string | undefined): string {
  if (!/^[\w-][\w.-]*\.rq$/.test(name)) throw new BadConfig('file must be the name of a .rq file')
  return readPipeFile({ directory, folder: 'sparql', name, maxBytes: maxQueryBytes })
}

/** Name of the single variable of a SELECT; `code` is the query without strings and comments. Throws `BadConfig`. */
function onlyVariable(code: string): string {
  const head = /\bSELECT\b([^{]*)/i.exec(code)?.[1] ?? ''
  const projected = head.replace(/\bWHERE\b/i, '').replace(/\([^)]*\bAS\b\s*([?$]\w+)\s*\)/gi, '$1')
  const variables = [...projected.matchAll(/[?$](\w+)/g)].map(([, name = '']) => name)
  const [variable] = variables
  if (variable === undefined || variables.length > 1)
    throw new BadConfig('a SELECT must have exactly one variable: the datasets')
  return variable
}

/** Replaces `$limit` and `$offset` by numbers; no term is permitted there. */
function windowOf({ tokens }: Query, window: { limit: number; offset: number }): string {
  const values = new Map(Object.entries(window).map(([name, value]) => [`$${name}`, value]))
  const valueOf = ({ kind, text }: Query['tokens'][number]) =>
    (kind === 'parameter' ? values.get(text) : undefined) ?? text
  return tokens.map(valueOf).join('')
}

// Config.

/** Config of a SPARQL importer beside the common keys. */
export const sparqlConfig = z.object({
  /** SPARQL text, or a file below `sparql/` beside the pipe. */
  query: z.union([z.string().min(1), z.object({ file: z.string() })]).optional(),
  /** The only named graph to query, for built-in queries. */
  graph: z.string().optional(),
  /** Datasets per request. */
  pageSize: z.int().min(1).max(10_000).default(100),
  /** `post` sends a form, which every endpoint supports. */
  method: z.enum(['post', 'get']).default('post'),
  /** An endpoint executes queries itself; files and triple pattern fragments are queried locally. */
  source: z.enum(['endpoint', 'file', 'fragments']).default('endpoint'),
  /** Format of CONSTRUCT results. */
  inputFormat: z
    .string()
    .refine((name) => formatByName(name) !== undefined, { error: 'must be an RDF format' })
    .optional(),
})
export type SparqlConfig = z.infer<typeof sparqlConfig>
