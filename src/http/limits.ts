/** Limits of the platform: defaults, bounds and meaning of each. */

import { maxIriBytes } from '../rdf/iri.ts'
import { maxLiteralBytes } from '../rdf/terms.ts'
import { dayMs } from '../text/duration.ts'
import { keysOf, mapValues } from '../text/records.ts'

const MB = 2 ** 20
const KB = 2 ** 10
const second = 1000
// Longer times would overflow timers, which take at most 2^31 ms.
const day = dayMs

/** Limit with its default and its bounds. */
type Limit = {
  readonly defaultValue: number
  readonly minimum: number
  readonly maximum: number
  readonly meaning: string
}

const limit = (defaultValue: number, meaning: string, minimum = 1, maximum = 2 ** 40): Limit => ({
  defaultValue,
  minimum,
  maximum,
  meaning,
})

/** Keys of `PLATFORM_LIMITS`; names that end in `Bytes` are bytes, those that end in `Ms` milliseconds, others numbers. */
export const limitTable = {
  bodyBytes: limit(50 * MB, 'request body, decompressed', KB),
  vocabularyBytes: limit(
    200 * MB,
    'vocabulary body, decompressed; in JSON-LD `bodyBytes` counts',
    KB,
  ),
  bodyRatio: limit(100, 'growth of a compressed body after its first MB', 2, 1100),
  headerBytes: limit(16 * KB, 'request header', KB, MB),
  urlBytes: limit(16 * KB, 'request address', 256, MB),
  headersTimeoutMs: limit(10 * second, 'time for the header to arrive', 100, day),
  bodyIdleMs: limit(30 * second, 'pause inside a request body', 10, day),
  requestMs: limit(60 * second, 'one request', 10, day),
  longRequestMs: limit(600 * second, 'one bulk or vocabulary request', 10, day),
  drainMs: limit(10 * second, 'time for running requests when the process stops', 0, day),
  connections: limit(
    1000,
    'open connections; of the last ones some are kept for `/health`, and some for this host',
    1,
    100_000,
  ),
  connectionsPerClient: limit(
    100,
    'open connections of one address; this host and trusted proxies are not counted',
    1,
    100_000,
  ),
  writesPerKey: limit(16, 'writes of one key at the same time', 1, 10_000),
  keyFailures: limit(20, 'wrong keys per minute and address', 1, 100_000),
  triples: limit(
    200_000,
    'triples of one dataset or catalogue; the metrics of a dataset may have five times as many',
  ),
  bulkItems: limit(10_000, 'datasets of one bulk request'),
  blankNodes: limit(20_000, 'blank nodes of one record'),
  canonicalWork: limit(
    1_000_000,
    'steps to label the blank nodes of one record that refer to each other in cycles; 200,000 take about a second of one core',
    1,
    10_000_000,
  ),
  literalBytes: limit(
    maxLiteralBytes,
    'one literal; stores keep no longer one',
    KB,
    maxLiteralBytes,
  ),
  iriBytes: limit(maxIriBytes, 'one IRI; stores keep no longer one', 100, maxIriBytes),
  waitMs: limit(5 * second, 'wait for a written record to be searchable', 0, 60 * second),
  queryCharacters: limit(4096, 'search query q', 1, MB),
  queryTerms: limit(256, 'terms of q', 1, 10_000),
  queryDepth: limit(32, 'nesting of q', 1, 1000),
  wildcardTerms: limit(1000, 'terms that one wildcard stands for', 1, 100_000),
  facetsBytes: limit(16 * KB, 'parameter facets', 64, MB),
  facetValues: limit(100, 'values of one facet', 1, 10_000),
  listItems: limit(100, 'values of one list parameter', 1, 10_000),
  searchMs: limit(10 * second, 'one search', 10, day),
  cursorsPerClient: limit(16, 'open cursors of one client', 1, 100_000),
  cursors: limit(256, 'open cursors', 1, 100_000),
  cursorTtlMs: limit(60 * second, 'life of a cursor after its last use', 100, day),
  sparqlMs: limit(15 * second, 'one public SPARQL query', 10, day),
  sparqlRows: limit(100_000, 'rows or triples of one public SPARQL answer'),
  sparqlBytes: limit(32 * MB, 'one public SPARQL answer', KB),
  sparqlLanes: limit(
    2,
    'public SPARQL queries at the same time; with the embedded store at most one for each copy',
    1,
    16,
  ),
  sparqlCopies: limit(
    2,
    'public copies of the data of the embedded store, as far as memory allows: the first is made for a query, a further one while all are busy, each is freed after ten minutes without queries',
    1,
    16,
  ),
  sparqlMemoryBytes: limit(
    0,
    'memory of one public copy of the data and its queries; 0 = three times what the data need, at most a quarter of the memory',
    0,
    4096 * MB,
  ),
  sparqlQueryBytes: limit(16 * KB, 'public SPARQL query', 64, MB),
  sparqlPerClient: limit(
    2,
    'public SPARQL queries of one client (key, or network of addresses: /24, /56) at the same time',
    1,
    1000,
  ),
  sparqlWaiting: limit(8, 'public SPARQL queries that wait', 0, 10_000),
  longAnswersPerClient: limit(
    2,
    'long answers (dumps, long lists, feeds, sitemaps, reports) of one client at the same time',
    1,
    1000,
  ),
  longAnswers: limit(8, 'long answers of all clients at the same time', 1, 1000),
  longAnswersWaiting: limit(16, 'long answers that wait', 0, 10_000),
  validationBytes: limit(
    5 * MB,
    'body that is validated and not stored, decompressed; without a key at most 200,000',
    KB,
  ),
  validationsPerClient: limit(2, 'validations of one client at the same time', 1, 1000),
  validations: limit(8, 'validations of all clients at the same time', 1, 1000),
  pipeBytes: limit(5 * MB, 'one pipe, or a body that the scheduler is sent', KB),
  segments: limit(32, 'segments of one pipe', 1, 1000),
  triggers: limit(100, 'triggers of one pipe', 1, 10_000),
  scriptMs: limit(5 * second, 'one record in a transformer', 10, 600 * second),
  scriptBytes: limit(64 * MB, 'memory of a script', MB, 2048 * MB),
} as const satisfies Readonly<Record<string, Limit>>

type LimitName = keyof typeof limitTable

/** Value of each limit. */
export type Limits = Readonly<Record<LimitName, number>>

/** Names of all limits. */
export const limitNames: readonly LimitName[] = keysOf(limitTable)

/** Limits of an installation that sets none. */
export const defaultLimits: Limits = mapValues(limitTable, ({ defaultValue }) => defaultValue)
