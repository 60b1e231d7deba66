/** Export of the metrics of messages: each as text, or many together into the repository of this process. */

import type { Quad } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import type { MetricsExport, MetricsOutcome, RecordMessage } from '../../pipe/message.ts'
import { toLine } from '../../rdf/lines.ts'
import { payloadOf } from './payload.ts'

/** Repository of this process as measuring uses it. */
export type MetricsRepository = {
  /**
   * Runs work once clients pause their writes, which may delay it for a bounded time; passes how many datasets it may read or
   * write at once.
   */
  readonly turn: <T>(work: (limit: number) => Promise<T>, signal: AbortSignal) => Promise<T>
  /** Writes metrics; returns an outcome for each, in their order. Rejects with `Failure` when nothing could be written. */
  readonly putMetrics: (
    items: readonly DatasetMetrics[],
    signal: AbortSignal,
  ) => Promise<readonly MetricsOutcome[]>
}

/** Metrics graph of a dataset, by its platform id. */
type DatasetMetrics = { readonly dataset: string; readonly quads: readonly Quad[] }

/** Pipe that names the metrics graph of a message without one. */
const pipe = 'metrics'

/** Makes the export of metrics. Without a repository in this process the exporter sends each message as text. */
export const metricsExport = (repository: MetricsRepository | undefined): MetricsExport => ({
  body: async (message) => {
    const { metrics } = await payloadOf(message, pipe)
    const text = metrics.map((triple) => `${toLine(triple)}\n`).join('')
    return { mediaType: 'application/n-triples', text }
  },
  ...(repository && { writeLocally: (messages, signal) => putAll(repository, messages, signal) }),
})

/**
 * Writes the metrics of messages in groups, whose sizes the repository decides; a message that cannot be read has its failure as
 * outcome.
 */
async function putAll(
  { turn, putMetrics }: MetricsRepository,
  messages: readonly RecordMessage[],
  signal: AbortSignal,
): Promise<readonly MetricsOutcome[]> {
  const results = await Promise.all(messages.map(metricsOf))
  const graphs = results.filter((result): result is DatasetMetrics => !(result instanceof Failure))
  const outcomes: MetricsOutcome[] = []
  const work = async (limit: number) => {
    const group = graphs.slice(outcomes.length, outcomes.length + limit)
    const groupOutcomes = await putMetrics(group, signal)
    outcomes.push(...group.map((_, index) => groupOutcomes[index] ?? 'gone'))
  }
  while (outcomes.length < graphs.length) await turn(work, signal)
  return results.map((result) =>
    result instanceof Failure ? result : (outcomes.shift() ?? 'gone'),
  )
}

async function metricsOf(message: RecordMessage): Promise<DatasetMetrics | Failure> {
  try {
    const { subject, metrics } = await payloadOf(message, pipe)
    return { dataset: subject.id, quads: metrics }
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}
