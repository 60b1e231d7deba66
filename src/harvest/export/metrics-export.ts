/** Writes the metrics of datasets that are in the repository already: many with one call into our own, else by a PUT for each. */

import { Failure } from '../../errors.ts'
import type { Message, MetricsLanded, RecordMessage } from '../../pipe/message.ts'
import { storedProblem } from '../../pipe/runs/run.ts'
import type { SegmentContext } from '../../pipe/segment.ts'
import { backoffMs } from '../../workers/retry.ts'
import { inBatches } from './batches.ts'
import { failureOf, outcomeOf, refuseByKey, verdictOf } from './dataset-writer.ts'
import { type ExportContext } from './export-run.ts'
import type { ExportTarget } from './export-target.ts'
import { withRetries, type RepositoryClient } from './repository-client.ts'

/** Datasets of one call into our own repository: enough to share a transaction, few enough for others to come between. */
export const metricsPerCall = 64
const mostFailures = 50
const attempts = 5

type MetricsWrite = (
  records: readonly RecordMessage[],
  signal: AbortSignal,
) => Promise<readonly MetricsLanded[]>

/**
 * No ledger and no removals: what is measured is the repository's own. A dataset that is gone is skipped. Throws when the
 * key is the reason, and after fifty failures of the repository in a row.
 */
export async function* exportMetrics(
  { context, client, settings }: ExportTarget & { readonly context: ExportContext },
  input: AsyncIterable<Message>,
  segment: SegmentContext,
  signal: AbortSignal,
): AsyncGenerator<Message> {
  const own = client.isOwn ? context.metricsExport?.own : undefined
  const put: MetricsWrite = own
    ? (records, bound) => writeOwn(context, own, records, bound)
    : singleWrites(context, withRetries(client, context), segment)
  const landed = landing(segment)
  const messages = inBatches<RecordMessage>(input, {
    take: async (message) => wanted(message, settings.skip, segment),
    write: async (records) => {
      signal.throwIfAborted()
      const verdicts = await put(records, signal)
      for (const [at, record] of records.entries()) landed(verdicts[at] ?? 'gone', record)
    },
    key: measuredId,
    characters: () => 0,
    pause: context.pause,
    ...(own ? { most: metricsPerCall, atOnce: 6 } : { most: 1, atOnce: 8 }),
  })
  for await (const message of messages) {
    if (message.kind === 'end') {
      const { completeness } = message
      const problem = completeness.kind === 'incomplete' ? completeness.problem : undefined
      segment.sink.outcome(segment.dryRun ? 'dry-run' : completeness.kind, problem)
    }
    yield message
  }
}

/** The platform's id of what was measured. */
export const measuredId = ({ extra, sourceId }: RecordMessage): string => {
  const identifier = extra?.['identifier']
  return typeof identifier === 'string' ? identifier : sourceId
}

/** The record, if it is to be written; the item says why it is not. */
function wanted(
  message: Message,
  isSkipped: boolean,
  { sink, dryRun }: SegmentContext,
): RecordMessage | undefined {
  if (message.kind === 'skipped') {
    const { sourceId, reason } = message
    sink.item({ sourceId, stage: 'import', state: 'skipped', note: reason })
  }
  if (message.kind === 'refused') {
    const { sourceId, stage, problem, excerpt } = message
    sink.item({
      stage,
      state: 'failed',
      problem: storedProblem(problem),
      ...(sourceId !== undefined && { sourceId }),
      ...(excerpt !== undefined && { excerpt }),
    })
  }
  if (message.kind !== 'record') return undefined
  const item = { sourceId: message.sourceId, stage: 'export' } as const
  if (isSkipped)
    sink.item({ ...item, state: 'skipped', note: 'the segment that writes is skipped' })
  else if (message.extra?.['content'] !== 'metrics')
    sink.item({ ...item, state: 'skipped', note: 'the record carries no metrics' })
  else if (dryRun) {
    const note = 'dry run: nothing was written'
    sink.item({ ...item, state: 'updated', note, excerpt: message.text })
  } else return message
  return undefined
}

/** Notes what became of the metrics of a dataset; throws when the repository has failed too often. */
function landing({ sink }: SegmentContext) {
  let failures = 0
  let last: Failure | undefined
  return (verdict: MetricsLanded, message: RecordMessage): void => {
    // Of what other calls have brought meanwhile nothing is noted.
    if (last) throw last
    const { sourceId } = message
    const item = { sourceId, stage: 'export', platformId: measuredId(message) } as const
    if (!(verdict instanceof Failure)) {
      failures = 0
      if (verdict !== 'gone') sink.item({ ...item, state: verdict })
      else sink.item({ ...item, state: 'skipped', note: 'the dataset is gone' })
      return
    }
    const problem = storedProblem(verdict)
    sink.item({ sourceId, stage: 'export', state: 'failed', problem, excerpt: message.text })
    failures = verdict.kind === 'export-failed' || isTransient(verdict) ? failures + 1 : 0
    if (failures >= mostFailures) throw (last = verdict)
  }
}

const transientKinds: ReadonlySet<string> = new Set([
  'store-unavailable',
  'time-limit',
  'store-full',
])

/** Not the dataset's fault: it may be written next time. */
const isTransient = (verdict: MetricsLanded | undefined): verdict is Failure =>
  verdict instanceof Failure && transientKinds.has(verdict.kind)

/** Tries again, later and later, what failed because the repository is busy or broken. */
async function writeOwn(
  { pause, random }: ExportContext,
  own: MetricsWrite,
  records: readonly RecordMessage[],
  signal: AbortSignal,
): Promise<readonly MetricsLanded[]> {
  const verdicts = new Map<RecordMessage, MetricsLanded>()
  let left = records
  for (let attempt = 1; left.length > 0; attempt += 1) {
    if (attempt > 1) await pause(backoffMs(attempt - 1, random), signal)
    const some = await own(left, signal).catch((error: unknown) => {
      signal.throwIfAborted()
      if (!(error instanceof Failure)) throw error
      return left.map(() => error)
    })
    for (const [at, record] of left.entries())
      verdicts.set(
        record,
        some[at] ?? new Failure('export-failed', 'The repository gave no answer.'),
      )
    if (attempt >= attempts) break
    left = left.filter((record) => isTransient(verdicts.get(record)))
  }
  return records.map((record) => verdicts.get(record) ?? 'gone')
}

/** By a request for each. Throws when the key is the reason. */
function singleWrites(
  { metricsExport }: ExportContext,
  client: RepositoryClient,
  { runId }: SegmentContext,
): MetricsWrite {
  const put = async (message: RecordMessage, signal: AbortSignal): Promise<MetricsLanded> => {
    const { text: body, mediaType } = (await metricsExport?.body(message)) ?? message
    const path = `/datasets/${encodeURIComponent(measuredId(message))}/metrics`
    const headers = { Prefer: 'respond-async', 'X-Request-Id': `${runId}-${message.counter}` }
    const answer = await client.ask({ method: 'PUT', path, body, mediaType, headers }, signal)
    const catalogue = message.extra?.['catalogue']
    refuseByKey(answer, typeof catalogue === 'string' ? catalogue : '-', client)
    if (answer.status === 404 || answer.status === 410) return 'gone'
    const verdict = verdictOf(answer)
    return outcomeOf(verdict) ?? failureOf(verdict)
  }
  return (records, signal) =>
    Promise.all(
      records.map((message) =>
        put(message, signal).catch((error: unknown) => {
          signal.throwIfAborted()
          if (error instanceof Failure && error.kind === 'export-failed') return error
          throw error
        }),
      ),
    )
}
