/** Exports metrics of datasets: in groups into the repository of this process, or by individual PUTs into a remote one. */

import { Failure } from '../../errors.ts'
import type { Message, MetricsOutcome, RecordMessage } from '../../pipe/message.ts'
import { storedProblem } from '../../pipe/runs/run.ts'
import type { SegmentContext } from '../../pipe/segment.ts'
import { backoffMs, retry } from '../../workers/retry.ts'
import { writeBatches } from './batches.ts'
import { failureOf, outcomeOf, throwIfKeyRefused, putResultOf } from './put-results.ts'
import type { ExportContext } from './export-run.ts'
import type { ExportTarget } from './export-target.ts'
import { withRetries, type RepositoryClient } from './repository-client.ts'

/** Datasets per group, which is written in one transaction without blocking others for long. */
export const metricsPerCall = 64
/** Consecutive failures that end a run, and attempts of a group. */
const mostFailures = 50
const mostAttempts = 5

/** Writes metrics; returns an outcome for each record. */
type MetricsWrite = (
  records: readonly RecordMessage[],
  signal: AbortSignal,
) => Promise<readonly MetricsOutcome[]>

/**
 * Exports metrics, without ledger and removals. A dataset that no longer exists is skipped. Throws if the key is refused, and
 * after fifty consecutive failures of the repository.
 */
