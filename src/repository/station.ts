/** The repository with what goes on behind its requests: opened before the first one, stopped after the last. */

import type { App } from '../http/app.ts'
import { repositoryApp } from './app.ts'
import type { RepositoryAppDeps } from './bound.ts'
import { chores, type Chores } from './chores/chores.ts'
import type { RepairDeps } from './chores/repairing.ts'
import { followed } from './listing/followed-store.ts'
import { openDeletion, type DeletionOptions } from './deleting/deletion.ts'

export type StationOptions = Omit<RepositoryAppDeps, 'deletion' | 'kept'> &
  Pick<DeletionOptions, 'directory' | 'days' | 'pause'> &
  Pick<RepairDeps, 'lastHome'>

export type Repository = {
  readonly app: App
  /** For operators, without the guards of the app. */
  readonly chores: Chores
  readonly stop: () => Promise<void>
}

export async function openRepository(given: StationOptions): Promise<Repository> {
  const { store, kept } = followed(given.store, given.names, () => given.now().getTime())
  const options = { ...given, store }
  const deletion = await openDeletion(options)
  return {
    app: repositoryApp({ ...options, deletion, kept }),
    chores: chores({ ...options, ...deletion }),
    stop: deletion.stop,
  }
}
