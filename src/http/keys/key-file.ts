/** The API key that a fresh installation makes for itself. */

import { randomBytes } from 'node:crypto'
import { chmod, link, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartRefused } from '../../errors.ts'

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
  const created = await createOnly(path, `${key}\n`, random(8).toString('hex'))
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
async function createOnly(path: string, text: string, name: string): Promise<boolean> {
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
