/** The repository with what goes on behind its requests: opened before the first one, stopped after the last. */

import type { App } from '../http/app.ts'
import { repositoryApp } from './app.ts'
import type { RepositoryAppDeps } from './bound.ts'
import { followed } from './listing/followed-store.ts'
import { openDeletion, type DeletionOptions } from './deleting/deletion.ts'

export type StationOptions = Omit<RepositoryAppDeps, 'deletion' | 'kept'> &
  Pick<DeletionOptions, 'directory' | 'days' | 'pause'>

export async function openRepository(
  given: StationOptions,
): Promise<{ readonly app: App; readonly stop: () => Promise<void> }> {
  const { store, kept } = followed(given.store, given.names, () => given.now().getTime())
  const options = { ...given, store }
  const deletion = await openDeletion(options)
  return { app: repositoryApp({ ...options, deletion, kept }), stop: deletion.stop }
}
