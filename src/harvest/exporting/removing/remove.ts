/** Removes records from the repository, which keeps each for a while. */

import type { Failure } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import type { Owner, RecordRow } from '../../ledger/record-rows.ts'
import { jsonIn } from '../../importing/sending/repository.ts'
import { dayMs, type Ground } from '../account/ground.ts'
import type { Door } from '../door/door.ts'
import { originPath } from '../writing/put-one.ts'
import { failureOf, refuseByKey } from '../writing/verdict.ts'

export type Removing = {
  readonly ground: Ground
  readonly door: Door
  readonly owner: Owner
  readonly run: string
  readonly log: Log
  /** Told of each record: removed, or why not. */
  readonly told: (row: RecordRow, problem: Failure | undefined) => void
}

/** Requests on their way at the same time. */
const atOnce = 4

/**
 * Removes the rows one by one, a few at once; 404 and 410 mean that a record has gone already. A record that cannot be
 * removed now stays in the ledger. Throws when key or signal end it.
 */
export async function removeAll(
  removing: Removing,
  rows: readonly RecordRow[],
  signal: AbortSignal,
): Promise<void> {
  const { ground } = removing
  ground.ledger.removals.forgetBefore(ground.now() - ground.config.restoreDays * dayMs)
  const waiting = rows.values()
  const lane = async () => {
    for (const row of waiting) await removeOne(removing, row, signal)
  }
  const lanes = Array.from({ length: atOnce }, lane)
  try {
    await Promise.all(lanes)
  } finally {
    await Promise.allSettled(lanes)
  }
}

async function removeOne(
  { ground, door, owner, run, log, told }: Removing,
  row: RecordRow,
  signal: AbortSignal,
): Promise<void> {
  const { catalogue } = owner
  const { ledger, now } = ground
  const { serial, originalId, sourceId } = row
  const current = ledger.records.bySerial(serial)
  // Somebody may have taken it over meanwhile.
  if (current?.pipe !== owner.pipe || ground.claims.has(`${catalogue}\n${originalId}`)) return
  const answer = await door.ask(
    {
      method: 'DELETE',
      path: originPath(catalogue, originalId),
      headers: { Prefer: 'respond-async', 'X-Request-Id': `${run}-removal-${serial}` },
    },
    signal,
  )
  const text = await answer.text()
  const { status } = answer
  refuseByKey(status, catalogue, door)
  if (status !== 204 && status !== 404 && status !== 410) {
    const problem = failureOf({ status, problem: jsonIn(text) })
    log.warn({ catalogue, originalId, status }, 'harvest.unremoved')
    told(row, problem)
    return
  }
  ledger.transaction(() => {
    ledger.records.drop(serial)
    ledger.likenesses.drop(serial)
    ledger.removals.release(serial)
    const { platformId = '' } = current
    if (status === 204)
      ledger.removals.note({ run, ...owner, originalId, sourceId, platformId }, now())
  })
  told(row, undefined)
}
