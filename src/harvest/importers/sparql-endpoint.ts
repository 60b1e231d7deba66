/** A SPARQL endpoint of somebody else: queries out, rows and documents in. */

import type { Quad } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { bracketed } from '../../rdf/lines.ts'
import type { Row } from '../../store/graph-store.ts'
import { solutionRows } from '../../store/sparql-results.ts'
import type { ImportConfig } from './import-config.ts'
import type { ImportRun } from './importer.ts'
import { type RdfDocument, documentOf, readDocument, type Reading } from './rdf-document.ts'
import { shownUrl, type Source, type SourceRequest } from './source.ts'
import type { SparqlConfig } from './sparql-query.ts'

/** Whatever answers queries. The caller closes documents. */
export type SparqlEndpoint = {
  readonly select: (query: string) => Promise<readonly Row[]>
  readonly construct: (query: string) => Promise<RdfDocument>
  readonly close: () => Promise<void>
}

const solutions = 'application/sparql-results+json, application/json;q=0.5'
const graphs =
  'application/n-triples, text/turtle;q=0.9, application/rdf+xml;q=0.8, application/ld+json;q=0.7'

/** By the SPARQL 1.1 Protocol: a form by POST, or GET. */
export function remoteEndpoint(run: ImportRun<SparqlConfig>): SparqlEndpoint {
  const { config, source, limits } = run
  const reading: Reading = {
    run,
    inputFormat: config.inputFormat,
    repair: config.preProcessing,
    graph: undefined,
    maxBytes: limits.maxPageBytes,
    inMemory: limits.maxPageBytes,
  }
  const asked = (query: string, accept: string) => requestOf(config, query, accept)
  return {
    select: async (query) => {
      const { url, request } = asked(query, solutions)
      const { text } = await source.json(url, request)
      return rowsIn(text, url)
    },
    construct: (query) => {
      const { url, request } = asked(query, graphs)
      return source.read(url, request, (answer) => readDocument(answer, reading))
    },
    close: async () => {},
  }
}

function requestOf(
  { address, method }: SparqlConfig & ImportConfig,
  query: string,
  accept: string,
): { url: string; request: SourceRequest } {
  const form = `query=${encodeURIComponent(query)}`
  if (method === 'post') {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    return { url: address, request: { method: 'POST', body: form, headers, accept, paged: false } }
  }
  const url = `${address}${address.includes('?') ? '&' : '?'}${form}`
  return { url, request: { accept, paged: false } }
}

function rowsIn(text: string, url: string): readonly Row[] {
  try {
    return solutionRows(text)
  } catch (cause) {
    const detail = `${shownUrl(url)} did not answer with the solutions of a query.`
    throw new Failure('source-malformed', detail, { cause })
  }
}

/** A built-in query over one named graph (SPARQL 1.1, 13.2). */
export const fromGraph = (query: string, graph: string | undefined): string =>
  graph === undefined ? query : query.replace(/\bWHERE\b/, `FROM ${bracketed(graph)} WHERE`)

// Files and triple pattern fragments, queried from here by Comunica, which is loaded when it is wanted.

const batchSize = 1000

/** Every request of the engine goes through the source: guarded, polite and counted. */
export async function queriedHere(
  { config, source }: ImportRun<SparqlConfig>,
  kind: 'file' | 'fragments',
): Promise<SparqlEndpoint> {
  const { QueryEngine } = await comunica()
  const engine = new QueryEngine()
  const type = kind === 'file' ? 'file' : 'qpf'
  const get = fetchBy(source, kind === 'file')
  const options: Parameters<typeof engine.queryBindings>[1] = {
    sources: [{ type, value: config.address }],
    fetch: get,
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

/** Most of what would be installed is Comunica's, and few pipes need it: the operator adds it. Throws `conflict`. */
async function comunica() {
  try {
    return await import('@comunica/query-sparql')
  } catch (cause) {
    const detail =
      'Files and fragments are queried by an optional package that is not installed. Install it beside the platform with "npm install --no-save @comunica/query-sparql@5.4.1" (Node 22.19 or newer), or use an endpoint ("source": "endpoint").'
    throw new Failure('conflict', detail, { cause })
  }
}

async function* batches(quads: AsyncIterable<Quad>): AsyncIterable<Quad[]> {
  let batch: Quad[] = []
  for await (const quad of quads) {
    batch.push(quad)
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  yield batch
}

/** `keep`: the one document is asked for once, however many queries are put to it. */
function fetchBy(source: Source, keep: boolean): typeof fetch {
  let kept: Promise<Response> | undefined
  const ask = async (url: string, accept: string): Promise<Response> => {
    const page = await source.page(url, { accept, paged: false })
    const headers = new Headers(page.headers)
    for (const name of ['content-encoding', 'content-length']) headers.delete(name)
    const response = new Response(page.text, { status: page.status, headers })
    Object.defineProperty(response, 'url', { value: page.url })
    return response
  }
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    const accept = new Headers(init?.headers).get('accept') ?? '*/*'
    if (!keep) return ask(url, accept)
    const response = await (kept ??= ask(url, accept))
    const copy = response.clone()
    Object.defineProperty(copy, 'url', { value: response.url })
    return copy
  }
}
