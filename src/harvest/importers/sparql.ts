/** SPARQL importer: reads all datasets of an endpoint in pages ordered by IRI, or the result of an operator's query. */

import { Failure } from '../../errors.ts'
import { quoteIri } from '../../rdf/lines.ts'
import { literal, namedNode } from '../../rdf/terms.ts'
import { withoutCredentials } from '../../secrets.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import { configProblemOf } from '../transform/pipe-files.ts'
import type { ImportEvent } from './import-recorder.ts'
import type { ImporterKind, ImportRun } from './importer.ts'
import { noDataset, type RdfDocument, reportServices } from './rdf-document.ts'
import { recordsOf, StubDatasets } from './rdf-records.ts'
import { iriAsAddress } from './removal-check.ts'
import {
  type GraphQuery,
  parseOperatorQuery,
  localEndpoint,
  remoteEndpoint,
  sparqlConfig,
  type SparqlConfig,
  type SparqlEndpoint,
} from './sparql-endpoint.ts'

type Run = ImportRun<SparqlConfig>
type ImportEvents = AsyncGenerator<ImportEvent, void>

/** Importer of SPARQL 1.1 endpoints and of local queries. */
export const sparqlImporter: ImporterKind<SparqlConfig> = {
  names: ['importing-sparql', 'sparql-importer'],
  version: 1,
  config: sparqlConfig,
  check: ({ query }, { directory }) => {
    const parsed = query && configProblemOf('query', () => parseOperatorQuery(query, directory))
    return parsed && 'detail' in parsed ? [parsed] : []
  },
  addressesOf: iriAsAddress,
  import: importSparql,
}

type SparqlImport = Run & {
  readonly endpoint: SparqlEndpoint
  /** Operator's query for one dataset; the built-in one describes several. */
  readonly datasetQuery?: (dataset: string) => string
  /** Datasets per request for descriptions. Never grows, because what was too much once is too much again. */
  batchSize: number
}

/** Imports by the operator's query; without one, datasets are listed by IRI and described in pages. */
async function* importSparql(run: Run): ImportEvents {
  const { config, directory } = run
  const operatorQuery =
    config.query === undefined ? undefined : parseOperatorQuery(config.query, directory)
  const endpoint =
    config.source === 'endpoint' ? remoteEndpoint(run) : await localEndpoint(run, config.source)
  const sparqlImport: SparqlImport = { ...run, endpoint, batchSize: config.pageSize }
  try {
    if (operatorQuery?.kind === 'each')
      yield* listAllDatasets({ ...sparqlImport, datasetQuery: operatorQuery.textFor, batchSize: 1 })
    else if (operatorQuery?.kind === 'list')
      yield* listDatasets(sparqlImport, operatorQuery.text, operatorQuery.variable)
    else if (operatorQuery) yield* constructDocuments(sparqlImport, operatorQuery.textFor)
    else yield* listAllDatasets(sparqlImport)
  } finally {
    await endpoint.close()
  }
}

/** Built-in query, restricted to a named graph if configured (SPARQL 1.1, 13.2). */
function builtIn({ config }: Run, name: string, values: Parameters<typeof bind>[1] = {}): string {
  const query = bind(loadQuery(`harvest/${name}`), values)
  const { graph } = config
  return graph === undefined ? query : query.replace(/\bWHERE\b/, `FROM ${quoteIri(graph)} WHERE`)
}

/** Number in the only row of an answer. */
async function countIn({ endpoint }: SparqlImport, query: string): Promise<number> {
  const rows = await endpoint.select(query)
  const count = Number(rows[0]?.['count']?.value)
  if (Number.isSafeInteger(count) && count >= 0) return count
  throw new Failure('source-malformed', 'The source did not answer with a number.')
}

/** Lists datasets in the order of their IRIs, so that changes do not move entries. */
async function* listAllDatasets(sparqlImport: SparqlImport): ImportEvents {
  const { config, endpoint, resumeFrom } = sparqlImport
  const { pageSize } = config
  const count = (name: string, values?: Parameters<typeof bind>[1]) =>
    countIn(sparqlImport, builtIn(sparqlImport, name, values))
  const total = await count('dataset-count')
  const blank = await count('dataset-blank-count')
  const remaining =
    resumeFrom === undefined
      ? total
      : blank + (await count('dataset-count-after', { after: literal(resumeFrom) }))
  yield { kind: 'total', total, before: total - remaining }
  yield* refuseBlankNodes(blank)
  for (let after = resumeFrom ?? '', datasetsRead = blank; ;) {
    const page = builtIn(sparqlImport, 'dataset-page', { after: literal(after) })
    const rows = await endpoint.select(`${page}\nLIMIT ${pageSize}`)
    const datasets = rows.map((row) => row['dataset']?.value ?? '')
    const lastDataset = datasets.at(-1)
    if (lastDataset === undefined) break
    if (lastDataset === after)
      throw new Failure('page-loop', `The source lists ${after} after itself.`)
    yield* describeDatasets(sparqlImport, [...new Set(datasets)])
    yield { kind: 'page', cursor: lastDataset }
    after = lastDataset
    datasetsRead += datasets.length
    if (datasets.length < pageSize && datasetsRead >= remaining) break
  }
  const totalAfter = await count('dataset-count')
  await countServices(sparqlImport)
  if (totalAfter !== total)
    throw new Failure('total-changed', 'The number of datasets changed while they were read.')
}

