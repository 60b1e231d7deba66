/** The keys of this installation: configured ones, or the one that it made for itself. */

import { randomBytes } from 'node:crypto'
import type { Log } from '../../log.ts'
import { apiKeys, type ApiKeys, type KeyConfig } from '../api-key.ts'
import { keyFile } from './key-file.ts'
import { ownKeys, type OwnKeys } from './own-keys.ts'

type KnownKeys = {
  readonly keys: ApiKeys
  /** What the process does through its own public doors. */
  readonly own: OwnKeys
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
    log.info({ keys: apiKeys(configured).list() }, 'keys.configured')
    // Known to this process alone: what it does inside does not depend on what others may do.
    const inner = randomBytes(32).toString('base64url')
    const keys = apiKeys({ ...configured, [inner]: ['*'] }, { keyFailures })
    return { keys, own: ownKeys(configured, inner) }
  }
  const { key, path, created } = await keyFile(directory)
  log.info({ path, created }, 'keys.generated')
  const made = { [key]: ['*'] }
  return { keys: apiKeys(made, { keyFailures }), own: ownKeys(made, key) }
}
