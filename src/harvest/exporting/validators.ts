/** What importers may ask their source about: whether anything has changed since the last complete run. */

import type { Validator } from '../../pipe/message.ts'
import type { SegmentContext } from '../../pipe/segment.ts'
import { dayMs, type Ground } from './account/ground.ts'

/**
 * What the pipe's last complete run saw. None when that is too old, records looked otherwise then, went elsewhere or
 * through other transformers, a record that run did not find is still there, or the catalogue does not hold all that the
 * pipe has written: then everything has to be read again.
 */
export function validatorsOf(
  { ledger, now, config, accounts }: Pick<Ground, 'ledger' | 'now' | 'config' | 'accounts'>,
  { runId, pipe }: Pick<SegmentContext, 'runId' | 'pipe'>,
  shape: string,
  forceDays: number | undefined,
): readonly Validator[] {
  const last = ledger.pipes.of(pipe)
  if (!last || last.shape !== shape) return []
  if (now() - last.time >= (forceDays ?? config.forceDays) * dayMs) return []
  if (ledger.records.anyMissed({ catalogue: last.catalogue, pipe })) return []
  // The exporter opens its account before it asks for the first record. Without one nobody knows what the catalogue holds.
  const account = accounts.get(runId)
  const isSame =
    account?.owner.catalogue === last.catalogue && account.transformation === last.transformation
  return isSame && account.hasAll ? last.validators : []
}
