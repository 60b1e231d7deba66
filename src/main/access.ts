/** Opens who may do what, and what they did: accounts of people and programs, configured or generated keys, activity. */

import { join } from 'node:path'
import { type Config, parseConfig } from '../config/config.ts'
import { StartRefused } from '../errors.ts'
import { Accounts } from '../http/accounts.ts'
import { Activity } from '../http/activity.ts'
import { openKeys } from '../http/known-keys.ts'
import type { Log } from '../log.ts'
import { defaultFacets } from '../projector/building/facets.ts'
import type { Secrets } from '../secrets.ts'

/**
 * Opens accounts, keys and activity; `key` are those of the process. SIGHUP reads keys and secrets from their files again. Rejects as
 * `openKeys`.
 */
export async function openAccess(config: Config, secrets: Secrets, log: Log) {
  const { apiKeys: configured, dataDir: directory, limits } = config
  const accounts = new Accounts({
    path: join(directory, 'accounts.sqlite'),
    now: Date.now,
    hasAdministrator: hasAdministrator(config),
  })
  const { keyFailures } = limits
  const opening = { configured, directory, keyFailures, accounts, log }
  const { own, keys, reload } = await openKeys(opening)
  const reloading = reloadAtHangUp({ configured, reload, secrets, log })
  const activity = new Activity({ path: join(directory, 'activity.sqlite'), now: Date.now, log })
  const close = async () => {
    await reloading.stop()
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

type Reloading = {
  /** Keys of the start, which stay where no file has them. */
  readonly configured: Config['apiKeys']
  readonly reload: (configured: Config['apiKeys']) => Promise<void>
  readonly secrets: Secrets
  readonly log: Log
}

/** Reads the configuration at SIGHUP again, for the sake of variables that are files; one with problems changes nothing. */
function reloadAtHangUp({ configured, reload, secrets, log }: Reloading): {
  readonly stop: () => Promise<void>
} {
  let last = Promise.resolve()
  const read = async () => {
    try {
      const parsed = parseConfig(process.env, defaultFacets)
      if (!parsed.ok) throw new StartRefused(parsed.message)
      const hasFile = Boolean(process.env['PLATFORM_HUB_API_KEYS_FILE']?.trim())
      await reload(hasFile ? parsed.config.apiKeys : configured)
      secrets.replaceNamed(parsed.config.secrets)
      log.info({}, 'keys.reloaded')
    } catch (err) {
      log.error({ err }, 'keys.reload-failed')
    }
  }
  const readNext = () => {
    last = last.then(read)
  }
  // A terminal that is closed sends it, too: the process ends with it.
  if (!process.stdin.isTTY) process.on('SIGHUP', readNext)
  return {
    stop: () => {
      process.off('SIGHUP', readNext)
      return last
    },
  }
}
