/** Under which id a record of a source is kept, and whether this pipe may write it. */

import { Failure } from '../../../errors.ts'
import type { RecordMessage } from '../../../pipe/message.ts'
import type { PipePlace } from '../../ledger/pipe-states.ts'
import type { RecordRow } from '../../ledger/record-rows.ts'
import type { Account } from './account.ts'
import { dayMs, type Ground } from './ground.ts'

/** `row` is that of the original id, whoever owns it. */
export type Identity =
  | { readonly originalId: string; readonly row: RecordRow | undefined }
  | { readonly problem: Failure }

const abandonedAfterMs = 90 * dayMs

/**
 * The ledger's id of this source id; else the first alias, or the source id, that the catalogue has already; else the
 * source id. An alias that is the id of another record of this source is no alias. Problems: `item-owned-elsewhere`,
 * `item-duplicate`.
 */
export function identityOf(
  account: Account,
  { sourceId, aliases }: Pick<RecordMessage, 'sourceId' | 'aliases'>,
): Identity {
  const { ground, owner } = account
  const { records } = ground.ledger
  const own = records.bySource(owner, sourceId)
  if (own) return { originalId: own.originalId, row: own }
  for (const originalId of aliases) {
    const row = records.byOriginal(owner.catalogue, originalId)
    if (!account.isPresent(row, originalId)) continue
    if (row && isAnother(account, row, sourceId)) continue
    return permitted(account, originalId, row)
  }
  return permitted(account, sourceId, records.byOriginal(owner.catalogue, sourceId), sourceId)
}

/** A record of the same pipe under another source id. */
const isAnother = ({ owner }: Account, row: RecordRow, sourceId: string): boolean =>
  row.pipe === owner.pipe && row.sourceId !== '' && row.sourceId !== sourceId

/** Whether the record under this id may be written by this pipe, for this source id when it is said. */
export function permitted(
  account: Account,
  originalId: string,
  row: RecordRow | undefined,
  sourceId?: string,
): Identity {
  if (!row) return { originalId, row }
  if (sourceId !== undefined && isAnother(account, row, sourceId))
    return { problem: duplicateOf(originalId, row.sourceId) }
  if (row.pipe === account.owner.pipe || isAbandoned(account.ground, row))
    return { originalId, row }
  return { problem: ownedBy(row.pipe, originalId) }
}

/** Its pipe is gone, or has not had a complete run for a long time. */
function isAbandoned(ground: Ground, { pipe, written }: RecordRow): boolean {
  const last = ground.ledger.pipes.of(pipe)?.alive ?? written
  if (ground.now() - last > abandonedAfterMs) return true
  const sources = ground.sources()
  return sources.find(pipe) === undefined && !sources.invalid().some(mayHold(ground, pipe))
}

/**
 * Whether a pipe may stand in something that cannot be read: the file where it stood at its last run, or anything of a
 * source that tells no files. Of a pipe whose place nobody noted every file may be the one: its name is inside.
 */
function mayHold({ ledger }: Ground, pipe: string) {
  const place = ledger.pipes.placeOf(pipe)
  return ({ source, file }: PipePlace): boolean =>
    !place || (source === place.source && (file === place.file || file === ''))
}

export const ownedBy = (pipe: string, originalId: string): Failure =>
  new Failure('item-owned-elsewhere', `The pipe ${pipe} owns the record ${originalId}.`)

export const duplicateOf = (originalId: string, sourceId: string): Failure =>
  new Failure(
    'item-duplicate',
    `The record ${originalId} belongs to the source's record ${sourceId} already.`,
  )
