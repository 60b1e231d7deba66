/**
 * Backup of a data directory while the platform runs, or not: one instant over all files (reference: operations, B). What is made
 * again by itself, such as the index, is left out.
 */

import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
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
import { contentsOf, type Snapshot, snapshotOf } from '../sqlite.ts'
import { archiveEnding, readArchive, writeArchive } from './archive.ts'
import { BackupFault } from './backup-fault.ts'
import {
  backupFormat,
  type CopiedFile,
  type Manifest,
  manifestName,
  readManifest,
} from './manifest.ts'

/** File of the data directory that a backup has. */
export type KeptFile = {
  /** Path relative to the data directory. */
  readonly name: string
  /** Newest format that this program knows. */
  readonly format?: number
  /** Whether it says what was, and not what is: it may be left out. */
  readonly isHistory?: boolean
}

/** Whose data a directory has. */
type BackupOwner = {
  readonly baseUri: string
  readonly storeId: string
  readonly engine: string
}

/** Data directory, and what this program knows of it. */
export type Source = {
  readonly directory: string
  /** Files in the order in which they are read. */
  readonly files: readonly KeptFile[]
  readonly readOwner: (directory: string) => Promise<BackupOwner | undefined>
  /** Numbers of what the files have, by name; asked of the copy. */
  readonly count: (directory: string) => Promise<Readonly<Record<string, number>>>
  /** Version of the program. */
  readonly version: string
}

