/** The pipe files below one directory, read again only when they have changed. */

import type { Dirent } from 'node:fs'
import { open, readdir, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { Complaint } from '../../errors.ts'
import type { Pipe } from '../document.ts'
import type { Origin } from '../pipe-check.ts'
import { readPipe, standardLimits, tooLarge, type PipeLimits } from '../pipe-schema.ts'
import { nothingFound, order, type Found, type InvalidFile, type KnownPipe } from './known-pipes.ts'

export type Check = (pipe: Pipe, origin: Origin) => readonly Complaint[]

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
  let before = new Map<string, { readonly mark: string; readonly entry: Entry }>()
  return async () => {
    const root = await realpath(folder.directory).catch(() => undefined)
    if (root === undefined) return nothingFound
    const now: typeof before = new Map()
    const paths = await pathsBelow(root, folder.deep)
    for (const path of paths.slice(0, mostFiles)) {
      const mark = await markOf(root, path)
      if (mark === undefined) continue
      const old = before.get(path)
      // What had a problem may have none by now: a script beside it can have changed.
      const isSame = old?.mark === mark && old.entry.problems.length === 0
      const entry = isSame ? old.entry : await entryOf(folder, path, mark)
      if (entry !== undefined) now.set(path, { mark, entry })
    }
    before = now
    const entries = [...now.values()].map(({ entry }) => entry)
    if (paths.length > mostFiles) entries.push(refused(folder, '', `holds over ${mostFiles} pipes`))
    return {
      pipes: entries.filter((entry) => 'pipe' in entry),
      invalid: entries.filter((entry) => !('pipe' in entry)),
    }
  }
}

const refused = ({ source }: Folder, file: string, detail: string): InvalidFile => ({
  source,
  file,
  problems: [{ detail }],
})

/** Relative paths of what looks like a pipe, in order. */
async function pathsBelow(root: string, deep: boolean): Promise<readonly string[]> {
  const files: string[] = []
  const walk = async (below: string, depth: number): Promise<void> => {
    const entries = await readdir(join(root, below), { withFileTypes: true })
    for (const entry of entries.toSorted((a, b) => order(a.name, b.name))) {
      if (files.length > mostFiles) return
      const path = join(below, entry.name)
      if (deep && entry.isDirectory() && !entry.name.startsWith('.') && depth < deepest) {
        await walk(path, depth + 1)
      } else if (isPipeName(entry)) files.push(path)
    }
  }
  await walk('', 0)
  return files
}

const isPipeName = (entry: Dirent) =>
  (entry.isFile() || entry.isSymbolicLink()) &&
  !entry.name.startsWith('.') &&
  /\.(json|ya?ml)$/i.test(entry.name)

const outside = 'is a link that leaves its directory or leads nowhere'

/** Changes whenever the content may have; undefined when the file has gone meanwhile or is none. */
async function markOf(root: string, path: string): Promise<string | undefined> {
  const real = await realpath(join(root, path)).catch(() => undefined)
  if (real?.startsWith(root.endsWith(sep) ? root : root + sep) !== true) return outside
  const stats = await stat(real).catch(() => undefined)
  if (stats?.isFile() !== true) return undefined
  return [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(' ')
}

/** Undefined when the file has gone meanwhile. */
async function entryOf(folder: Folder, path: string, mark: string): Promise<Entry | undefined> {
  if (mark === outside) return refused(folder, path, outside)
  const { source, trust, directory, check, limits = standardLimits } = folder
  try {
    const text = await textOf(join(directory, path), limits.pipeBytes)
    if (text === undefined) return refused(folder, path, tooLarge(limits).detail)
    const read = readPipe(text, path, limits)
    if (!('pipe' in read)) return { source, file: path, problems: read.problems }
    const problems = checked(check, read.pipe, { trust, directory })
    return { pipe: read.pipe, source, file: path, trust, directory, problems }
  } catch (error) {
    const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    return isGone ? undefined : refused(folder, path, 'cannot be read')
  }
}

/** A segment that breaks over a config must not take the other pipes with it. */
function checked(check: Check, pipe: Pipe, origin: Origin): readonly Complaint[] {
  try {
    return check(pipe, origin)
  } catch {
    return [{ detail: 'cannot be checked' }]
  }
}

/** Reads no more than the limit, whatever the size was a moment ago; undefined for a larger one. */
async function textOf(path: string, limit: number): Promise<string | undefined> {
  await using file = await open(path)
  const parts: Buffer[] = []
  for await (const part of file.createReadStream({ end: limit, autoClose: false })) {
    parts.push(Buffer.from(part))
  }
  const bytes = Buffer.concat(parts)
  return bytes.length > limit ? undefined : bytes.toString('utf8')
}
