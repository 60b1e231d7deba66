/** Verification of backups: each file is compared with the manifest, and looked through. */

import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { contentsOf } from '../sqlite.ts'
import { archiveEnding, type ArchiveSource, readArchive } from './archive.ts'
import { BackupFault, diskFault } from './backup-fault.ts'
import { archiveAt, isBucketAddress, type OpenBucket } from './bucket-backup.ts'
import {
  backupFormat,
  type CopiedFile,
  type Manifest,
  manifestName,
  readManifest,
  versionOfManifest,
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

/** Files and numbers of data directories, as this program knows them. */
export type Known = {
  /** Files in the order in which they are read. */
  readonly files: readonly KeptFile[]
  /** Numbers of what the files have, by name; asked of the copy. */
  readonly count: (directory: string) => Promise<Readonly<Record<string, number>>>
  readonly openBucket: OpenBucket
}

/** Name of the file that says whose data a directory has. */
export const identityName = 'cartulary.json'
/** Name of the file with the generated API key. */
export const keyName = 'api-key'

/** Manifest of a directory; rejects with `BackupFault` where there is none that this program can read. */
async function manifestIn(directory: string): Promise<Manifest> {
  const text = await readFile(join(directory, manifestName), 'utf8').catch(() => undefined)
  if (text === undefined)
    throw new BackupFault(`${directory} is no backup: it has no ${manifestName}.`)
  const written = versionOfManifest(text)
  if (written && written.format > backupFormat)
    throw new BackupFault(
      `The backup was written by Cartulary ${written.version} (format ${written.format}; this one knows ${backupFormat}): restore it with that version.`,
    )
  const manifest = readManifest(text)
  if (!manifest) throw new BackupFault(`${manifestName} is damaged.`)
  return manifest
}

/**
 * Compares every file of a backup (directory or archive) with its manifest, and looks through it. Rejects with a `BackupFault` that names
 * the files that differ.
 */
export async function verifyBackup(
  source: Known,
  path: string,
  signal?: AbortSignal,
): Promise<Manifest> {
  const work = async (directory: string) => verifyDirectory(source, directory, signal)
  return withUnpacked({ source, path, room: tmpdir() }, signal, work)
}

/** Backup, and the directory in which one of a bucket is unpacked. */
type Unpacking = {
  readonly source: Pick<Known, 'openBucket'>
  readonly path: string
  readonly room: string
}

/** Runs `work` with the directory of a backup; that of an archive is removed afterwards. */
export async function withUnpacked<T>(
  { source, path, room }: Unpacking,
  signal: AbortSignal | undefined,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  if (isBucketAddress(path)) {
    const { bucket, key } = archiveAt(source.openBucket, path)
    const bytes = bucket.read(key, signal ?? new AbortController().signal)
    return unpack({ parent: room, archive: { name: path, bytes } }, signal, work)
  }
  if (!existsSync(path)) throw new BackupFault(`${path} does not exist.`)
  if (!path.endsWith(archiveEnding)) return work(path)
  return unpack({ parent: dirname(resolve(path)), archive: path }, signal, work)
}

async function unpack<T>(
  { parent, archive }: { readonly parent: string; readonly archive: ArchiveSource },
  signal: AbortSignal | undefined,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(parent, '.unpacked-')).catch((error: unknown) => {
    throw diskFault(error, parent)
  })
  try {
    await readArchive(archive, directory, signal).catch((error: unknown) => {
      throw diskFault(error, parent)
    })
    return await work(directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** Verifies a backup in a directory, as `verifyBackup` does. */
export async function verifyDirectory(
  source: Known,
  directory: string,
  signal: AbortSignal | undefined,
): Promise<Manifest> {
  const manifest = await manifestIn(directory)
  const faults: string[] = []
  const known = [identityName, keyName, ...source.files.map(({ name }) => name)]
  // Paths of a foreign manifest could lead out of the directory.
  const foreign = manifest.files.find((file) => !known.includes(file.path))
  if (foreign) throw new BackupFault(`The backup has a file that no backup has: ${foreign.path}.`)
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

/** Compares a file with its entry in the manifest; returns the difference in words, `undefined` without one. */
async function faultOfFile(
  { files }: Pick<Known, 'files'>,
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

/** Whether a file of a data directory is one of SQLite. */
export const isDatabase = (path: string) => /\.(?:db|sqlite)$/.test(path)

/** SHA-256 of a file in hexadecimal. */
export async function sha256Of(path: string): Promise<string> {
  const digest = createHash('sha256')
  for await (const chunk of createReadStream(path)) digest.update(chunk)
  return digest.digest('hex')
}
