/** Restoring of backups into data directories. */

import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { BackupFault, diskFault } from './backup-fault.ts'
import { syncDirectory } from './backup.ts'
import { isBucketAddress } from './bucket-backup.ts'
import type { Manifest } from './manifest.ts'
import { identityName, type Known, verifyDirectory, withUnpacked } from './verify.ts'

export type RestoreOptions = {
  /** New or empty data directory. */
  readonly directory: string
  /** Moves data that are there to `{directory}.before-{time}`. */
  readonly force?: boolean
  /** Whether a process has the directory open. */
  readonly isInUse: (directory: string) => boolean
  readonly signal?: AbortSignal | undefined
  readonly now?: () => Date
}

/** Writes a verified backup into a data directory; the identity comes last, so that a restore that was cut short is none. */
export async function restoreBackup(
  source: Known,
  path: string,
  options: RestoreOptions,
): Promise<Manifest> {
  const { force = false, isInUse, signal, now = () => new Date() } = options
  const directory = resolve(options.directory)
  const isThere = existsSync(directory)
  const hasFiles = isThere && (await readdir(directory)).length > 0
  if (hasFiles && isInUse(directory))
    throw new BackupFault(`${directory} is in use: stop the platform first.`)
  if (hasFiles && !force)
    throw new BackupFault(
      `${directory} has data: name an empty directory, or use --force, and they are moved aside.`,
    )
  if (!isBucketAddress(path) && resolve(path) === directory)
    throw new BackupFault('A backup cannot be restored onto itself.')
  const room = dirname(directory)
  try {
    await mkdir(room, { recursive: true })
    return await withUnpacked({ source, path, room }, signal, async (unpacked) => {
      const manifest = await verifyDirectory(source, unpacked, signal)
      if (hasFiles) await rename(directory, formerPlace(directory, now()))
      await mkdir(directory, { recursive: true, mode: 0o700 })
      try {
        await placeFiles(manifest, unpacked, directory)
      } catch (error) {
        // A half restored directory must not look like data. It stays, because it may be the root of a volume.
        for (const name of await readdir(directory))
          await rm(join(directory, name), { recursive: true, force: true })
        throw error
      }
      return manifest
    })
  } catch (error) {
    throw diskFault(error, directory)
  }
}

/** Name of the place to which the data of a directory are moved when others take their place. */
export const formerPlace = (directory: string, now: Date): string =>
  `${directory}.before-${now.toISOString().replaceAll(/[-:.]/g, '')}`

async function placeFiles({ files }: Manifest, from: string, directory: string): Promise<void> {
  await chmod(directory, 0o700)
  const names = files.map((file) => file.path)
  for (const name of [...names.filter((one) => one !== identityName), identityName])
    await placeFile(join(from, name), join(directory, name))
  await syncDirectory(directory)
}

async function placeFile(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  await copyFile(from, to)
  await chmod(to, 0o600)
  const file = await open(to, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
