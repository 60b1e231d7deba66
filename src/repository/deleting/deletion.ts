/** Everything about deletion that outlives a request: tombstones, deletions and restores of catalogues in the background. */

import { rm } from 'node:fs/promises'
import type { RepositoryDeps, WriteContext } from '../context.ts'
import type { IdLists } from '../listing/id-lists.ts'
import { datasetIds } from '../writing/dataset-ids.ts'
import { catalogueDeletions, type CatalogueDeletions } from './catalogue-deletion.ts'
import type { JobDeps } from './catalogue-jobs.ts'
import { catalogueRestores, type CatalogueRestores } from './catalogue-restore.ts'
import { deletions } from './deletions.ts'
import { resolveDoubts, startUpkeep } from './tombstone-upkeep.ts'
import { keptTombstones, noTombstones } from './tombstones.ts'

export type DeletionOptions = RepositoryDeps &
  Pick<JobDeps, 'pause'> & {
    readonly idLists: IdLists
    /** Where the tombstones are kept. */
    readonly directory: string
    /** Days for which what was deleted can be restored; 0 = nothing is kept, not even what was kept before. */
    readonly days: number
  }

export type Deletion = {
  /** For all writers. */
  readonly writing: WriteContext
  readonly catalogueDeletions: CatalogueDeletions
  readonly catalogueRestores: CatalogueRestores
  /** Ends what goes on in the background; the next start takes it on. */
  readonly stop: () => Promise<void>
}

/** Settles what a crash left in doubt and takes on what it interrupted, as far as the store answers. */
export async function openDeletion(options: DeletionOptions): Promise<Deletion> {
  const { directory, days, now, store, names, log, pause } = options
  if (days === 0) await rm(directory, { recursive: true, force: true })
  const tombstones = days === 0 ? noTombstones : keptTombstones({ directory, days, now })
  const ids = datasetIds({ store, names, tombstones })
  const writing = { ...options, tombstones, deletions: deletions(), ids }
  const deleting = catalogueDeletions(writing)
  const restoring = catalogueRestores(writing)
  const upkeep = await startUpkeep({
    tombstones,
    log,
    pause,
    cares: [
      (signal) => resolveDoubts(writing, signal),
      (signal) => deleting.resume(signal),
      (signal) => restoring.resume(signal),
    ],
  })
  return {
    writing,
    catalogueDeletions: deleting,
    catalogueRestores: restoring,
    stop: async () => {
      await upkeep.stop()
      await Promise.all([deleting.stop(), restoring.stop()])
      tombstones.close()
    },
  }
}