export type BackupOptions = {
  /** New directory, or archive whose name ends in `.tar.zst`. */
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

const identityName = 'cartulary.json'
const keyName = 'api-key'
/** File of the data directory that says when the last backup ended: `{time, target, bytes}`. */
export const lastBackupName = 'last-backup'

/** Writes a backup, verifies it, and then removes older ones beyond `keep`. Rejects with `BackupFault`; nothing half stays. */
export async function backUp(source: Source, options: BackupOptions): Promise<Manifest> {
  const { signal, target, keep } = options
  const path = resolve(target)
  const owner = await source.readOwner(source.directory)
  if (!owner)
    throw new BackupFault(`${source.directory} is no data directory: it has no ${identityName}.`)
  checkTarget(path, source.directory)
  const parent = dirname(path)
  await mkdir(parent, { recursive: true })
  const part = await mkdtemp(join(parent, `.${basename(path)}.part-`))
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
    const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0)
    const last = JSON.stringify({ time: manifest.created, target: path, bytes })
    await writeFile(join(source.directory, lastBackupName), `${last}\n`, { mode: 0o600 })
    if (keep !== undefined) await removeOlder(parent, keep)
    return manifest
  } catch (error) {
    throw faultOf(error, parent)
  } finally {
    await rm(part, { recursive: true, force: true })
    await rm(archive, { force: true })
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

/** Errors of the disk in words; others as they are. */
function faultOf(error: unknown, place: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const isFull =
    code === 'ENOSPC' ||
    (error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === 13)
  if (isFull) return new BackupFault(`There is no space left at ${place}.`, { cause: error })
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM')
    return new BackupFault(`${place} cannot be written (${code}).`, { cause: error })
  return error
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
    for (const file of there)
      snapshots.push([file, snapshotOf(join(directory, file.name), file.format)])
    for (const [done, [file, snapshot]] of snapshots.entries()) {
      options.signal?.throwIfAborted()
      const report = (pages: number, of: number) =>
        options.progress?.((done + pages / Math.max(1, of)) / snapshots.length, file.name)
      await snapshot.copyTo(join(part, file.name), report)
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

async function writeManifest(part: string, manifest: Manifest): Promise<void> {
  const file = await open(join(part, manifestName), 'wx', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(manifest, undefined, 2)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function describeFile(directory: string, path: string): Promise<CopiedFile> {
  const full = join(directory, path)
  const { size } = await stat(full)
  const common = { path, bytes: size, sha256: await sha256Of(full) }
  if (!isDatabase(path)) return common
  const { format, rows, problem } = contentsOf(full)
  if (problem !== undefined) throw new BackupFault(`${path} is damaged (${problem}).`)
  return { ...common, format, rows }
}

const isDatabase = (path: string) => /\.(?:db|sqlite)$/.test(path)

async function sha256Of(path: string): Promise<string> {
  const digest = createHash('sha256')
  for await (const chunk of createReadStream(path)) digest.update(chunk)
  return digest.digest('hex')
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/** Manifest of a directory; rejects with `BackupFault` where there is none that this program can read. */
async function manifestIn(directory: string): Promise<Manifest> {
  const text = await readFile(join(directory, manifestName), 'utf8').catch(() => undefined)
  if (text === undefined)
    throw new BackupFault(`${directory} is no backup: it has no ${manifestName}.`)
  const manifest = readManifest(text)
  if (!manifest) throw new BackupFault(`${manifestName} is damaged.`)
  if (manifest.format > backupFormat)
    throw new BackupFault(
      `The backup was written by Cartulary ${manifest.version} (format ${manifest.format}; this one knows ${backupFormat}): restore it with that version.`,
    )
  return manifest
}

/**
 * Compares every file of a backup (directory or archive) with its manifest, and looks through it. Rejects with a `BackupFault` that names
 * the files that differ.
 */
export async function verifyBackup(
  source: Pick<Source, 'files' | 'count'>,
  path: string,
  signal?: AbortSignal,
): Promise<Manifest> {
  return withUnpacked(path, signal, async (directory) => verifyDirectory(source, directory, signal))
}

/** Runs `work` with the directory of a backup; that of an archive is removed afterwards. */
async function withUnpacked<T>(
  path: string,
  signal: AbortSignal | undefined,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  if (!existsSync(path)) throw new BackupFault(`${path} does not exist.`)
  if (!path.endsWith(archiveEnding)) return work(path)
  const directory = await mkdtemp(join(dirname(resolve(path)), '.unpacked-'))
  try {
    await readArchive(path, directory, signal)
    return await work(directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function verifyDirectory(
  source: Pick<Source, 'files' | 'count'>,
  directory: string,
  signal: AbortSignal | undefined,
): Promise<Manifest> {
  const manifest = await manifestIn(directory)
  const faults: string[] = []
  for (const file of manifest.files) {
    signal?.throwIfAborted()
    const fault = await faultOfFile(source, directory, file)
    if (fault !== undefined) faults.push(`${file.path}: ${fault}`)
  }
  if (faults.length === 0) {
    const counts = await source.count(directory)
    for (const [name, number] of Object.entries(manifest.counts))
      if (counts[name] !== number)
        faults.push(`${name}: the backup has ${counts[name] ?? 0} of ${number}`)
  }
  if (faults.length > 0) throw new BackupFault(`The backup is damaged.\n${faults.join('\n')}`)
  return manifest
}

/** What is wrong with a file; `undefined` for a sound one. */
async function faultOfFile(
  { files }: Pick<Source, 'files'>,
  directory: string,
  { path, bytes, sha256, rows, format }: CopiedFile,
): Promise<string | undefined> {
  const full = join(directory, path)
  const found = await stat(full).catch(() => undefined)
  if (!found) return 'it is missing'
  if (found.size !== bytes) return `it has ${found.size} bytes, not ${bytes}`
  if ((await sha256Of(full)) !== sha256) return 'its content is not what was written (SHA-256)'
  if (!isDatabase(path)) return undefined
  const known = files.find(({ name }) => name === path)?.format
  if (known !== undefined && (format ?? 0) > known)
    return `it was written by a newer version (format ${format}; this one knows ${known})`
  const contents = contentsOf(full)
  return (
    contents.problem ??
    (contents.rows === rows ? undefined : `it has ${contents.rows} rows, not ${rows}`)
  )
}

/** Removes backups in a directory but the newest `keep`, by the time in their manifests; archives by that of their files. */
async function removeOlder(parent: string, keep: number): Promise<void> {
  const entries = await readdir(parent, { withFileTypes: true })
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = join(parent, entry.name)
      if (entry.name.startsWith('.')) return []
      if (entry.isFile() && entry.name.endsWith(archiveEnding))
        return [{ path, time: (await stat(path)).mtimeMs }]
      if (!entry.isDirectory()) return []
      const text = await readFile(join(path, manifestName), 'utf8').catch(() => '')
      const manifest = readManifest(text)
      return manifest ? [{ path, time: Date.parse(manifest.created) }] : []
    }),
  )
  const older = found
    .flat()
    .sort((a, b) => b.time - a.time)
    .slice(Math.max(1, keep))
  for (const { path } of older) await rm(path, { recursive: true, force: true })
}

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
  source: Pick<Source, 'files' | 'count'>,
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
  if (resolve(path) === directory) throw new BackupFault('A backup cannot be restored onto itself.')
  try {
    return await withUnpacked(path, signal, async (unpacked) => {
      const manifest = await verifyDirectory(source, unpacked, signal)
      if (hasFiles)
        await rename(
          directory,
          `${directory}.before-${now().toISOString().replaceAll(/[-:.]/g, '')}`,
        )
      await mkdir(directory, { recursive: true, mode: 0o700 })
      await chmod(directory, 0o700)
      const names = manifest.files.map((file) => file.path)
      for (const name of [...names.filter((one) => one !== identityName), identityName])
        await placeFile(join(unpacked, name), join(directory, name))
      await syncDirectory(directory)
      return manifest
    })
  } catch (error) {
    throw faultOf(error, directory)
  }
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
