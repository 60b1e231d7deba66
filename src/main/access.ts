/** Opens who may do what, and what they did: accounts of people and programs, configured or generated keys, activity. */

import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { Accounts } from '../http/accounts.ts'
import { Activity } from '../http/activity.ts'
import { openKeys } from '../http/known-keys.ts'
import type { Log } from '../log.ts'

/** Opens accounts, keys and activity; `key` are those of the process. Rejects as `openKeys`. */
export async function openAccess(config: Config, log: Log) {
  const { apiKeys: configured, dataDir: directory, limits } = config
  const accounts = new Accounts({
    path: join(directory, 'accounts.sqlite'),
    now: Date.now,
    hasAdministrator: hasAdministrator(config),
  })
  const { keyFailures } = limits
  const { own, keys } = await openKeys({ configured, directory, keyFailures, accounts, log })
  const activity = new Activity({ path: join(directory, 'activity.sqlite'), now: Date.now, log })
  const close = () => {
    accounts.close()
    activity.close()
  }
  return { accounts, activity, keys, key: own, close }
}

/** Whether the configuration has an administrator: a key or a group of the provider with `*`, or the generated key. */
const hasAdministrator = ({ apiKeys, portal }: Config): boolean =>
  !apiKeys ||
  [...Object.values(apiKeys), ...Object.values(portal.signIn.oidc?.permissions ?? {})].some(
    (permissions) => permissions.includes('*'),
  )
