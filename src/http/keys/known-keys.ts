/** The keys of this installation: configured ones, or the one that it made for itself. */

import type { Log } from '../../log.ts'
import { apiKeys, type ApiKeys, type KeyConfig } from '../api-key.ts'
import { keyFile } from './key-file.ts'

export type KnownKeys = {
  readonly keys: ApiKeys
  /** One that may be used; for what the process does through its own public door. */
  readonly key: string
}

export async function knownKeys(options: {
  readonly configured: KeyConfig | undefined
  /** Where the generated key lies. */
  readonly directory: string
  readonly keyFailures: number
  readonly log: Log
}): Promise<KnownKeys> {
  const { configured, directory, keyFailures, log } = options
  if (configured) {
    const keys = apiKeys(configured, { keyFailures })
    log.info({ keys: keys.list() }, 'keys.configured')
    return { keys, key: Object.keys(configured)[0] ?? '' }
  }
  const { key, path, created } = await keyFile(directory)
  log.info({ path, created }, 'keys.generated')
  return { keys: apiKeys({ [key]: ['*'] }, { keyFailures }), key }
}
