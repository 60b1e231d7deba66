/** The step behind the importer: finds out which record is meant, and lets through only what has changed. */

import type { Failure } from '../../errors.ts'
import type { Message, RecordMessage } from '../../pipe/message.ts'
import { tellFindings } from '../../pipe/runs/run-sink.ts'
import type { SegmentContext, SegmentFunction } from '../../pipe/segment.ts'
import type { Account } from './account/account.ts'
import { identityOf } from './account/identity.ts'

/**
 * Records come out with their original id, or as `unchanged`, or as `refused` when they are another pipe's. Without an
 * exporter in this process (`accounts` has no such run) everything passes as it is.
 */
export const known = (accounts: ReadonlyMap<string, Account>): SegmentFunction =>
  async function* (input, context) {
    for await (const message of input) {
      const account = accounts.get(context.runId)
      if (!account) yield message
      else if (message.kind === 'record') {
        const told = toldOf(account, context, message)
        if (told) yield told
      } else {
        if (message.kind === 'refused' && message.sourceId !== undefined) {
          const row = account.ground.ledger.records.bySource(account.owner, message.sourceId)
          if (row) account.meet(row)
        }
        yield message
      }
    }
  }

/** `undefined` for a record that this run is not about. */
function toldOf(
  account: Account,
  { only, sink }: Pick<SegmentContext, 'only' | 'sink'>,
  record: RecordMessage,
): Message | undefined {
  const { sourceId, aliases, sourceUrl } = record
  const identity = identityOf(account, record)
  const ids = [sourceId, ...aliases, 'originalId' in identity ? identity.originalId : sourceId]
  if (only && !ids.some((id) => only.has(id))) return undefined
  if ('problem' in identity) {
    tellFindings(sink, record)
    return refusal(record, identity.problem)
  }
  const { originalId, row } = identity
  const sourceHash = account.hashOf(record.sourceHash)
  if (row) {
    account.meet(row)
    const isOurs = row.pipe === account.owner.pipe && row.sourceId === sourceId
    if (isOurs && account.isUnchanged(row, sourceHash))
      return { kind: 'unchanged', sourceId, originalId }
  }
  return {
    ...record,
    originalId,
    ...(sourceHash !== undefined && { sourceHash }),
    ...(sourceUrl !== undefined && { sourceUrl }),
  }
}

/** The record as one that was offered and is not written. */
const refusal = (
  { sourceId, sourceUrl, text }: RecordMessage,
  problem: Failure,
): Extract<Message, { kind: 'refused' }> => ({
  kind: 'refused',
  sourceId,
  stage: 'export',
  problem,
  excerpt: text.slice(0, 65_536),
  ...(sourceUrl !== undefined && { sourceUrl }),
})
