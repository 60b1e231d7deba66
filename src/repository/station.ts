/** The repository with what goes on behind its requests: opened before the first one, stopped after the last. */

import type { App } from '../http/app.ts'
import { repositoryApp } from './app.ts'
import type { RepositoryAppDeps } from './bound.ts'
import { openDeletion, type DeletionOptions } from './deleting/deletion.ts'

export type StationOptions = Omit<RepositoryAppDeps, 'deletion'> &
  Pick<DeletionOptions, 'directory' | 'days' | 'pause'>

export async function openRepository(
  options: StationOptions,
): Promise<{ readonly app: App; readonly stop: () => Promise<void> }> {
  const deletion = await openDeletion(options)
  return { app: repositoryApp({ ...options, deletion }), stop: deletion.stop }
}
