/** The last segment of a run that measures: writes the metrics of datasets, which are in the repository already. */

import { Failure } from '../../../errors.ts'
import { inOrder } from '../../../pipe/ahead.ts'
import type { Message, RecordMessage } from '../../../pipe/message.ts'
import { storedProblem } from '../../../pipe/runs/problem.ts'
import type { SegmentContext } from '../../../pipe/segment.ts'
import type { Doors } from '../door/choice.ts'
import type { Door } from '../door/door.ts'
import { patientDoor, type Patience } from '../door/patience.ts'
import { putMetrics } from './put-metrics.ts'

/** The metrics of a message as RDF; without it the text of the message, which holds the dataset too. */
export type MetricsBody = (
  message: RecordMessage,
) => Promise<{ readonly mediaType: string; readonly text: string }>

type MetricsGround = Pick<Doors, 'key'> &
  Patience & { readonly metricsBody?: MetricsBody | undefined }

/** Requests on their way at the same time. */
const atOnce = 8
const mostStrikes = 50

/**
 * No ledger and no removals: what is measured is the repository's own. A dataset that is gone is skipped. Throws when the
 * key is the reason, and after fifty failures of the repository in a row.
 */
export async function* exportingMetrics(
  { ground, door }: { readonly ground: MetricsGround; readonly door: Door },
  input: AsyncIterable<Message>,
  context: SegmentContext,
  signal: AbortSignal,
): AsyncGenerator<Message> {
  const patient = patientDoor(door, ground)
  let strikes = 0
  const write = async (message: RecordMessage): Promise<void> => {
    const problem = await written({ ...ground, door: patient }, message, context, signal)
    strikes = problem?.kind === 'export-failed' ? strikes + 1 : 0
    if (problem && strikes >= mostStrikes) throw problem
  }
  const work = async (message: Message): Promise<Message> => {
    signal.throwIfAborted()
    if (message.kind === 'record') await write(message)
    else told(message, context)
    return message
  }
  // In their order: a page comes out when everything before it is written.
  for await (const message of inOrder(input, work, atOnce)) {
    if (message.kind === 'end') decide(message, context)
    if (message.kind !== 'record') yield message
  }
}

/** What went wrong with the record, if anything did. */
async function written(
  to: MetricsGround & { readonly door: Door },
  message: RecordMessage,
  { sink, dryRun, runId }: SegmentContext,
  signal: AbortSignal,
): Promise<Failure | undefined> {
  const { sourceId } = message
  const item = { sourceId, stage: 'export' } as const
  if (message.extra?.['content'] !== 'metrics') {
    sink.item({ ...item, state: 'skipped', note: 'the record carries no metrics' })
    return undefined
  }
  if (dryRun) {
    const note = 'dry run: nothing was written'
    sink.item({ ...item, state: 'updated', note, excerpt: message.text })
    return undefined
  }
  const body = (await to.metricsBody?.(message)) ?? message
  const verdict = await putMetrics(to.door, { message, body, runId }, signal)
  if (verdict instanceof Failure) {
    sink.item({
      ...item,
      state: 'failed',
      problem: storedProblem(verdict),
      excerpt: message.text,
    })
    return verdict
  }
  const { platformId, state } = verdict
  const note = state === 'skipped' ? { note: 'the dataset is gone' } : {}
  sink.item({ ...item, platformId, state, ...note })
  return undefined
}

/** What segments before this one have left out. */
function told(message: Exclude<Message, RecordMessage>, { sink }: SegmentContext): void {
  if (message.kind === 'skipped') {
    const { sourceId, reason } = message
    sink.item({ sourceId, stage: 'import', state: 'skipped', note: reason })
  }
  if (message.kind !== 'refused') return
  const { sourceId, stage, problem, excerpt } = message
  sink.item({
    stage,
    state: 'failed',
    problem: storedProblem(problem),
    ...(sourceId !== undefined && { sourceId }),
    ...(excerpt !== undefined && { excerpt }),
  })
}

function decide(
  { completeness }: Extract<Message, { kind: 'end' }>,
  { sink, dryRun }: SegmentContext,
): void {
  const problem = completeness.kind === 'incomplete' ? completeness.problem : undefined
  sink.outcome(dryRun ? 'dry-run' : completeness.kind, problem)
}
