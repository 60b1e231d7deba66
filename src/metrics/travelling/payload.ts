/** What travels between the segments of the quality pipe: a dataset and the metrics that it has so far. */

import type { NamedNode } from '@rdfjs/types'
import type { RecordMessage } from '../../pipe/message.ts'
import { namedNode } from '../../rdf/terms.ts'
import { readPayload } from './reading.ts'
import type { Payload, Subject } from './subject.ts'
import { trig } from './trig.ts'

export type { Payload } from './subject.ts'

/** The `dqv:QualityMetadata` node until the exporter gives it the platform's name. */
export const metricsNode = ({ metricsGraph }: Pick<Payload, 'metricsGraph'>): NamedNode =>
  namedNode(metricsGraph)

const remembered = new WeakMap<RecordMessage, Payload>()

/**
 * The payload of a message: remembered when `withPayload` made the message, else read from its text (TriG, N-Quads or any
 * other RDF) and then remembered. `pipe` names the metrics graph of a message that has none yet. Throws `Failure`:
 * `malformed-rdf`, `unsupported-media-type`, and `missing-class` when there is no dataset in it.
 */
export async function payloadOf(message: RecordMessage, pipe = 'metrics'): Promise<Payload> {
  const known = remembered.get(message)
  if (known) return known
  const payload = await readPayload(message, pipe)
  remembered.set(message, payload)
  return payload
}

/** A dataset of our own repository as the `counter`th message of a run. */
export function fedMessage(payload: Payload, counter: number): RecordMessage {
  const { subject, metrics } = payload
  let text: string | undefined
  const message: RecordMessage = {
    kind: 'record',
    counter,
    sourceId: subject.id,
    aliases: [],
    mediaType: metrics.length === 0 ? 'application/n-triples' : 'application/trig',
    get text() {
      return (text ??= trig(payload))
    },
    findings: [],
    extra: { ...names(subject), uriRef: subject.iri },
  }
  remembered.set(message, payload)
  return message
}

/** The message with another payload. Its text is written when somebody reads it. */
export function withPayload(message: RecordMessage, payload: Payload): RecordMessage {
  let text: string | undefined
  const next: RecordMessage = {
    ...envelope(message),
    mediaType: 'application/trig',
    get text() {
      return (text ??= trig(payload))
    },
    extra: { ...message.extra, ...names(payload.subject), content: 'metrics' },
  }
  remembered.set(next, payload)
  return next
}

/** All but the text: reading that would write it. */
function envelope(message: RecordMessage): Omit<RecordMessage, 'text' | 'mediaType' | 'extra'> {
  const { kind, counter, sourceId, aliases, originalId, sourceHash, sourceUrl, findings } = message
  return {
    kind,
    counter,
    sourceId,
    aliases,
    findings,
    ...(originalId === undefined ? {} : { originalId }),
    ...(sourceHash === undefined ? {} : { sourceHash }),
    ...(sourceUrl === undefined ? {} : { sourceUrl }),
  }
}

const names = ({ id, catalogue, source }: Subject) => ({
  identifier: id,
  ...(catalogue === undefined ? {} : { catalogue }),
  ...(source === undefined ? {} : { source }),
})
