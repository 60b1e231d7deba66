/** The repository with what goes on behind its requests: opened before the first one, stopped after the last. */

import type { App } from '../http/app.ts'
import { repositoryApp } from './app.ts'
import type { RepositoryAppDeps } from './bound.ts'
import { pauses } from './bulk/pauses.ts'
import { putDatasets, type PutDatasets } from './bulk/put-datasets.ts'
import { chores, type Chores } from './chores/chores.ts'
import type { RepairDeps } from './chores/repairing.ts'
import { followed } from './listing/followed-store.ts'
import { openDeletion, type DeletionOptions } from './deleting/deletion.ts'
import { previewDataset, type PreviewDataset } from './writing/preview.ts'
import { manyMetrics, type ManyMetrics } from './metrics/many-metrics.ts'

export type StationOptions = Omit<RepositoryAppDeps, 'deletion' | 'kept'> &
  Pick<DeletionOptions, 'directory' | 'days' | 'pause'> &
  Pick<RepairDeps, 'lastHome'>

export type Repository = {
  readonly app: App
  /** For operators, without the guards of the app. */
  readonly chores: Chores
  /** For those of this process who measure whole catalogues, without a request for each dataset. */
  readonly manyMetrics: ManyMetrics
  /** For those of this process who harvest, without a request that holds everything once more. */
  readonly putDatasets: PutDatasets
  /** For those who want to know what a harvest would write. */
  readonly previewDataset: PreviewDataset
  readonly stop: () => Promise<void>
}

/** Milliseconds after which metrics that are made ready let requests have their turn. */
const turnMs = 4

export async function openRepository(given: StationOptions): Promise<Repository> {
  const { store, kept } = followed(given.store, given.names, () => given.now().getTime())
  const options = { ...given, store }
  const deletion = await openDeletion(options)
  const now = given.http.now ?? (() => performance.now())
  return {
    manyMetrics: manyMetrics({ ...options, ...deletion, pause: pauses(now, turnMs) }),
    putDatasets: putDatasets({ ...options, ...deletion, pause: pauses(now) }),
    previewDataset: previewDataset({ ...options, ...deletion }),
    app: repositoryApp({ ...options, deletion, kept }),
    chores: chores({ ...options, ...deletion }),
    stop: deletion.stop,
  }
}
