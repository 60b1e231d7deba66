/**
 * Counters and durations that any folder reports while it works, and that `/metrics` shows. They are declared here with all values
 * of their labels, which bounds the number of series and lets every series exist from the start.
 */

/** Counter, or with `buckets` (upper bounds in seconds) a histogram; label → its values, another one is reported as `other`. */
type Declaration = {
  readonly help: string
  readonly labels: Readonly<Record<string, readonly string[]>>
  readonly buckets?: readonly number[]
}

const declared = (
  help: string,
  labels: Declaration['labels'] = {},
  buckets?: readonly number[],
): Declaration => ({ help, labels, ...(buckets && { buckets }) })

const endings = ['complete', 'incomplete', 'not-modified', 'dry-run']
const breaks = ['failed', 'cancelled', 'timed-out', 'interrupted']
const outgoing = { outcome: ['ok', 'refused', 'guarded', 'timeout'] }

/** All reported numbers by name; the values of `limit` are the names of limits. */
export const reportedNumbers = {
  cartulary_refusals_total: declared('Requests refused by a limit of PLATFORM_LIMITS.', {
    limit: [],
  }),
  cartulary_key_failures_total: declared('Requests refused because of their key.', {
    reason: ['unknown', 'missing', 'forbidden', 'locked'],
  }),
  cartulary_writes_total: declared('Writes of records by kind and outcome.', {
    kind: ['dataset', 'catalogue', 'vocabulary', 'distribution', 'metrics', 'draft'],
    outcome: ['created', 'updated', 'unchanged', 'deleted', 'refused'],
  }),
  cartulary_store_call_duration_seconds: declared(
    'Time of a call of the store.',
    { call: ['read', 'select', 'construct', 'write'] },
    [0.001, 0.01, 0.1, 1, 10],
  ),
  cartulary_store_write_failures_total: declared('Writes that the store did not take.', {
    reason: ['storage-lost', 'disk-full', 'full', 'away', 'time'],
  }),
  cartulary_engine_refusals_total: declared(
    'Calls that the server of the search engine did not take.',
    { reason: ['overload', 'disk-full', 'read-only', 'forbidden'] },
  ),
  cartulary_index_batch_duration_seconds: declared(
    'Time to write a batch of records to the search index.',
    {},
    [0.01, 0.1, 0.5, 2, 10, 60],
  ),
  cartulary_index_projected_total: declared('Records that were indexed or failed.', {
    outcome: ['indexed', 'failed'],
  }),
  cartulary_runs_total: declared('Runs that ended.', { outcome: [...endings, ...breaks] }),
  cartulary_run_duration_seconds: declared('Time of a run.', {}, [1, 10, 60, 600, 3600, 21_600]),
  cartulary_trigger_lateness_seconds: declared(
    'Time from the moment at which a trigger was due to the start of its pipe.',
    {},
    [0.1, 1, 10, 60, 600],
  ),
  cartulary_outbound_requests_total: declared('Requests to foreign hosts.', outgoing),
  cartulary_url_checks_total: declared('Requests that check addresses in records.', outgoing),
  cartulary_sparql_queries_total: declared('Queries of the public SPARQL endpoint.', {
    outcome: ['answered', 'cut', 'timeout', 'memory', 'refused', 'malformed'],
  }),
  cartulary_sparql_replica_builds_total: declared('Public copies of the data that were made.'),
} as const

type ReportedName = keyof typeof reportedNumbers

/** Values of the labels in their order, bounded to the declared ones. */
type Receiver = (name: ReportedName, values: readonly string[], value: number) => void

// For the whole process, as the counters of caches are: what is counted lies in every folder, and there is one `/metrics`.
let receive: Receiver = () => undefined

/** Sets what gets the reports; the last caller gets them. */
export function receiveNumbers(receiver: Receiver): void {
  receive = receiver
}

/** Reports one event, or for a histogram its seconds. */
export function reportNumber(name: ReportedName, values: readonly string[] = [], value = 1): void {
  receive(name, values, value)
}

/** Runs work and reports its seconds, also when it fails. */
export async function reportSeconds<T>(
  name: ReportedName,
  values: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  const startedAt = performance.now()
  try {
    return await work()
  } finally {
    receive(name, values, (performance.now() - startedAt) / 1000)
  }
}

/** Reader of a gauge: one number, or label value → number; `undefined` keeps the last value. It runs in a scrape, so it only reads memory. */
export type GaugeReader = () => number | Iterable<readonly [...string[], number]> | undefined

/** Gauges without labels that parts of any folder show, by name with their help. */
export const shownLevels = {
  http_connections: 'Open connections.',
  cartulary_cursors: 'Open cursors of searches.',
  cartulary_sparql_queue: 'Public SPARQL queries that wait.',
  cartulary_tombstones: 'Deleted records that can be restored.',
} as const

type LevelName = keyof typeof shownLevels

const levels = new Map<LevelName, () => number>()

/** Sets what reads a level from memory; the last caller is read. */
export function showLevel(name: LevelName, read: () => number): void {
  levels.set(name, read)
}

/** Servers that the process needs. */
type Neighbour = 'store' | 'engine' | 'broker' | 'writer'

const neighbours = new Map<Neighbour, () => boolean | undefined>()

/** Sets what reads from memory whether a server answered last (`undefined` where there is none); the last caller is read. */
export function showNeighbour(name: Neighbour, isUp: () => boolean | undefined): void {
  neighbours.set(name, isUp)
}

/** Reads the servers that are shown, with 1 for those that answered last. */
export const neighboursUp = (): readonly (readonly [Neighbour, number])[] =>
  [...neighbours].flatMap(([name, isUp]) => {
    const found = isUp()
    return found === undefined ? [] : [[name, Number(found)] as const]
  })

/** Reads a level; 0 where nothing shows it. */
export const levelOf = (name: LevelName): number => levels.get(name)?.() ?? 0
