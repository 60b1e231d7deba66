/** Writes metrics into the repository of this process: those of many datasets with one call, while the next are measured. */

import { Failure } from '../../../errors.ts'
import type { Message, RecordMessage } from '../../../pipe/message.ts'
import { backoffMs } from '../../../workers/retry.ts'
import type { Patience } from '../door/patience.ts'
import type { MetricsExport, MetricsLanded } from '../../../pipe/message.ts'

type Own = NonNullable<MetricsExport['own']>

/** Records and what came behind the last of them. */
export type Group = {
  readonly records: readonly RecordMessage[]
  readonly others: readonly Exclude<Message, RecordMessage>[]
}

/** Datasets of one call: enough to share a look-up and a transaction, few enough for others to come between. */
const most = 64

/** The stream in groups; a page or an end closes one, and so does a dataset that comes again. */
export async function* groups(input: AsyncIterable<Message>): AsyncGenerator<Group> {
  let records: RecordMessage[] = []
  let ids = new Set<string>()
  let others: Exclude<Message, RecordMessage>[] = []
  const taken = (): Group => {
    const group = { records, others }
    records = []
    others = []
    ids = new Set()
    return group
  }
  for await (const message of input) {
    if (message.kind !== 'record') {
      others.push(message)
      if (message.kind === 'page' || message.kind === 'end') yield taken()
      continue
    }
    const id = measuredId(message)
    if (others.length > 0 || ids.has(id)) yield taken()
    records.push(message)
    ids.add(id)
    if (records.length >= most) yield taken()
  }
  if (records.length + others.length > 0) yield taken()
}

/** The platform's id of what was measured. */
export const measuredId = ({ extra, sourceId }: RecordMessage): string => {
  const identifier = extra?.['identifier']
  return typeof identifier === 'string' ? identifier : sourceId
}

const tries = 5

/** Tries again, later and later, while the repository is busy or broken; the last word counts. */
export async function landedPatiently(
  own: Own,
  records: readonly RecordMessage[],
  { pause, random }: Patience,
  signal: AbortSignal,
): Promise<readonly MetricsLanded[]> {
  const verdicts = new Map<RecordMessage, MetricsLanded>()
  let left = records
  for (let attempt = 1; left.length > 0; attempt += 1) {
    const told = await landedOnce(own, left, signal)
    for (const [at, record] of left.entries()) {
      const verdict = told[at]
      if (verdict !== undefined) verdicts.set(record, verdict)
    }
    left = left.filter((record) => isTransient(verdicts.get(record)))
    if (left.length === 0 || attempt >= tries) break
    await pause(backoffMs(attempt, random), signal)
  }
  return records.map((record) => verdicts.get(record) ?? unanswered())
}

async function landedOnce(
  own: Own,
  records: readonly RecordMessage[],
  signal: AbortSignal,
): Promise<readonly MetricsLanded[]> {
  try {
    return await own(records, signal)
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof Failure)) throw error
    return records.map(() => error)
  }
}

const passing: ReadonlySet<string> = new Set(['store-unavailable', 'time-limit', 'store-full'])

/** Not the dataset's fault: another one may be luckier. */
export const isTransient = (verdict: MetricsLanded | undefined): verdict is Failure =>
  verdict instanceof Failure && passing.has(verdict.kind)

const unanswered = () => new Failure('export-failed', 'The repository gave no answer.')
