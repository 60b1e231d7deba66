/** A SPARQL endpoint of somebody else: queries out, rows and documents in. */
import { Failure } from '../../../../errors.ts'
import { bracketed } from '../../../../rdf/lines.ts'
import type { Row } from '../../../../store/graph-store.ts'
import { rowsOf } from '../../../../store/sparql-results.ts'
import { shownUrl } from '../../gathering/reading.ts'
import type { ImportConfig } from '../../import-config.ts'
import type { ImportContext } from '../../importer.ts'
import type { Source, SourceRequest } from '../../source.ts'
import { readDocument, type Document, type Reading } from '../rdf/document.ts'
import { spillFile } from '../rdf/body/spill-file.ts'
import type { SparqlConfig } from './config.ts'

/** Whatever answers queries. The caller closes documents. */
export type Endpoint = {
  readonly select: (query: string) => Promise<readonly Row[]>
  readonly construct: (query: string) => Promise<Document>
  readonly close: () => Promise<void>
}

export type Asking = {
  readonly config: SparqlConfig & ImportConfig
  readonly source: Source
  readonly context: ImportContext
}

const solutions = 'application/sparql-results+json, application/json;q=0.5'
const graphs =
  'application/n-triples, text/turtle;q=0.9, application/rdf+xml;q=0.8, application/ld+json;q=0.7'

/** By the SPARQL 1.1 Protocol: a form by POST, or GET. */
export function remoteEndpoint({ config, source, context }: Asking, signal: AbortSignal): Endpoint {
  const reading: Reading = {
    inputFormat: config.inputFormat,
    repair: config.preProcessing,
    graph: undefined,
    maxBytes: context.limits.maxPageBytes,
    spill: {
      from: context.limits.maxPageBytes,
      keep: (bytes) => spillFile(context.scratch, bytes, signal),
    },
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
    return rowsOf(text)
  } catch (cause) {
    const detail = `${shownUrl(url)} did not answer with the solutions of a query.`
    throw new Failure('source-malformed', detail, { cause })
  }
}

/** A built-in query over one named graph (SPARQL 1.1, 13.2). */
export const fromGraph = (query: string, graph: string | undefined): string =>
  graph === undefined ? query : query.replace(/\bWHERE\b/, `FROM ${bracketed(graph)} WHERE`)
