/**
 * Backup of a data directory while the platform runs, or not: one instant over all files (reference: operations, B). What is made
 * again by itself, such as the index, is left out.
 */

import { existsSync } from 'node:fs'
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { contentsOf, isDamagedFile, type Snapshot, snapshotOf } from '../sqlite.ts'
import { textAt } from '../text/json.ts'
import { archiveEnding, firstFileOf, writeArchive } from './archive.ts'
import { BackupFault, diskFault } from './backup-fault.ts'
import { archiveAt, isBucketAddress, removeOlderArchives, sendArchive } from './bucket-backup.ts'
import {
  backupFormat,
  bytesOf,
  type CopiedFile,
  type Manifest,
  manifestName,
  manifestText,
  readManifest,
} from './manifest.ts'
import {
  identityName,
  isDatabase,
  keyName,
  type KeptFile,
  type Known,
  sha256Of,
  verifyBackup,
} from './verify.ts'

/** Whose data a directory has. */
type BackupOwner = {
  readonly baseUri: string
  readonly storeId: string
  readonly engine: string
}

/** Data directory, and what this program knows of it. */
export type Source = Known & {
  readonly directory: string
  readonly readOwner: (directory: string) => Promise<BackupOwner | undefined>
  /** Version of the program. */
  readonly version: string
}

export type BackupOptions = {
  /** New directory, or archive whose name ends in `.tar.zst`, also in a bucket: `s3://{bucket}/{key}`. */
  readonly target: string
  readonly withKey?: boolean
  readonly withoutHistory?: boolean
  /** Newest backups beside the target, itself included, that stay; all without it. */
  readonly keep?: number | undefined
  /** Called with the share that is done, 0 to 1, and the present file. */
  readonly progress?: (share: number, file: string) => void
  readonly signal?: AbortSignal | undefined
  readonly now?: () => Date
}

/** File of the data directory that says when the last backup ended: `{time, target, bytes}`. */
export const lastBackupName = 'last-backup'

/** Writes a backup, verifies it, and then removes older ones beyond `keep`. Rejects with `BackupFault`; nothing half stays. */
export async function backUp(source: Source, options: BackupOptions): Promise<Manifest> {
  const { signal, target, keep } = options
  const owner = await source.readOwner(source.directory)
  if (!owner)
    throw new BackupFault(`${source.directory} is no data directory: it has no ${identityName}.`)
  if (isBucketAddress(target)) return backUpToBucket(source, { ...options, owner })
  const path = resolve(target)
  checkTarget(path, source.directory)
  const parent = dirname(path)
  const part = await mkdir(parent, { recursive: true })
    .then(() => mkdtemp(join(parent, `.${basename(path)}.part-`)))
    .catch((error: unknown) => {
      throw diskFault(error, parent)
    })
  const archive = `${part}${archiveEnding}`
  try {
    const manifest = await copyFiles(source, { ...options, part, owner })
    if (path.endsWith(archiveEnding)) {
      const paths = [...manifest.files.map((file) => file.path), manifestName]
      await writeArchive(archive, { directory: part, paths }, signal)
      await verifyBackup(source, archive, signal)
      await rename(archive, path)
    } else {
      await verifyBackup(source, part, signal)
      await rename(part, path)
    }
    await syncDirectory(parent)
    await noteLast(source.directory, path, manifest)
    if (keep !== undefined) await removeOlder({ parent, keep, storeId: owner.storeId })
    return manifest
  } catch (error) {
    throw diskFault(error, parent)
  } finally {
    await rm(part, { recursive: true, force: true })
    await rm(archive, { force: true })
  }
}

async function noteLast(directory: string, target: string, manifest: Manifest): Promise<void> {
  const last = JSON.stringify({ time: manifest.created, target, bytes: bytesOf(manifest) })
  await writeFile(join(directory, lastBackupName), `${last}\n`, { mode: 0o600 })
}

/** Sends a verified backup to a bucket; its files are copied into the scratch room of the data directory first. */
async function backUpToBucket(
  source: Source,
  options: BackupOptions & { readonly owner: BackupOwner },
): Promise<Manifest> {
  const { owner, target, keep, signal = new AbortController().signal } = options
  const common = { openBucket: source.openBucket, address: target, storeId: owner.storeId, signal }
  archiveAt(source.openBucket, target)
  const room = join(source.directory, 'tmp')
  await mkdir(room, { recursive: true, mode: 0o700 })
  const part = await mkdtemp(join(room, 'backup-'))
  try {
    const manifest = await copyFiles(source, { ...options, part })
    await verifyBackup(source, part, signal)
    const paths = [...manifest.files.map((file) => file.path), manifestName]
    await sendArchive({ ...common, directory: part, paths, bytes: bytesOf(manifest) })
    await noteLast(source.directory, target, manifest)
    if (keep !== undefined) await removeOlderArchives({ ...common, keep })
    return manifest
  } catch (error) {
    throw diskFault(error, room)
  } finally {
    await rm(part, { recursive: true, force: true })
  }
}

