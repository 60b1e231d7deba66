/**
 * Counters and durations that any folder reports while it works, and that `/metrics` shows. They are declared here with all values
 * of their labels, which bounds the number of series and lets every series exist from the start.
 */

/** Counter, or with `buckets` (upper bounds in seconds) a histogram. */
type Declaration = {
  readonly help: string
  readonly labels: readonly string[]
  /** Values of the only or the last label; another value is reported as `other`. */
  readonly values: readonly string[]
  /** Values of the first of two labels. */
  readonly firstValues?: readonly string[]
  readonly buckets?: readonly number[]
}

const calls = [0.001, 0.01, 0.1, 1, 10]

const none: { readonly labels: readonly string[]; readonly values: readonly string[] } = {
  labels: [],
  values: [],
}

const outgoing = { labels: ['outcome'], values: ['ok', 'refused', 'guarded', 'timeout'] }

/** All reported numbers by name. */
export const reportedNumbers = {
  cartulary_refusals_total: {
    help: 'Requests refused by a limit, by its name in PLATFORM_LIMITS.',
    labels: ['limit'],
    values: [],
  },
  cartulary_key_failures_total: {
    help: 'Requests refused because of their key.',
    labels: ['reason'],
    values: ['unknown', 'missing', 'forbidden', 'locked'],
  },
  cartulary_writes_total: {
    help: 'Writes of records by kind and outcome.',
    labels: ['kind', 'outcome'],
    firstValues: ['dataset', 'catalogue', 'vocabulary', 'distribution', 'metrics', 'draft'],
    values: ['created', 'updated', 'unchanged', 'deleted', 'refused'],
  },
  cartulary_store_call_duration_seconds: {
    help: 'Time of a call of the store.',
    labels: ['call'],
    values: ['read', 'select', 'construct', 'write'],
    buckets: calls,
  },
  cartulary_store_write_failures_total: {
    help: 'Writes that the store did not take.',
    labels: ['reason'],
    values: ['storage-lost', 'disk-full', 'full', 'away', 'time'],
  },
  cartulary_index_batch_duration_seconds: {
    help: 'Time from the start of a batch of records to its end in the search index.',
    ...none,
    buckets: [0.01, 0.1, 0.5, 2, 10, 60],
  },
  cartulary_index_projected_total: {
    help: 'Records that were written to the search index or failed there.',
    labels: ['outcome'],
    values: ['indexed', 'failed'],
  },
  cartulary_runs_total: {
    help: 'Runs of pipes that ended.',
    labels: ['outcome'],
    values: [
      'complete',
      'incomplete',
      'not-modified',
      'dry-run',
      'failed',
      'cancelled',
      'timed-out',
      'interrupted',
    ],
  },
  cartulary_run_duration_seconds: {
    help: 'Time of a run of a pipe.',
    ...none,
    buckets: [1, 10, 60, 600, 3600, 21_600],
  },
  cartulary_trigger_lateness_seconds: {
    help: 'Time from the moment at which a trigger was due to the start of its pipe.',
    ...none,
    buckets: [0.1, 1, 10, 60, 600],
  },
  cartulary_outbound_requests_total: { help: 'Requests to foreign hosts.', ...outgoing },
  cartulary_url_checks_total: { help: 'Requests that check addresses in records.', ...outgoing },
  cartulary_sparql_queries_total: {
    help: 'Queries of the public SPARQL endpoint.',
    labels: ['outcome'],
    values: ['answered', 'cut', 'timeout', 'memory', 'refused', 'malformed'],
  },
  cartulary_sparql_replica_builds_total: {
    help: 'Public copies of the data that were made.',
    ...none,
  },
} as const satisfies Readonly<Record<string, Declaration>>

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

/** Reads a level; 0 where nothing shows it. */
export const levelOf = (name: LevelName): number => levels.get(name)?.() ?? 0
