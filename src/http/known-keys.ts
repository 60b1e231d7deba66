/** The keys of this installation: configured ones, or the one that it made for itself. */

import { hash, randomBytes } from 'node:crypto'
import { chmod, link, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartRefused } from '../errors.ts'
import type { Log } from '../log.ts'
import { apiKeys, type KeyConfig } from './api-key.ts'

/** `own` is what the process does through its own public API. Where none is configured, the key in the directory counts, made at the first start. Throws `StartRefused` for a damaged file. */
export async function openKeys(options: {
  readonly configured: KeyConfig | undefined
  /** Where the generated key lies. */
  readonly directory: string
  readonly keyFailures: number
  readonly log: Log
}) {
  const { configured, directory, keyFailures, log } = options
  if (configured) {
    const listed = apiKeys(configured).list()
    const shown = listed.map(({ id, permissions: { length } }) => ({ id, permissions: length }))
    log.info({ keys: shown }, 'keys.configured')
    // Known to this process alone: what it does inside does not depend on what others may do.
    const inner = randomBytes(32).toString('base64url')
    const keys = apiKeys({ ...configured, [inner]: ['*'] }, { keyFailures })
    return { keys, own: processKeys(configured, inner) }
  }
  const { key, path, created } = await keyFile(directory)
  log.info({ path, created }, 'keys.generated')
  const made = { [key]: ['*'] }
  return { keys: apiKeys(made, { keyFailures }), own: processKeys(made, key) }
}

// The API key that a fresh installation makes for itself.

/** `created` is true when this call made the file. The key is for `apiKeys` only: log the path, never the key. */
type KeyFile = { readonly key: string; readonly path: string; readonly created: boolean }

/**
 * Reads `{directory}/api-key`, or makes it: 256 random bits as base64url, mode 600, in a directory of mode 700 if that
 * is new. Two processes that start at once agree on one key. Throws when the file is empty, holds no such key, or cannot be written.
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
  const found = (await readFile(path, 'utf8')).trim()
  if (!/^[A-Za-z0-9_-]{43}$/.test(found)) {
    const what = found === '' ? 'empty' : 'not the key that was made (43 letters, digits, _ and -)'
    throw new StartRefused(`${path} is ${what}: restore it, or remove it to get a new key`)
  }
  return { key: found, path, created }
}

/** Whole or not at all: whoever finds the file finds the key in it. */
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

// Which key this process uses where it asks a repository as any client does.

export type ProcessKeys = {
  /** For our own repository: a key that may write the catalogue, or everything where none is named. */
  ownRepository(catalogue?: string): string
  /** For a repository of others; nothing that only this process knows. */
  otherRepository(catalogue?: string): string
}

/**
 * The first configured key that covers the catalogue, by its name or as `*`; without such a one `inner` at home, and the first
 * configured one elsewhere.
 */
export function processKeys(configured: KeyConfig, inner: string): ProcessKeys {
  const covering = (catalogue: string | undefined): string | undefined =>
    Object.entries(configured).find(
      ([, permissions]) =>
        permissions.includes('*') || (catalogue !== undefined && permissions.includes(catalogue)),
    )?.[0]
  return {
    ownRepository: (catalogue) => covering(catalogue) ?? inner,
    otherRepository: (catalogue) => covering(catalogue) ?? Object.keys(configured)[0] ?? '',
  }
}

/** By which people tell keys apart without seeing them: the id that the log lists too. */
export const keyId = (key: string): string => hash('sha256', key, 'hex').slice(0, 8)
