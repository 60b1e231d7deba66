/** The pipe files below one directory, read again only when they have changed. */

import type { Dirent, Stats } from 'node:fs'
import { open, readdir, realpath, stat, type FileHandle } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { Complaint } from '../../errors.ts'
import type { Pipe } from '../document.ts'
import { readPipe, standardLimits, tooLarge, type PipeLimits } from '../pipe-schema.ts'
import type { Ground } from '../pipe-check.ts'
import { nothingFound, order, type Found, type InvalidFile, type KnownPipe } from './known-pipes.ts'

export type Check = (pipe: Pipe, ground: Ground) => readonly Complaint[]

export type Folder = {
  readonly source: string
  readonly directory: string
  readonly trust: 'trusted' | 'foreign'
  /** Files of folders below count too, except in those whose name starts with a dot. */
  readonly deep: boolean
  readonly check: Check
  readonly limits?: PipeLimits
}

/** More files of pipes than anybody has; what comes after them is not read. */
const mostFiles = 5000
const deepest = 16

type Entry = KnownPipe | InvalidFile

/** A reader of the folder that remembers what it has read. An absent directory holds nothing. */
export function folderReader(folder: Folder): () => Promise<Found> {
  const limits = folder.limits ?? standardLimits
  let before = new Map<string, { readonly mark: string; readonly entry: Entry }>()
  return async () => {
    const listed = await paths(folder)
    if (listed === undefined) return nothingFound
    const now: typeof before = new Map()
    for (const { path, problem } of listed.files) {
      if (problem !== undefined) {
        now.set(path, { mark: problem, entry: refused(folder, path, [{ detail: problem }]) })
        continue
      }
      const mark = await markOf(join(folder.directory, path))
      if (mark === undefined) continue
      const old = before.get(path)
      // What had a problem may have none by now: a script beside it can have changed.
      const kept = old?.mark === mark && old.entry.problems.length === 0 ? old : undefined
      const entry = kept?.entry ?? (await entryOf(folder, path, limits))
      if (entry !== undefined) now.set(path, { mark, entry })
    }
    before = now
    const entries = [...now.values()].map(({ entry }) => entry)
    const invalid = entries.filter((entry): entry is InvalidFile => !('pipe' in entry))
    if (listed.more)
      invalid.push(refused(folder, '', [{ detail: `holds over ${mostFiles} pipes` }]))
    return { pipes: entries.filter((entry): entry is KnownPipe => 'pipe' in entry), invalid }
  }
}

const refused = (
  { source }: Folder,
  file: string,
  problems: readonly Complaint[],
): InvalidFile => ({ source, file, problems })

type Listed = {
  readonly files: readonly { readonly path: string; readonly problem?: string }[]
  readonly more: boolean
}

/** Relative paths of what looks like a pipe, in order; undefined when there is no such directory. */
async function paths({ directory, deep }: Folder): Promise<Listed | undefined> {
  const root = await realpath(directory).catch(() => undefined)
  if (root === undefined) return undefined
  const files: { path: string; problem?: string }[] = []
  const walk = async (below: string, depth: number): Promise<void> => {
    const entries = await readdir(join(root, below), { withFileTypes: true })
    for (const entry of entries.toSorted((a, b) => order(a.name, b.name))) {
      if (files.length > mostFiles) return
      const path = join(below, entry.name)
      if (deep && entry.isDirectory() && !entry.name.startsWith('.') && depth < deepest) {
        await walk(path, depth + 1)
      } else if (isPipeName(entry)) {
        const inside = entry.isFile() || (await isInside(root, path))
        files.push(inside ? { path } : { path, problem: outside })
      }
    }
  }
  await walk('', 0)
  return { files: files.slice(0, mostFiles), more: files.length > mostFiles }
}

const outside = 'is a link that leaves its directory or leads nowhere'

const isPipeName = (entry: Dirent) =>
  (entry.isFile() || entry.isSymbolicLink()) &&
  !entry.name.startsWith('.') &&
  /\.(json|ya?ml)$/i.test(entry.name)

async function isInside(root: string, path: string): Promise<boolean> {
  const real = await realpath(join(root, path)).catch(() => undefined)
  return real?.startsWith(root.endsWith(sep) ? root : root + sep) === true
}

/** Changes whenever the content may have; undefined when the file has gone meanwhile or is none. */
async function markOf(path: string): Promise<string | undefined> {
  const stats: Stats | undefined = await stat(path).catch(() => undefined)
  if (stats?.isFile() !== true) return undefined
  return [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(' ')
}

/** Undefined when the file has gone meanwhile. */
async function entryOf(
  folder: Folder,
  path: string,
  limits: PipeLimits,
): Promise<Entry | undefined> {
  const text = await textOf(join(folder.directory, path), limits.pipeBytes)
  if (text === 'gone') return undefined
  if (text === 'unreadable') return refused(folder, path, [{ detail: 'cannot be read' }])
  if (text === 'too-large') return refused(folder, path, [tooLarge(limits)])
  const read = readPipe(text.text, path, limits)
  if (!('pipe' in read)) return refused(folder, path, read.problems)
  const { source, trust, directory, check } = folder
  const problems = checked(check, read.pipe, { trust, directory })
  return { pipe: read.pipe, source, file: path, trust, directory, problems }
}

/** A segment that breaks over a config must not take the other pipes with it. */
function checked(check: Check, pipe: Pipe, ground: Ground): readonly Complaint[] {
  try {
    return check(pipe, ground)
  } catch {
    return [{ detail: 'cannot be checked' }]
  }
}

type Text = { readonly text: string } | 'too-large' | 'unreadable' | 'gone'

/** Reads no more than the limit, whatever the size was a moment ago. */
async function textOf(path: string, limit: number): Promise<Text> {
  try {
    const file = await open(path)
    try {
      return await bounded(file, limit)
    } finally {
      await file.close()
    }
  } catch (error) {
    const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    return isGone ? 'gone' : 'unreadable'
  }
}

async function bounded(file: FileHandle, limit: number): Promise<Text> {
  const buffer = Buffer.alloc(Math.min((await file.stat()).size, limit) + 1)
  let length = 0
  for (;;) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length)
    length += bytesRead
    if (bytesRead === 0 || length === buffer.length) break
  }
  return length > limit ? 'too-large' : { text: buffer.toString('utf8', 0, length) }
}
