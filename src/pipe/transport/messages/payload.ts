/** What a message between processes carries, written. */

import type { Failure } from '../../../errors.ts'
import type { Json, JsonObject, Payload } from '../../document.ts'
import type { Completeness, RecordMessage, Stage } from '../../message.ts'

/** Where a record stands among those of its run. */
export type Standing = {
  /** Running number from 1. */
  readonly counter: number
  readonly total?: number
  readonly catalogue?: string
}

/** One record: its text, and in `dataInfo` what is known of it. */
export function recordPayload(record: RecordMessage, standing: Standing): Payload {
  const { originalId, sourceId, sourceHash, aliases, extra = {} } = record
  return payload(standing.counter, record.text, record.mediaType, {
    ...plain(extra),
    ...standing,
    identifier: originalId ?? sourceId,
    ...(sourceHash !== undefined && { hash: sourceHash }),
    ...(aliases.length > 0 && { aliases }),
  })
}

/** A record that the source has declared deleted. */
export const deletedPayload = (id: string, standing: Standing): Payload =>
  payload(standing.counter, '', 'text/plain', { ...standing, identifier: id, deleted: true })

/** A record that was refused on its way; only for processes that say that they understand it. */
export function problemPayload(
  { problem, stage }: { readonly problem: Failure; readonly stage: Stage },
  id: string | undefined,
  standing: Standing,
): Payload {
  return payload(standing.counter, '', 'text/plain', {
    ...standing,
    ...(id !== undefined && { identifier: id }),
    content: 'problem',
    problem: { slug: problem.kind, detail: problem.detail, stage },
  })
}

/**
 * The last message of an import: all ids that the source offers, and whether the importer vouches for that. `records` says how many of them were
 * sent, because those that are known to be unchanged were not.
 */
export function listPayload(
  ids: readonly string[],
  records: number,
  { completeness, catalogue }: Pick<Standing, 'catalogue'> & { completeness: Completeness },
): Payload {
  const fingerprint = completeness.kind === 'complete' ? completeness.fingerprint : undefined
  return payload(records + 1, JSON.stringify(ids), 'application/json', {
    content: 'identifierList',
    complete: completeness.kind === 'complete',
    records,
    ...(fingerprint !== undefined && { fingerprint }),
    ...(catalogue !== undefined && { catalogue }),
  })
}

const payload = (
  seqNumber: number,
  data: string,
  dataMimeType: string,
  dataInfo: JsonObject,
): Payload => ({
  header: { seqNumber, dataType: 'text' },
  body: { dataMimeType, data, dataInfo },
})

/** What JSON has words for. */
function plain(extra: Readonly<Record<string, unknown>>): JsonObject {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what was JSON text is JSON
  return JSON.parse(JSON.stringify(extra)) as Record<string, Json>
}
