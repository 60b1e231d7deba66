/** What importers may ask their source about: whether anything has changed since the last complete run. */

import type { Validator } from '../../pipe/message.ts'
import { dayMs, type Ground } from './account/ground.ts'
import { travelOf } from './account/travel.ts'

/**
 * What the pipe's last complete run saw. None when that is too old, records looked otherwise then, went elsewhere or
 * through other transformers, or a record that run did not find is still there: then everything has to be read again.
 */
export function validatorsOf(
  ground: Ground,
  pipe: string,
  shape: string,
  forceDays: number | undefined,
): readonly Validator[] {
  const { ledger, now, config, runs } = ground
  const last = ledger.pipes.of(pipe)
  if (!last || last.shape !== shape) return []
  if (now() - last.time >= (forceDays ?? config.forceDays) * dayMs) return []
  if (ledger.records.anyMissed({ catalogue: last.catalogue, pipe })) return []
  const running = runs.list({ pipe, status: 'running', offset: 0, limit: 10 })
  const isSame = running.every(
    ({ id, catalogue }) =>
      catalogue === last.catalogue && travelOf(ground, id)?.transformation === last.transformation,
  )
  return isSame ? last.validators : []
}
