/** The SPARQL importer: every dataset behind an endpoint, page by page by its IRI, or what an own query says. */
import { Failure } from '../../errors.ts'
import { withoutCredentials } from '../../secrets.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import type { Found } from './found.ts'
import type { ImporterKind, ImportRun } from './importer.ts'
import { reportLosses, reportServices } from './rdf-document.ts'
import { records, Stubs } from './rdf-records.ts'
import {
  BadQuery,
  ownQuery,
  type OwnQuery,
  sparqlConfig,
  type SparqlConfig,
} from './sparql-query.ts'
import { countIn, describe, keyTerm, Portion, type Describing } from './sparql-descriptions.ts'
import { type SparqlEndpoint, fromGraph, queriedHere, remoteEndpoint } from './sparql-endpoint.ts'

type Run = ImportRun<SparqlConfig>
type Finds = AsyncGenerator<Found, void>

export const sparqlImporter: ImporterKind<SparqlConfig> = {
  names: ['importing-sparql', 'sparql-importer'],
  version: 1,
  config: sparqlConfig,
  check: ({ query }, { directory }) => {
    try {
      if (query !== undefined) ownQuery(query, directory)
      return []
    } catch (error) {
      if (error instanceof BadQuery) return [{ key: 'query', detail: error.message }]
      throw error
    }
  },
  import: importSparql,
}

async function* importSparql(run: Run): Finds {
  const { config, directory } = run
  const own = config.query === undefined ? undefined : ownQuery(config.query, directory)
  const endpoint =
    config.source === 'endpoint' ? remoteEndpoint(run) : await queriedHere(run, config.source)
  try {
    yield* foundBy(own, { ...run, endpoint })
  } finally {
    await endpoint.close()
  }
}

type SparqlImport = Run & { readonly endpoint: SparqlEndpoint }

function foundBy(own: OwnQuery | undefined, importing: SparqlImport): Finds {
  switch (own?.kind) {
    case undefined:
      return keyset(importing)
    case 'each':
      return keyset(importing, own.textFor)
    case 'list':
      return listed(importing, own)
    case 'window':
      return windows(importing, own.textFor)
    case 'whole':
      return whole(importing, own.text)
    default:
      throw new Error(`unknown query ${JSON.stringify(own satisfies never)}`)
  }
}

/** By the IRIs of the datasets in their order, so that nothing that comes or goes can move the others. */
async function* keyset(importing: SparqlImport, own?: Describing['own']): Finds {
  const { config, endpoint, sink, resumeFrom } = importing
  const { graph, pageSize } = config
  const built = (name: string, values: Parameters<typeof bind>[1] = {}) =>
    fromGraph(bind(loadQuery(`harvest/${name}`), values), graph)
  const total = await countIn(endpoint, built('dataset-count'))
  const blank = await countIn(endpoint, built('dataset-blank-count'))
  const rest =
    resumeFrom === undefined
      ? total
      : blank +
        (await countIn(endpoint, built('dataset-count-after', { after: keyTerm(resumeFrom) })))
  yield { kind: 'total', total, before: total - rest }
  yield* nameless(blank)
  const describing = { endpoint, graph, sink, ...(own && { own }) }
  const portion = new Portion(own ? 1 : pageSize)
  for (let after = resumeFrom ?? '', met = blank; ;) {
    const page = `${built('dataset-page', { after: keyTerm(after) })}\nLIMIT ${pageSize}`
    const datasets = (await endpoint.select(page)).map((row) => row['dataset']?.value ?? '')
    const last = datasets.at(-1)
    if (last === undefined) break
    if (last === after) throw new Failure('page-loop', `The source lists ${after} behind itself.`)
    yield* describe(describing, [...new Set(datasets)], portion)
    yield { kind: 'page', cursor: last }
    after = last
    met += datasets.length
    if (datasets.length < pageSize && met >= rest) break
  }
  const again = await countIn(endpoint, built('dataset-count'))
  await countServices(importing)
  if (again !== total)
    throw new Failure('total-changed', 'The number of datasets changed while they were read.')
}

/** An endpoint that cannot answer that may be right about its datasets all the same. */
async function countServices({ config, endpoint, sink, signal }: SparqlImport): Promise<void> {
  const asked = (name: string) => fromGraph(bind(loadQuery(`harvest/${name}`), {}), config.graph)
  const { url } = withoutCredentials(config.address)
  try {
    const count = await countIn(endpoint, asked('service-count'))
    if (count === 0) return
    const rows = await endpoint.select(asked('service-names'))
    const first = rows.map((row) => row['service']?.value ?? '')
    reportServices(sink, { count, first }, url)
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof Failure)) throw error
    const detail = `their number is not known: ${error.detail}`
    sink.finding({ slug: 'services-not-harvested', detail }, { sourceUrl: url })
  }
}

function* nameless(count: number): Iterable<Found> {
  for (let left = count; left > 0; left -= 1)
    yield {
      kind: 'refused',
      problem: new Failure('item-no-identifier', 'A dataset without an IRI cannot be asked for.'),
    }
}

async function* listed(
  { config, endpoint, sink }: SparqlImport,
  { text, variable }: Extract<OwnQuery, { kind: 'list' }>,
): Finds {
  const rows = await endpoint.select(text)
  const terms = rows.map((row) => row[variable])
  const datasets = new Set<string>()
  let blank = 0
  for (const term of terms)
    if (term?.termType === 'NamedNode') datasets.add(term.value)
    else blank += 1
  yield { kind: 'total', total: datasets.size + blank }
  yield* nameless(blank)
  const portion = new Portion(config.pageSize)
  const all = [...datasets]
  for (let at = 0; at < all.length; at += config.pageSize) {
    const some = all.slice(at, at + config.pageSize)
    yield* describe({ endpoint, graph: config.graph, sink }, some, portion)
    yield { kind: 'page' }
  }
}

const naming = { precedenceUriRef: false, removePrefix: false }

async function* windows(
  { config, endpoint, sink }: SparqlImport,
  textFor: (limit: number, offset: number) => string,
): Finds {
  const choice = { stubs: new Stubs() }
  for (let offset = 0; ; offset += config.pageSize) {
    const document = await endpoint.construct(textFor(config.pageSize, offset))
    try {
      reportLosses(sink, document)
      if (document.spool.datasetCount() === 0) break
      yield* records(document, naming, choice)
      yield { kind: 'page' }
    } finally {
      document.close()
    }
  }
  yield* choice.stubs.left()
}

async function* whole({ endpoint, sink }: SparqlImport, text: string): Finds {
  const document = await endpoint.construct(text)
  try {
    reportLosses(sink, document)
    const choice = { stubs: new Stubs() }
    yield* records(document, naming, choice)
    yield* choice.stubs.left()
    yield { kind: 'page' }
  } finally {
    document.close()
  }
}
