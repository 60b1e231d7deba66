/** Export of the metrics of messages: each as text, or many together into the repository of this process. */

import type { Quad } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import type { MetricsExport, MetricsOutcome, RecordMessage } from '../../pipe/message.ts'
import { toLine } from '../../rdf/lines.ts'
import { payloadOf } from './payload.ts'

/** Repository of this process as measuring uses it. */
export type MetricsRepository = {
  /**
   * Runs work after writers from outside, which may delay it for a bounded time; passes how many datasets it may read or
   * write at once.
   */
  readonly turn: <T>(work: (most: number) => Promise<T>, signal: AbortSignal) => Promise<T>
  /** Writes metrics; returns an outcome for each, in their order. Rejects with `Failure` when nothing could be written. */
  readonly putMetrics: (
    many: readonly MetricsOf[],
    signal: AbortSignal,
  ) => Promise<readonly MetricsOutcome[]>
}

/** Metrics graph of a dataset, by its platform id. */
type MetricsOf = { readonly dataset: string; readonly quads: readonly Quad[] }

const pipe = 'metrics'

/** Makes the export of metrics. Without a repository in this process the exporter sends each message as text. */
export const metricsExport = (repository: MetricsRepository | undefined): MetricsExport => ({
  body: async (message) => {
    const { metrics } = await payloadOf(message, pipe)
    const text = metrics.map((one) => `${toLine(one)}\n`).join('')
    return { mediaType: 'application/n-triples', text }
  },
  ...(repository && { own: (messages, signal) => putAll(repository, messages, signal) }),
})

/** Writes the metrics of messages in groups, whose sizes the repository decides. */
async function putAll(
  { turn, putMetrics }: MetricsRepository,
  messages: readonly RecordMessage[],
  signal: AbortSignal,
): Promise<readonly MetricsOutcome[]> {
  const read = await Promise.all(messages.map(metricsOf))
  const ready = read.filter((one): one is MetricsOf => !(one instanceof Failure))
  const outcomes: MetricsOutcome[] = []
  const work = async (most: number) => {
    const some = ready.slice(outcomes.length, outcomes.length + most)
    const written = await putMetrics(some, signal)
    outcomes.push(...some.map((_, place) => written[place] ?? 'gone'))
  }
  while (outcomes.length < ready.length) await turn(work, signal)
  return read.map((one) => (one instanceof Failure ? one : (outcomes.shift() ?? 'gone')))
}

async function metricsOf(message: RecordMessage): Promise<MetricsOf | Failure> {
  try {
    const { subject, metrics } = await payloadOf(message, pipe)
    return { dataset: subject.id, quads: metrics }
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}
