/** A record on its way to the repository. */

import type { RecordMessage } from '../../../pipe/message.ts'
import type { RecordRow } from '../../ledger/record-rows.ts'
import type { Account } from '../account/account.ts'
import { duplicateOf, identityOf, ownedBy, permitted } from '../account/identity.ts'
import type { Failure } from '../../../errors.ts'

export type Ready = {
  readonly message: RecordMessage
  readonly originalId: string
  /** Its row before this write. */
  readonly before: RecordRow | undefined
  /** The catalogue held it already when the run began. */
  readonly wasPresent: boolean
}

const claimOf = (account: Account, originalId: string) =>
  `${account.owner.catalogue}\n${originalId}`

/**
 * Makes sure that nobody else writes under this id as long as it is on its way; to be ended by `release`. The answer is
 * the problem when that cannot be.
 */
export function claim(account: Account, message: RecordMessage): Ready | Failure {
  const { ground, owner } = account
  const known = message.originalId
  const row = known === undefined ? undefined : rowOf(account, known)
  const identity =
    known === undefined
      ? identityOf(account, message)
      : permitted(account, known, row, message.sourceId)
  if ('problem' in identity) return identity.problem
  const { originalId } = identity
  const key = claimOf(account, originalId)
  const other = ground.claims.get(key)
  if (other)
    return other.pipe === owner.pipe
      ? duplicateOf(originalId, message.sourceId)
      : ownedBy(other.pipe, originalId)
  ground.claims.set(key, { pipe: owner.pipe })
  const before = identity.row
  return { message, originalId, before, wasPresent: account.isPresent(before, originalId) }
}

const rowOf = ({ ground, owner }: Account, originalId: string) =>
  ground.ledger.records.byOriginal(owner.catalogue, originalId)

export const release = (account: Account, { originalId }: Ready): void =>
  void account.ground.claims.delete(claimOf(account, originalId))
