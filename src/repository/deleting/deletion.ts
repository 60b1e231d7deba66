/** Everything about deleting that outlives a request: tombstones, cascades, returns; opened with the station, closed after it. */

import { rm } from 'node:fs/promises'
import type { RepositoryDeps } from '../deps.ts'
import { datasetIds, type DatasetIds } from '../writing/dataset-id.ts'
import type { BackgroundDeps } from './catalogues/background.ts'
import { cascades, type Cascades } from './catalogues/cascades.ts'
import { deletions, type Deletions } from './deletions.ts'
import { resolveDoubts } from './keeping/doubts.ts'
import { keeper } from './keeping/keeper.ts'
import { keptTombstones } from './keeping/kept-tombstones.ts'
import { returns, type Returns } from './catalogues/returns.ts'
import { noTombstones, type Tombstones } from './tombstones.ts'

export type DeletionOptions = RepositoryDeps &
  Pick<BackgroundDeps, 'pause'> & {
    /** Where the tombstones are kept. */
    readonly directory: string
    /** Days for which what was deleted can be restored; 0 = nothing is kept, not even what was kept before. */
    readonly days: number
  }

export type Deletion = {
  readonly deletions: Deletions
  readonly tombstones: Tombstones
  readonly ids: DatasetIds
  readonly cascades: Cascades
  readonly returns: Returns
  /** Ends what goes on in the background; the next start takes it on. */
  readonly stop: () => Promise<void>
}

/** Settles what a crash left in doubt and takes on what it interrupted, as far as the store answers. */
export async function openDeletion({
  directory,
  days,
  ...options
}: DeletionOptions): Promise<Deletion> {
  if (days === 0) await rm(directory, { recursive: true, force: true })
  const tombstones =
    days === 0 ? noTombstones : keptTombstones({ directory, days, now: options.now })
  const deps = {
    ...options,
    tombstones,
    deletions: deletions(),
    ids: datasetIds({ ...options, tombstones }),
  }
  const cascading = cascades(deps)
  const returning = returns(deps)
  const keeping = await keeper({
    ...deps,
    cares: [
      (signal) => resolveDoubts(deps, signal),
      (signal) => cascading.resume(signal),
      (signal) => returning.resume(signal),
    ],
  })
  return {
    deletions: deps.deletions,
    tombstones,
    ids: deps.ids,
    cascades: cascading,
    returns: returning,
    stop: async () => {
      await keeping.stop()
      await Promise.all([cascading.stop(), returning.stop()])
      tombstones.close()
    },
  }
}
