/** API keys of this installation: the configured ones, or one that it generates; and the keys that the process itself uses. */

import { hash, randomBytes } from 'node:crypto'
import { chmod, link, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartRefused } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Accounts } from './accounts.ts'
import { apiKeys, type KeyConfig } from './api-key.ts'
import { hasRole } from './roles.ts'

/**
 * Opens the API keys: the configured ones, else the key in the file `{directory}/api-key`, which the first start generates. `own`
 * are the keys that the process uses for its own calls; `reload` replaces all of them by those that are configured then, or by the
 * key in the file. Throws as `keyFile`.
 */
export async function openKeys(options: {
  readonly configured: KeyConfig | undefined
  /** Directory of the file with the generated key. */
  readonly directory: string
  readonly keyFailures: number
  readonly accounts?: Accounts
  readonly log: Log
}) {
  const { configured, directory, keyFailures, accounts, log } = options
  // A key that only this process has: it may act for people, and does not depend on the configured permissions.
  const ownKey = randomBytes(32).toString('base64url')
  const first = await readKeys(configured, directory, log)
  const keys = apiKeys(first, { keyFailures, ownKey, ...(accounts && { accounts }) })
  let current = processKeys(first, ownKey)
  const own: ProcessKeys = {
    ownRepository: (catalogue) => current.ownRepository(catalogue),
    otherRepository: (catalogue) => current.otherRepository(catalogue),
    acting: () => current.acting(),
  }
  const reload = async (next: KeyConfig | undefined) => {
    const read = await readKeys(next, directory, log)
    keys.replace(read)
    current = processKeys(read, ownKey)
  }
  return { keys, own, reload }
}

/** Keys that are configured, else the generated one; both are logged by their ids or their file. */
async function readKeys(
  configured: KeyConfig | undefined,
  directory: string,
  log: Log,
): Promise<KeyConfig> {
  if (configured) {
    const configuredKeys = apiKeys(configured).list()
    const summary = configuredKeys.map(({ id, permissions: { length } }) => ({
      id,
      permissions: length,
    }))
    log.info({ keys: summary }, 'keys.configured')
    return configured
  }
  const { key, path, created } = await keyFile(directory)
  log.info({ path, created }, 'keys.generated')
  return { [key]: ['*'] }
}

// The generated key.

/** Generated key with the path of its file; `created` is true when this call made it. Log the path, never the key. */
type KeyFile = { readonly key: string; readonly path: string; readonly created: boolean }

/**
 * Reads the file `{directory}/api-key`, or makes it: 256 random bits as base64url, mode 600; a new directory gets mode 700. Two
 * processes that start together get the same key. Throws `StartRefused` when the file has no such key, and what the file system
 * throws.
 */
export async function keyFile(
  directory: string,
  random: (size: number) => Buffer = randomBytes,
): Promise<KeyFile> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const path = join(directory, 'api-key')
  const key = random(32).toString('base64url')
  const created = await createFile(path, `${key}\n`, random(8).toString('hex'))
  if (created) return { key, path, created }
  if (((await stat(path)).mode & 0o077) !== 0) await chmod(path, 0o600)
  const stored = (await readFile(path, 'utf8')).trim()
  if (!/^[A-Za-z0-9_-]{43}$/.test(stored)) {
    const fault =
      stored === '' ? 'empty' : 'not the key that was made (43 letters, digits, _ and -)'
    throw new StartRefused(`${path} is ${fault}: restore it, or remove it to get a new key`)
  }
  return { key: stored, path, created }
}

/** Creates a file atomically, so that readers never find it incomplete; returns `false` where it exists. */
async function createFile(path: string, text: string, name: string): Promise<boolean> {
  const draft = `${path}.${name}`
  await writeFile(draft, text, { mode: 0o600, flag: 'wx' })
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  } finally {
    await rm(draft)
  }
}

// Keys for calls of the process to repositories.

/** Keys that the process uses as a client of repositories. */
export type ProcessKeys = {
  /** Key for the own repository that may write the catalogue; without an argument, one that may do everything. */
  ownRepository(catalogue?: string): string
  /** Key for another repository: never one that only this process has; empty if there is none. */
  otherRepository(catalogue?: string): string
  /** Key with which portal and console act for people (`Acting-For`). */
  acting(): string
}

/**
 * Makes the keys of the process: the first configured key with a permission for the catalogue or `*`; without one, `ownKey`
 * for the own repository, and the first configured key for others.
 */
export function processKeys(configured: KeyConfig, ownKey: string): ProcessKeys {
  const keyCovering = (catalogue: string | undefined): string | undefined =>
    Object.entries(configured).find(([, permissions]) =>
      hasRole(permissions, 'steward', catalogue),
    )?.[0]
  return {
    ownRepository: (catalogue) => keyCovering(catalogue) ?? ownKey,
    otherRepository: (catalogue) => keyCovering(catalogue) ?? Object.keys(configured)[0] ?? '',
    acting: () => ownKey,
  }
}

/** Id of a key, by which the log and users can name it: the first 8 hex digits of its SHA-256. */
export const keyId = (key: string): string => hash('sha256', key, 'hex').slice(0, 8)
