/** SPARQL importer: reads all datasets of an endpoint in pages ordered by IRI, or the result of an operator's query. */

import { Failure } from '../../errors.ts'
import { quoteIri } from '../../rdf/lines.ts'
import { literal, namedNode } from '../../rdf/terms.ts'
import { withoutCredentials } from '../../secrets.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import { orProblem } from '../transform/pipe-files.ts'
import type { ImportEvent } from './import-recorder.ts'
import type { ImporterKind, ImportRun } from './importer.ts'
import { noDataset, type RdfDocument, reportServices } from './rdf-document.ts'
import { recordsOf, StubDatasets } from './rdf-records.ts'
import { iriAsAddress } from './removal-check.ts'
import {
  type GraphQuery,
  ownQuery,
  localEndpoint,
  remoteEndpoint,
  sparqlConfig,
  type SparqlConfig,
  type SparqlEndpoint,
} from './sparql-endpoint.ts'

type Run = ImportRun<SparqlConfig>
type Finds = AsyncGenerator<ImportEvent, void>

/** Importer of SPARQL 1.1 endpoints and of local queries. */
export const sparqlImporter: ImporterKind<SparqlConfig> = {
  names: ['importing-sparql', 'sparql-importer'],
  version: 1,
  config: sparqlConfig,
  check: ({ query }, { directory }) => {
    const own = query && orProblem('query', () => ownQuery(query, directory))
    return own && 'detail' in own ? [own] : []
  },
  addressesOf: iriAsAddress,
  import: importSparql,
}

type SparqlImport = Run & {
  readonly endpoint: SparqlEndpoint
  /** Operator's query for one dataset; the built-in one describes several. */
  readonly own?: (dataset: string) => string
  /** Datasets per request for descriptions. Never grows, because what was too much once is too much again. */
  portion: number
}

/** Imports by the operator's query; without one, datasets are listed by IRI and described in pages. */
async function* importSparql(run: Run): Finds {
  const { config, directory } = run
  const own = config.query === undefined ? undefined : ownQuery(config.query, directory)
  const endpoint =
    config.source === 'endpoint' ? remoteEndpoint(run) : await localEndpoint(run, config.source)
  const importing: SparqlImport = { ...run, endpoint, portion: config.pageSize }
  try {
    if (own?.kind === 'each') yield* byKey({ ...importing, own: own.textFor, portion: 1 })
    else if (own?.kind === 'list') yield* listDatasets(importing, own.text, own.variable)
    else if (own) yield* documents(importing, own.textFor)
    else yield* byKey(importing)
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
async function* byKey(importing: SparqlImport): Finds {
  const { config, endpoint, resumeFrom } = importing
  const { pageSize } = config
  const count = (name: string, values?: Parameters<typeof bind>[1]) =>
    countIn(importing, builtIn(importing, name, values))
  const total = await count('dataset-count')
  const blank = await count('dataset-blank-count')
  const rest =
    resumeFrom === undefined
      ? total
      : blank + (await count('dataset-count-after', { after: literal(resumeFrom) }))
  yield { kind: 'total', total, before: total - rest }
  yield* nameless(blank)
  for (let after = resumeFrom ?? '', met = blank; ;) {
    const page = builtIn(importing, 'dataset-page', { after: literal(after) })
    const rows = await endpoint.select(`${page}\nLIMIT ${pageSize}`)
    const datasets = rows.map((row) => row['dataset']?.value ?? '')
    const last = datasets.at(-1)
    if (last === undefined) break
    if (last === after) throw new Failure('page-loop', `The source lists ${after} after itself.`)
    yield* describeDatasets(importing, [...new Set(datasets)])
    yield { kind: 'page', cursor: last }
    after = last
    met += datasets.length
    if (datasets.length < pageSize && met >= rest) break
  }
  const again = await count('dataset-count')
  await countServices(importing)
  if (again !== total)
    throw new Failure('total-changed', 'The number of datasets changed while they were read.')
}

/** Reports the number of services; failures are ignored, because datasets may work all the same. */
async function countServices(importing: SparqlImport): Promise<void> {
  const { config, endpoint, sink, signal } = importing
  const { url } = withoutCredentials(config.address)
  try {
    const count = await countIn(importing, builtIn(importing, 'service-count'))
    const rows = count === 0 ? [] : await endpoint.select(builtIn(importing, 'service-names'))
    const first = rows.map((row) => row['service']?.value ?? '')
    reportServices(sink, { count, first }, url)
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof Failure)) throw error
    const detail = `their number is not known: ${error.detail}`
    sink.finding({ slug: 'services-not-harvested', detail }, { sourceUrl: url })
  }
}

