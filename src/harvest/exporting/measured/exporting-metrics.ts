/** The last segment of a run that measures: writes the metrics of datasets, which are in the repository already. */

import { Failure } from '../../../errors.ts'
import { inOrder } from '../../../pipe/ahead.ts'
import type { Message, MetricsExport, MetricsLanded, RecordMessage } from '../../../pipe/message.ts'
import { storedProblem } from '../../../pipe/runs/stored-problem.ts'
import type { SegmentContext } from '../../../pipe/segment.ts'
import type { Doors } from '../door/choice.ts'
import type { Door } from '../door/door.ts'
import { patientDoor, type Patience } from '../door/patience.ts'
import type { ExportConfig } from '../settings.ts'
import { measuredId, groups, isTransient, landedPatiently, type Group } from './landing-many.ts'
import { putMetrics } from './put-metrics.ts'

type MetricsGround = Pick<Doors, 'key'> &
  Patience & { readonly metricsExport?: MetricsExport | undefined }

/** Requests on their way at the same time. */
const atOnce = 8
/** Groups of datasets: while one is written the next are made ready. */
const groupsAtOnce = 6
const mostStrikes = 50

type Settings = Pick<ExportConfig, 'skip'>
type Exporting = {
  readonly ground: MetricsGround
  readonly door: Door
  readonly settings: Settings
}

/**
 * No ledger and no removals: what is measured is the repository's own. A dataset that is gone is skipped. Throws when the
 * key is the reason, and after fifty failures of the repository in a row.
 */
export async function* exportingMetrics(
  exporting: Exporting,
  input: AsyncIterable<Message>,
  context: SegmentContext,
  signal: AbortSignal,
): AsyncGenerator<Message> {
  const own = exporting.door.isOwn ? exporting.ground.metricsExport?.own : undefined
  const messages = own
    ? together({ ...exporting, own }, input, context, signal)
    : oneByOne(exporting, input, context, signal)
  for await (const message of messages) {
    if (message.kind === 'end') decide(message, context)
    if (message.kind !== 'record') yield message
  }
}

/** In their order: a page comes out when everything before it is written. */
function oneByOne(
  { ground, door, settings }: Exporting,
  input: AsyncIterable<Message>,
  context: SegmentContext,
  signal: AbortSignal,
): AsyncGenerator<Message> {
  const patient = patientDoor(door, ground)
  const strike = strikes()
  const work = async (message: Message): Promise<Message> => {
    signal.throwIfAborted()
    if (message.kind !== 'record') told(message, context)
    else if (isWanted(message, settings, context))
      strike(await sent({ ...ground, door: patient }, message, context, signal), message, context)
    return message
  }
  return inOrder(input, work, atOnce)
}

type Own = {
  readonly own: NonNullable<MetricsExport['own']>
  readonly ground: Patience
  readonly settings: Settings
}

async function* together(
  { own, ground, settings }: Own,
  input: AsyncIterable<Message>,
  context: SegmentContext,
  signal: AbortSignal,
): AsyncGenerator<Message> {
  const strike = strikes()
  const work = async ({ records, others }: Group): Promise<Group['others']> => {
    signal.throwIfAborted()
    const wanted = records.filter((message) => isWanted(message, settings, context))
    const verdicts = await landedPatiently(own, wanted, ground, signal)
    for (const [at, message] of wanted.entries()) strike(verdicts[at] ?? 'gone', message, context)
    for (const message of others) told(message, context)
    return others
  }
  for await (const others of inOrder(groups(input), work, groupsAtOnce)) yield* others
}

/** Notes what became of the metrics of a dataset; throws when the repository has failed too often. */
function strikes() {
  let count = 0
  return (verdict: MetricsLanded, message: RecordMessage, { sink }: SegmentContext): void => {
    const { sourceId } = message
    const item = { sourceId, stage: 'export', platformId: measuredId(message) } as const
    if (!(verdict instanceof Failure)) {
      count = 0
      if (verdict !== 'gone') sink.item({ ...item, state: verdict })
      else sink.item({ ...item, state: 'skipped', note: 'the dataset is gone' })
      return
    }
    const problem = storedProblem(verdict)
    sink.item({ sourceId, stage: 'export', state: 'failed', problem, excerpt: message.text })
    count = verdict.kind === 'export-failed' || isTransient(verdict) ? count + 1 : 0
    if (count >= mostStrikes) throw verdict
  }
}

/** Whether the record is to be written; the item says why it is not. */
function isWanted(
  message: RecordMessage,
  { skip }: Settings,
  { sink, dryRun }: SegmentContext,
): boolean {
  const item = { sourceId: message.sourceId, stage: 'export' } as const
  if (skip) {
    sink.item({ ...item, state: 'skipped', note: 'the segment that writes is skipped' })
    return false
  }
  if (message.extra?.['content'] !== 'metrics') {
    sink.item({ ...item, state: 'skipped', note: 'the record carries no metrics' })
    return false
  }
  if (dryRun) {
    const note = 'dry run: nothing was written'
    sink.item({ ...item, state: 'updated', note, excerpt: message.text })
    return false
  }
  return true
}

/** By a request of its own. */
async function sent(
  to: MetricsGround & { readonly door: Door },
  message: RecordMessage,
  { runId }: SegmentContext,
  signal: AbortSignal,
): Promise<MetricsLanded> {
  const body = (await to.metricsExport?.body(message)) ?? message
  return putMetrics(to.door, { message, body, runId }, signal)
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
