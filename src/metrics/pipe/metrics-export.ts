/** What of messages is written: their metrics, one by one as text or many together. */

import type { Quad } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import type { MetricsExport, MetricsLanded, RecordMessage } from '../../pipe/message.ts'
import { toLine } from '../../rdf/lines.ts'
import { payloadOf } from './payload.ts'

/** The repository of this process, where many datasets are written at once. */
export type MetricsRepository = {
  /**
   * Lets writers from outside go first, though never for long, and says to the work how many datasets may be read or
   * written at once then.
   */
  readonly turn: <T>(work: (most: number) => Promise<T>, signal: AbortSignal) => Promise<T>
  /** A verdict for each, in their order. Rejects with `Failure` when nothing could be written. */
  readonly putMetrics: (
    many: readonly MetricsOf[],
    signal: AbortSignal,
  ) => Promise<readonly MetricsLanded[]>
}

/** What is to be stored of a dataset, whose platform id it names. */
type MetricsOf = { readonly dataset: string; readonly quads: readonly Quad[] }

const pipe = 'metrics'

/** Without a repository in this process each message is sent as text, by the exporter. */
export const metricsExport = (repository: MetricsRepository | undefined): MetricsExport => ({
  body: async (message) => {
    const { metrics } = await payloadOf(message, pipe)
    const text = metrics.map((one) => `${toLine(one)}\n`).join('')
    return { mediaType: 'application/n-triples', text }
  },
  ...(repository && { own: (messages, signal) => putAll(repository, messages, signal) }),
})

/** As many at once as those who write from outside leave room for. */
async function putAll(
  { turn, putMetrics }: MetricsRepository,
  messages: readonly RecordMessage[],
  signal: AbortSignal,
): Promise<readonly MetricsLanded[]> {
  const found = await Promise.all(messages.map(metricsOf))
  const ready = found.filter((one): one is MetricsOf => !(one instanceof Failure))
  const landed: MetricsLanded[] = []
  const work = async (most: number) => {
    const some = ready.slice(landed.length, landed.length + most)
    const verdicts = await putMetrics(some, signal)
    landed.push(...some.map((_, place) => verdicts[place] ?? 'gone'))
  }
  while (landed.length < ready.length) await turn(work, signal)
  return found.map((one) => (one instanceof Failure ? one : (landed.shift() ?? 'gone')))
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
