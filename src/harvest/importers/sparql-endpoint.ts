/** A SPARQL endpoint of somebody else, or a file or triple pattern fragments queried from here: queries out, rows and documents in. */

import type { Quad } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import type { Row } from '../../store/graph-store.ts'
import { solutionRows } from '../../store/sparql-results.ts'
import { fetchDocument } from './documents.ts'
import type { ImportRun } from './importer.ts'
import { type RdfDocument, documentOf, readRdf } from './rdf-document.ts'
import { shownUrl, type Source } from './source.ts'
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
  const { address, method, inputFormat, preProcessing: repair } = config
  const asked = (query: string, accept: string) => {
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
      const { url, request } = asked(query, solutions)
      const { text } = await source.json(url, request)
      try {
        return solutionRows(text)
      } catch (cause) {
        const detail = `${shownUrl(url)} did not answer with the solutions of a query.`
        throw new Failure('source-malformed', detail, { cause })
      }
    },
    construct: async (query) => {
      const { url, request } = asked(query, graphs)
      const { maxPageBytes: maxBytes } = limits
      const believesType = inputFormat === undefined
      const stored = await fetchDocument(run, url, { ...request, maxBytes, believesType })
      if (typeof stored === 'number') throw new Error(`${stored} was not to be accepted`)
      return readRdf(stored, { inputFormat, repair })
    },
    close: async () => {},
  }
}

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

/** `isSingle`: the one document is asked for once, however many queries are put to it. */
function fetchBy(source: Source, isSingle: boolean): typeof fetch {
  const pages = new Map<string, ReturnType<Source['page']>>()
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    const accept = new Headers(init?.headers).get('accept') ?? '*/*'
    const page = pages.get('') ?? source.page(url, { accept, paged: false })
    if (isSingle) pages.set('', page)
    const { text, status, headers: given, url: address } = await page
    const headers = new Headers(given)
    for (const name of ['content-encoding', 'content-length']) headers.delete(name)
    const response = new Response(text, { status, headers })
    Object.defineProperty(response, 'url', { value: address })
    return response
  }
}
