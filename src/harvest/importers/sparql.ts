/** The SPARQL importer: every dataset behind an endpoint, page by page by its IRI, or what an own query says. */
import { Failure } from '../../errors.ts'
import { withoutCredentials } from '../../secrets.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import type { Found } from './found.ts'
import type { ImportConfig } from './import-config.ts'
import type { ImportContext, ImporterKind } from './importer.ts'
import type { Source } from './source.ts'
import { tellCounted, tellLosses } from './rdf-losses.ts'
import { records, Stubs } from './rdf-records.ts'
import {
  BadQuery,
  ownQuery,
  type OwnQuery,
  sparqlConfig,
  type SparqlConfig,
} from './sparql-query.ts'
import { countIn, describe, keyTerm, Portion, type Describing } from './sparql-descriptions.ts'
import {
  type Asking,
  type SparqlEndpoint,
  fromGraph,
  queriedHere,
  remoteEndpoint,
} from './sparql-endpoint.ts'

type Config = SparqlConfig & ImportConfig
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

async function* importSparql(
  config: Config,
  source: Source,
  context: ImportContext,
  signal: AbortSignal,
): Finds {
  const own = config.query === undefined ? undefined : ownQuery(config.query, context.directory)
  const asking: Asking = { config, source, context }
  const endpoint =
    config.source === 'endpoint'
      ? remoteEndpoint(asking, signal)
      : await queriedHere(asking, config.source)
  try {
    yield* foundBy(own, { config, endpoint, context, signal })
  } finally {
    await endpoint.close()
  }
}

type SparqlImport = {
  readonly config: Config
  readonly endpoint: SparqlEndpoint
  readonly context: ImportContext
  readonly signal: AbortSignal
}

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
  const { config, endpoint, context } = importing
  const { graph, pageSize } = config
  const built = (name: string, values: Parameters<typeof bind>[1] = {}) =>
    fromGraph(bind(loadQuery(`harvest/${name}`), values), graph)
  const { resumeFrom } = context
  const total = await countIn(endpoint, built('dataset-count'))
  const blank = await countIn(endpoint, built('dataset-blank-count'))
  const rest =
    resumeFrom === undefined
      ? total
      : blank +
        (await countIn(endpoint, built('dataset-count-after', { after: keyTerm(resumeFrom) })))
  yield { kind: 'total', total, before: total - rest }
  yield* nameless(blank)
  const describing = { endpoint, graph, sink: context.sink, ...(own && { own }) }
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
async function countServices({ config, endpoint, context, signal }: SparqlImport): Promise<void> {
  const asked = (name: string) => fromGraph(bind(loadQuery(`harvest/${name}`), {}), config.graph)
  const { url } = withoutCredentials(config.address)
  try {
    const count = await countIn(endpoint, asked('service-count'))
    if (count === 0) return
    const rows = await endpoint.select(asked('service-names'))
    const first = rows.map((row) => row['service']?.value ?? '')
    tellCounted(context.sink, { count, first }, url)
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof Failure)) throw error
    const detail = `their number is not known: ${error.detail}`
    context.sink.finding({ slug: 'services-not-harvested', detail }, { sourceUrl: url })
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
  { config, endpoint, context }: SparqlImport,
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
    yield* describe({ endpoint, graph: config.graph, sink: context.sink }, some, portion)
    yield { kind: 'page' }
  }
}

const naming = { precedenceUriRef: false, removePrefix: false }

async function* windows(
  { config, endpoint, context }: SparqlImport,
  textFor: (limit: number, offset: number) => string,
): Finds {
  const choice = { stubs: new Stubs() }
  for (let offset = 0; ; offset += config.pageSize) {
    const document = await endpoint.construct(textFor(config.pageSize, offset))
    try {
      tellLosses(context.sink, document)
      if (document.spool.datasetCount() === 0) break
      yield* records(document, naming, choice)
      yield { kind: 'page' }
    } finally {
      document.close()
    }
  }
  yield* choice.stubs.left()
}

async function* whole({ endpoint, context }: SparqlImport, text: string): Finds {
  const document = await endpoint.construct(text)
  try {
    tellLosses(context.sink, document)
    const choice = { stubs: new Stubs() }
    yield* records(document, naming, choice)
    yield* choice.stubs.left()
    yield { kind: 'page' }
  } finally {
    document.close()
  }
}
