/** Opens who may do what: the accounts of people and programs, and the configured or generated keys. */

import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { Accounts } from '../http/accounts.ts'
import { openKeys } from '../http/known-keys.ts'
import type { Log } from '../log.ts'

/** Opens accounts and keys; `key` are those of the process. Rejects as `openKeys`. */
export async function openAccess(config: Config, log: Log) {
  const { apiKeys: configured, dataDir: directory, limits } = config
  const accounts = new Accounts({
    path: join(directory, 'accounts.sqlite'),
    now: Date.now,
    hasAdministrator: hasAdministrator(config),
  })
  const { keyFailures } = limits
  const { own, keys } = await openKeys({ configured, directory, keyFailures, accounts, log })
  return { accounts, keys, key: own }
}

/** Whether the configuration has an administrator: a key or a group of the provider with `*`, or the generated key. */
const hasAdministrator = ({ apiKeys, portal }: Config): boolean =>
  !apiKeys ||
  [...Object.values(apiKeys), ...Object.values(portal.signIn.oidc?.permissions ?? {})].some(
    (permissions) => permissions.includes('*'),
  )
