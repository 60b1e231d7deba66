/** One dataset of the repository as the message that goes through a pipe. */

import { Failure } from '../../errors.ts'
import type { Message, RecordMessage } from '../../pipe/message.ts'
import type { Names } from '../../rdf/names.ts'
import { parse } from '../../rdf/parse.ts'
import { trig } from '../travelling/trig.ts'
import { got, type FeedDoor } from './door.ts'

export type Reading = FeedDoor & {
  readonly names: Names
  /** `dct:type` of a catalogue as a pipe says it, such as `dcat-ap`. */
  readonly typeOf: (catalogue: string, signal: AbortSignal) => Promise<string | undefined>
  /** Name of the metrics graph in the payload. */
  readonly metricsGraph: string
  /** The present metrics graph goes along. */
  readonly withMetrics: boolean
}

/** `skipped` when the dataset is gone, `refused` when it cannot be read. `counter` is its place in the run. */
export async function datasetMessage(
  reading: Reading,
  id: string,
  counter: number,
  signal: AbortSignal,
): Promise<Message> {
  try {
    return await readMessage(reading, id, counter, signal)
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof Failure)) throw error
    return { kind: 'refused', sourceId: id, stage: 'import', problem: error }
  }
}

const isGone = ({ status }: Response): boolean => status === 404 || status === 410

async function readMessage(
  reading: Reading,
  id: string,
  counter: number,
  signal: AbortSignal,
): Promise<Message> {
  const { names, typeOf, metricsGraph, withMetrics } = reading
  const path = `/datasets/${encodeURIComponent(id)}`
  const answer = await got(reading, path, signal)
  const text = await answer.text()
  if (isGone(answer)) return { kind: 'skipped', sourceId: id, reason: 'the dataset is gone' }
  if (answer.status !== 200)
    throw new Failure('source-error', `the dataset answered ${answer.status}`)
  const catalogue = catalogueOf(answer, names)
  const source = catalogue === undefined ? undefined : await typeOf(catalogue, signal)
  const iri = names.dataset(id)
  const message: RecordMessage = {
    kind: 'record',
    counter,
    sourceId: id,
    aliases: [],
    mediaType: 'application/n-triples',
    text,
    findings: [],
    extra: {
      identifier: id,
      uriRef: iri,
      ...(catalogue !== undefined && { catalogue }),
      ...(source !== undefined && { source }),
    },
  }
  const present = withMetrics ? await got(reading, `${path}/metrics`, signal) : undefined
  return present?.status === 200 ? joined(message, await present.text(), metricsGraph) : message
}

/** The dataset with its present metrics beside it. */
async function joined(
  message: RecordMessage,
  present: string,
  metricsGraph: string,
): Promise<RecordMessage> {
  // Labels of blank nodes are unique to the call: those of the two documents do not meet.
  const [dataset, metrics] = await Promise.all(
    [message.text, present].map((text) => parse(text, 'ntriples', { baseIri: metricsGraph })),
  )
  const text = trig({ dataset: dataset ?? [], metrics: metrics ?? [], metricsGraph })
  return { ...message, mediaType: 'application/trig', text }
}

/** The collection that the answer says it is in (RFC 6573). */
function catalogueOf({ headers }: Response, names: Names): string | undefined {
  const iri = /<([^>]*)>; rel="collection"/.exec(headers.get('link') ?? '')?.[1]
  return iri === undefined ? undefined : names.idOf('catalogue', iri)
}