export async function* exportMetrics(
  { context, client, settings }: ExportTarget & { readonly context: ExportContext },
  input: AsyncIterable<Message>,
  segment: SegmentContext,
  signal: AbortSignal,
): AsyncGenerator<Message> {
  const writeOwn = client.isOwn ? context.metricsExport?.writeLocally : undefined
  const put: MetricsWrite = writeOwn
    ? groupWriter(context, writeOwn)
    : singleWriter(context, client, segment)
  const reportOutcome = outcomeReporter(segment)
  const messages = writeBatches<RecordMessage>(input, {
    take: async (message) => writableRecord(message, settings.skip, segment),
    write: async (records) => {
      signal.throwIfAborted()
      const results = await put(records, signal)
      for (const [index, record] of records.entries())
        reportOutcome(results[index] ?? 'gone', record)
    },
    key: measuredId,
    characters: () => 0,
    pause: context.pause,
    ...(writeOwn ? { maxItems: metricsPerCall, atOnce: 6 } : { maxItems: 1, atOnce: 8 }),
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

/** Platform id of the measured dataset: the `identifier` of the message, else its source id. */
export const measuredId = ({ extra, sourceId }: RecordMessage): string => {
  const identifier = extra?.['identifier']
  return typeof identifier === 'string' ? identifier : sourceId
}

/** Returns the record of a message if it must be written; otherwise adds an item that says why not. */
function writableRecord(
  message: Message,
  isSkipped: boolean,
  { sink, dryRun }: SegmentContext,
): RecordMessage | undefined {
  if (message.kind === 'skipped') {
    const { sourceId, reason } = message
    sink.item({ sourceId, stage: 'import', state: 'skipped', note: reason })
  } else if (message.kind === 'refused') {
    const { sourceId, stage, problem, excerpt } = message
    const itemIds = { sourceId, excerpt }
    sink.item({ ...itemIds, stage, state: 'failed', problem: storedProblem(problem) })
  }
  if (message.kind !== 'record') return undefined
  const { sourceId, extra } = message
  const reportSkipped = (note: string) =>
    sink.item({ sourceId, stage: 'export', state: 'skipped', note })
  if (isSkipped) reportSkipped('the segment that writes is skipped')
  else if (extra?.['content'] !== 'metrics') reportSkipped('the record carries no metrics')
  else if (dryRun) {
    const note = 'dry run: nothing was written'
    sink.item({ sourceId, stage: 'export', state: 'updated', note, excerpt: message.text })
  } else return message
  return undefined
}

/** Returns the function that reports outcomes; it throws after too many failures of the repository. */
function outcomeReporter({ sink }: SegmentContext) {
  let failures = 0
  let fatalFailure: Failure | undefined
  return (result: MetricsOutcome, message: RecordMessage): void => {
    // After the last failure, outcomes of parallel calls are not reported.
    if (fatalFailure) throw fatalFailure
    const { sourceId } = message
    const item = { sourceId, stage: 'export' } as const
    if (result instanceof Failure) {
      const problem = storedProblem(result)
      sink.item({ ...item, state: 'failed', problem, excerpt: message.text })
      failures = result.kind === 'export-failed' || isTransient(result) ? failures + 1 : 0
      if (failures >= mostFailures) throw (fatalFailure = result)
      return
    }
    failures = 0
    const platformId = measuredId(message)
    if (result !== 'gone') sink.item({ ...item, platformId, state: result })
    else sink.item({ ...item, platformId, state: 'skipped', note: 'the dataset is gone' })
  }
}

const transientKinds: ReadonlySet<string> = new Set([
  'store-unavailable',
  'time-limit',
  'store-full',
])

/** Whether the failure is not caused by the dataset and may pass. */
const isTransient = (result: MetricsOutcome | undefined): boolean =>
  result instanceof Failure && transientKinds.has(result.kind)

const noAnswer = new Failure('export-failed', 'The repository gave no answer.')

/** Writes groups into the repository of this process; retries transient failures with growing pauses. */
const groupWriter =
  ({ pause, random }: ExportContext, writeOwn: MetricsWrite): MetricsWrite =>
  async (records, signal) => {
    const results = new Map<RecordMessage, MetricsOutcome>()
    let unwritten = records
    const writeOnce = async () => {
      const outcomes = await writeOwn(unwritten, signal).catch((error: unknown) => {
        signal.throwIfAborted()
        if (!(error instanceof Failure)) throw error
        return unwritten.map(() => error)
      })
      for (const [index, record] of unwritten.entries())
        results.set(record, outcomes[index] ?? noAnswer)
      unwritten = unwritten.filter((record) => isTransient(results.get(record)))
    }
    await retry(writeOnce, {
      delayMs: (outcome, attempt) => {
        const isOver = 'error' in outcome || unwritten.length === 0 || attempt >= mostAttempts
        return isOver ? undefined : backoffMs(attempt, random)
      },
      pause: (ms) => pause(ms, signal),
      signal,
    })
    return records.map((record) => results.get(record) ?? noAnswer)
  }

/** Writes metrics by individual requests. Throws if the key is refused. */
function singleWriter(
  context: ExportContext,
  plainClient: RepositoryClient,
  { runId }: SegmentContext,
): MetricsWrite {
  const client = withRetries(plainClient, context)
  const put = async (message: RecordMessage, signal: AbortSignal): Promise<MetricsOutcome> => {
    const { text: body, mediaType } = (await context.metricsExport?.body(message)) ?? message
    const path = `/datasets/${encodeURIComponent(measuredId(message))}/metrics`
    const headers = { Prefer: 'respond-async', 'X-Request-Id': `${runId}-${message.counter}` }
    const answer = await client.ask({ method: 'PUT', path, body, mediaType, headers }, signal)
    const catalogue = message.extra?.['catalogue']
    throwIfKeyRefused(answer, typeof catalogue === 'string' ? catalogue : '-', client)
    if (answer.status === 404 || answer.status === 410) return 'gone'
    const result = putResultOf(answer)
    return outcomeOf(result) ?? failureOf(result)
  }
  const exportFailure = (error: unknown, signal: AbortSignal) => {
    signal.throwIfAborted()
    if (error instanceof Failure && error.kind === 'export-failed') return error
    throw error
  }
  return (records, signal) =>
    Promise.all(
      records.map((record) => put(record, signal).catch((error) => exportFailure(error, signal))),
    )
}