/** Blank nodes cannot be requested, but the source counts them. */
function* nameless(count: number): Iterable<ImportEvent> {
  const detail =
    'The dataset has no IRI, so that SPARQL cannot ask for it; give it one at the source.'
  for (let left = count; left > 0; left -= 1)
    yield { kind: 'refused', problem: new Failure('item-no-identifier', detail) }
}

/** Datasets of an operator's SELECT, described in pages; the result has no key to resume from. */
async function* listDatasets(importing: SparqlImport, text: string, variable: string): Finds {
  const { config, endpoint } = importing
  const terms = (await endpoint.select(text)).map((row) => row[variable])
  const named = terms.filter((term) => term?.termType === 'NamedNode')
  const all = [...new Set(named.map((term) => term.value))]
  const blank = terms.length - named.length
  yield { kind: 'total', total: all.length + blank }
  yield* nameless(blank)
  for (let at = 0; at < all.length; at += config.pageSize) {
    yield* describeDatasets(importing, all.slice(at, at + config.pageSize))
    yield { kind: 'page', isJoined: true }
  }
}

/** Everything that a query constructs: at once, or in portions by `$limit` and `$offset` until one is empty. */
async function* documents(importing: SparqlImport, textFor: GraphQuery): Finds {
  const { config, endpoint, sink } = importing
  const stubs = new StubDatasets()
  const isUnpaged = typeof textFor === 'string'
  for (let [offset, isEnd] = [0, false]; !isEnd; offset += config.pageSize) {
    const document = await endpoint.construct(
      isUnpaged ? textFor : textFor(config.pageSize, offset),
    )
    const isEmpty = document.spool.datasetCount() === 0
    const lack = offset === 0 ? document.missingContent : undefined
    yield* recordsOf(document, { stubs }, { sink })
    isEnd = isUnpaged || isEmpty
    if (isUnpaged || !isEmpty) yield { kind: 'page' }
    if (lack !== undefined) {
      yield noDataset(importing, lack)
      return
    }
  }
  yield* stubs.finish()
}

// Descriptions of datasets, in requests that shrink until their answers are complete.

/** Number of triples from which an answer may be truncated; endpoints do so silently at 10,000. */
const manyTriples = 5000
/** Failures that a smaller request may avoid. */
const curable = new Set(['source-truncated', 'source-timeout'])

/** A record, or a refusal, for each of the datasets. */
async function* describeDatasets(importing: SparqlImport, datasets: readonly string[]): Finds {
  for (let at = 0; at < datasets.length;) {
    const some = datasets.slice(at, at + importing.portion)
    const document = await wholeOf(importing, some)
    if (!document) {
      importing.portion = Math.max(1, Math.floor(importing.portion / 2))
      continue
    }
    const wanted = new Set(some.map((iri) => quoteIri(iri)))
    const missing = new Set(wanted)
    const isWanted = (term: string) => wanted.has(term) && (missing.delete(term) || true)
    yield* recordsOf(document, { isWanted }, importing)
    const detail = 'The source lists the dataset but does not describe it.'
    for (const term of missing) {
      const problem = new Failure('item-malformed', detail)
      yield { kind: 'refused', sourceId: term.slice(1, -1), problem }
    }
    at += some.length
  }
}

/** `undefined`: the answer was cut, or may have been, and fewer datasets can be asked for. */
async function wholeOf(
  importing: SparqlImport,
  some: readonly string[],
): Promise<RdfDocument | undefined> {
  const { endpoint, own } = importing
  const [only = ''] = some
  const isSingle = some.length === 1
  const dataset = some.map((iri) => namedNode(iri))
  const query = own?.(only) ?? builtIn(importing, 'dataset-descriptions', { dataset })
  const document = await endpoint.construct(query).catch((error: unknown) => {
    if (isSingle || !(error instanceof Failure) || !curable.has(error.kind)) throw error
    return undefined
  })
  if (!document || document.triples < manyTriples) return document
  if (isSingle && (await isUnpaged(importing, document, only))) return document
  document.close()
  if (!isSingle) return undefined
  throw new Failure('source-truncated', `The source cut off its answer about ${only}.`)
}

/** Whether the dataset's own statements are as many as the source counts. */
async function isUnpaged(importing: SparqlImport, document: RdfDocument, iri: string) {
  if (importing.own) return true
  const query = builtIn(importing, 'dataset-size', { dataset: namedNode(iri) })
  const lines = document.spool.describe({ term: quoteIri(iri), graph: '' }).split('\n').length - 1
  return lines >= (await countIn(importing, query))
}