/** Reports the number of services, or the failure to count them, which does not end the import. */
async function countServices(sparqlImport: SparqlImport): Promise<void> {
  const { config, endpoint, sink, signal } = sparqlImport
  const { url } = withoutCredentials(config.address)
  try {
    const count = await countIn(sparqlImport, builtIn(sparqlImport, 'service-count'))
    const rows = count === 0 ? [] : await endpoint.select(builtIn(sparqlImport, 'service-names'))
    const first = rows.map((row) => row['service']?.value ?? '')
    reportServices(sink, { count, first }, url)
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof Failure)) throw error
    const detail = `their number is not known: ${error.detail}`
    sink.finding({ slug: 'services-not-harvested', detail }, { sourceUrl: url })
  }
}

/** Yields a refusal for each dataset without an IRI: SPARQL cannot request it, but the source counts it. */
function* refuseBlankNodes(count: number): Iterable<ImportEvent> {
  const detail =
    'The dataset has no IRI, so that SPARQL cannot ask for it; give it one at the source.'
  for (let remaining = count; remaining > 0; remaining -= 1)
    yield { kind: 'refused', problem: new Failure('item-no-identifier', detail) }
}

/** Datasets of an operator's SELECT, described in pages; the result has no key to resume from. */
async function* listDatasets(
  sparqlImport: SparqlImport,
  text: string,
  variable: string,
): ImportEvents {
  const { config, endpoint } = sparqlImport
  const terms = (await endpoint.select(text)).map((row) => row[variable])
  const namedNodes = terms.filter((term) => term?.termType === 'NamedNode')
  const datasets = [...new Set(namedNodes.map((term) => term.value))]
  const blank = terms.length - namedNodes.length
  yield { kind: 'total', total: datasets.length + blank }
  yield* refuseBlankNodes(blank)
  for (let offset = 0; offset < datasets.length; offset += config.pageSize) {
    yield* describeDatasets(sparqlImport, datasets.slice(offset, offset + config.pageSize))
    yield { kind: 'page', isJoined: true }
  }
}

/** Datasets of an operator's CONSTRUCT: all at once, or in pages by `$limit` and `$offset` until one is empty. */
async function* constructDocuments(sparqlImport: SparqlImport, textFor: GraphQuery): ImportEvents {
  const { config, endpoint, sink } = sparqlImport
  const stubs = new StubDatasets()
  const isSingleQuery = typeof textFor === 'string'
  for (let [offset, isEnd] = [0, false]; !isEnd; offset += config.pageSize) {
    const document = await endpoint.construct(
      isSingleQuery ? textFor : textFor(config.pageSize, offset),
    )
    const isEmpty = document.spool.datasetCount() === 0
    const missingContent = offset === 0 ? document.missingContent : undefined
    yield* recordsOf(document, { stubs }, { sink })
    isEnd = isSingleQuery || isEmpty
    if (isSingleQuery || !isEmpty) yield { kind: 'page' }
    if (missingContent !== undefined) {
      yield noDataset(sparqlImport, missingContent)
      return
    }
  }
  yield* stubs.finish()
}

// Descriptions of datasets, in requests that shrink until their answers are complete.

/** Number of triples from which an answer may be truncated; endpoints do so silently at 10,000. */
const manyTriples = 5000
/** Failures that a smaller request may avoid. */
const avoidableFaults = new Set(['source-truncated', 'source-timeout'])

/** A record, or a refusal, for each of the datasets. */
async function* describeDatasets(
  sparqlImport: SparqlImport,
  datasets: readonly string[],
): ImportEvents {
  for (let offset = 0; offset < datasets.length;) {
    const batch = datasets.slice(offset, offset + sparqlImport.batchSize)
    const document = await describeBatch(sparqlImport, batch)
    if (!document) {
      sparqlImport.batchSize = Math.max(1, Math.floor(sparqlImport.batchSize / 2))
      continue
    }
    const requested = new Set(batch.map((iri) => quoteIri(iri)))
    const missing = new Set(requested)
    const isWanted = (term: string) => requested.has(term) && (missing.delete(term) || true)
    yield* recordsOf(document, { isWanted }, sparqlImport)
    const detail = 'The source lists the dataset but does not describe it.'
    for (const term of missing) {
      const problem = new Failure('item-malformed', detail)
      yield { kind: 'refused', sourceId: term.slice(1, -1), problem }
    }
    offset += batch.length
  }
}

/** Requests the descriptions of some datasets; `undefined` if the answer may be cut off and fewer datasets can be requested. */
async function describeBatch(
  sparqlImport: SparqlImport,
  batch: readonly string[],
): Promise<RdfDocument | undefined> {
  const { endpoint, datasetQuery } = sparqlImport
  const [firstDataset = ''] = batch
  const isSingle = batch.length === 1
  const dataset = batch.map((iri) => namedNode(iri))
  const query =
    datasetQuery?.(firstDataset) ?? builtIn(sparqlImport, 'dataset-descriptions', { dataset })
  const document = await endpoint.construct(query).catch((error: unknown) => {
    if (isSingle || !(error instanceof Failure) || !avoidableFaults.has(error.kind)) throw error
    return undefined
  })
  if (!document || document.triples < manyTriples) return document
  if (isSingle && (await isWhole(sparqlImport, document, firstDataset))) return document
  document.close()
  if (!isSingle) return undefined
  throw new Failure('source-truncated', `The source cut off its answer about ${firstDataset}.`)
}

/** Whether the document has as many statements about the dataset as the source counts; assumed for an operator's query. */
async function isWhole(sparqlImport: SparqlImport, document: RdfDocument, iri: string) {
  if (sparqlImport.datasetQuery) return true
  const query = builtIn(sparqlImport, 'dataset-size', { dataset: namedNode(iri) })
  const lines = document.spool.describe({ term: quoteIri(iri), graph: '' }).split('\n').length - 1
  return lines >= (await countIn(sparqlImport, query))
}