function checkTarget(path: string, directory: string): void {
  const data = resolve(directory)
  if (path === data || path.startsWith(data + sep) || data.startsWith(path + sep))
    throw new BackupFault(
      `${path} is in the data directory or contains it: a backup belongs to another disk.`,
    )
  if (existsSync(path)) throw new BackupFault(`${path} exists already: name another place.`)
}

type Copying = BackupOptions & { readonly part: string; readonly owner: BackupOwner }

async function copyFiles(source: Source, options: Copying): Promise<Manifest> {
  const { part, owner, withKey = false, withoutHistory = false, now = () => new Date() } = options
  const { directory } = source
  // Before all others: it counts the changes of the ledger, which may be newer than the count, never older.
  await copyFile(join(directory, identityName), join(part, identityName))
  // A store of its own may have been there before the data moved to a server.
  const own = source.files.filter(
    ({ name }) => owner.engine === 'embedded' || !name.startsWith('store/'),
  )
  const left = own.filter(({ isHistory }) => withoutHistory && isHistory === true)
  const there = own.filter((file) => !left.includes(file) && existsSync(join(directory, file.name)))
  const created = now().toISOString()
  const snapshots: (readonly [KeptFile, Snapshot])[] = []
  try {
    for (const file of there) snapshots.push([file, snapshotAt(directory, file)])
    for (const [done, [file, snapshot]] of snapshots.entries()) {
      options.signal?.throwIfAborted()
      const report = (pages: number, of: number) =>
        options.progress?.((done + pages / Math.max(1, of)) / snapshots.length, file.name)
      await snapshot.copyTo(join(part, file.name), report).catch((error: unknown) => {
        throw fileFault(error, file.name)
      })
      report(1, 1)
    }
  } finally {
    for (const [, snapshot] of snapshots) snapshot.close()
  }
  const hasKey = withKey && existsSync(join(directory, keyName))
  if (hasKey) await copyFile(join(directory, keyName), join(part, keyName))
  const names = [identityName, ...there.map(({ name }) => name), ...(hasKey ? [keyName] : [])]
  const manifest: Manifest = {
    format: backupFormat,
    version: source.version,
    created,
    baseUri: owner.baseUri,
    storeId: owner.storeId,
    engine: owner.engine,
    files: await Promise.all(names.map((name) => describeFile(part, name))),
    counts: await source.count(part),
    without: [
      ...(owner.engine === 'embedded' ? [] : ['store']),
      'index',
      ...(hasKey ? [] : [keyName]),
      ...left.map(({ name }) => name),
    ],
  }
  for (const name of names) await chmod(join(part, name), 0o600)
  await writeManifest(part, manifest)
  return manifest
}

/** Names the file that an error of SQLite calls damaged; returns other errors as they are. */
const fileFault = (error: unknown, path: string): unknown =>
  error instanceof Error && isDamagedFile(error)
    ? new BackupFault(`${path} is damaged (${error.message}).`, { cause: error })
    : error

async function writeManifest(part: string, manifest: Manifest): Promise<void> {
  const file = await open(join(part, manifestName), 'wx', 0o600)
  try {
    await file.writeFile(manifestText(manifest))
    await file.sync()
  } finally {
    await file.close()
  }
}

function snapshotAt(directory: string, { name, format }: KeptFile): Snapshot {
  try {
    return snapshotOf(join(directory, name), format)
  } catch (error) {
    throw fileFault(error, name)
  }
}

async function describeFile(directory: string, path: string): Promise<CopiedFile> {
  const full = join(directory, path)
  const { size } = await stat(full)
  const common = { path, bytes: size, sha256: await sha256Of(full) }
  if (!isDatabase(path)) return common
  try {
    const { format, rows, problem } = contentsOf(full)
    if (problem !== undefined) throw new BackupFault(`${path} is damaged (${problem}).`)
    return { ...common, format, rows }
  } catch (error) {
    throw fileFault(error, path)
  }
}

/** Makes the names in a directory durable. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

type Older = {
  readonly parent: string
  readonly keep: number
  /** Store whose backups are removed: others, and other files, stay. */
  readonly storeId: string
}

/** Removes the backups of a store in a directory but the newest, by the times in their manifests, or of their archives. */
async function removeOlder({ parent, keep, storeId }: Older): Promise<void> {
  const entries = await readdir(parent, { withFileTypes: true })
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = join(parent, entry.name)
      if (entry.name.startsWith('.')) return []
      if (entry.isFile() && entry.name.endsWith(archiveEnding)) {
        const identity = await firstFileOf(path, identityName)
        const isOwn = identity !== undefined && textAt(JSON.parse(identity), 'storeId') === storeId
        return isOwn ? [{ path, time: (await stat(path)).mtimeMs }] : []
      }
      if (!entry.isDirectory()) return []
      const text = await readFile(join(path, manifestName), 'utf8').catch(() => '')
      const manifest = readManifest(text)
      const isOwn = manifest?.storeId === storeId
      return isOwn ? [{ path, time: Date.parse(manifest.created) }] : []
    }),
  )
  const older = found
    .flat()
    .sort((a, b) => b.time - a.time)
    .slice(Math.max(1, keep))
  for (const { path } of older) await rm(path, { recursive: true, force: true })
}
