/** Pipe files below one directory, and what is known of pipes: the valid ones under their names, the others with what is wrong. */

import { open, readdir, realpath, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type Complaint, shown } from '../../errors.ts'
import type { Pipe } from '../document.ts'
import type { Origin } from '../pipe-check.ts'
import { readPipe, standardLimits, tooLarge, type PipeLimits } from '../pipe-schema.ts'

export type KnownPipe = {
  readonly pipe: Pipe
  /** `pipes`, `resources:<directory>` or `git:<name>`. */
  readonly source: string
  /** Path of the file below its source. */
  readonly file: string
  /** `trusted`: a file of a directory that the operator's configuration names. */
  readonly trust: 'trusted' | 'foreign'
  /** Absolute; scripts and queries stand below it. */
  readonly directory: string
  /** Why it cannot be launched. */
  readonly problems: readonly Complaint[]
}

/** `file` is empty when the source itself cannot be read. */
export type InvalidFile = Pick<KnownPipe, 'source' | 'file' | 'problems'>

/** What one source holds, files in order of their names. */
export type PipeFiles = {
  readonly pipes: readonly KnownPipe[]
  readonly invalid: readonly InvalidFile[]
}

export const noFiles: PipeFiles = { pipes: [], invalid: [] }

/** All sources in order of their rank: of a name that is used twice the first one stays, the other is refused. */
export function mergedFiles(sources: readonly PipeFiles[]): PipeFiles {
  const byName = new Map<string, KnownPipe>()
  const invalid = sources.flatMap((found) => found.invalid)
  for (const known of sources.flatMap((found) => found.pipes)) {
    const { source, file } = known
    const { name } = known.pipe.header
    const first = byName.get(name)
    if (first) {
      const detail = `${shown(name)} is already the name of ${shown(first.file)} in ${shown(first.source)}`
      invalid.push({ source, file, problems: [{ pointer: '/header/name', detail }] })
    } else byName.set(name, known)
  }
  const names = [...byName.keys()].toSorted()
  return { pipes: names.flatMap((name) => byName.get(name) ?? []), invalid }
}

/** By name, else by an id that only one pipe has. */
export function findPipe(pipes: readonly KnownPipe[], nameOrId: string): KnownPipe | undefined {
  const byName = pipes.find(({ pipe }) => pipe.header.name === nameOrId)
  if (byName) return byName
  const byId = pipes.filter(({ pipe }) => pipe.header.id === nameOrId)
  return byId.length === 1 ? byId[0] : undefined
}

export type Folder = Pick<KnownPipe, 'source' | 'directory' | 'trust'> & {
  /** Files of folders below count too, except in those whose name starts with a dot. */
  readonly deep: boolean
  readonly check: (pipe: Pipe, origin: Origin) => readonly Complaint[]
  readonly limits?: PipeLimits | undefined
}

/** More files of pipes than anybody has; what comes after them is not read. */
const mostFiles = 5000
/** Names of files that are not read, in the message about them. */
const mostNamed = 5
const deepest = 17

/** The pipes of a folder; an absent one holds nothing. */
export async function readFolder(folder: Folder): Promise<PipeFiles> {
  const { source, directory, deep } = folder
  const root = await realpath(directory).catch(() => undefined)
  if (root === undefined) return noFiles
  const paths = await pathsBelow(root, deep)
  const entries: (KnownPipe | InvalidFile)[] = []
  for (const path of paths.slice(0, mostFiles)) entries.push(...(await entryOf(folder, root, path)))
  const unread = paths.slice(mostFiles)
  if (unread.length > 0) {
    const names = unread.slice(0, mostNamed).map(shown).join(', ')
    const detail = `holds ${paths.length} pipe files, of which at most ${mostFiles} are read: ${unread.length} are not, the first of them ${names}`
    entries.push({ source, file: '', problems: [{ detail }] })
  }
  return {
    pipes: entries.filter((entry) => 'pipe' in entry),
    invalid: entries.filter((entry) => !('pipe' in entry)),
  }
}

/** Relative paths of what looks like a pipe, in order. */
async function pathsBelow(root: string, recursive: boolean): Promise<readonly string[]> {
  const entries = await readdir(root, { withFileTypes: true, recursive })
  return entries
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => /\.(json|ya?ml)$/i.test(path) && !/(^|\/)\./.test(path))
    .filter((path) => path.split(sep).length <= deepest)
    .toSorted()
}

/** The pipe of a file, or what is wrong with it; nothing when the file has gone meanwhile or is none. */
async function entryOf(
  { source, trust, directory, check, limits = standardLimits }: Folder,
  root: string,
  file: string,
): Promise<readonly (KnownPipe | InvalidFile)[]> {
  const refused = (...problems: readonly Complaint[]) => [{ source, file, problems }]
  try {
    const real = await realpath(join(root, file)).catch(() => '')
    if (!real.startsWith(root.endsWith(sep) ? root : root + sep)) {
      return refused({ detail: 'is a link to nothing, or to a file outside its directory' })
    }
    if (!(await stat(real)).isFile()) return []
    const text = await textOf(real, limits.pipeBytes)
    if (text === undefined) return refused(tooLarge(limits))
    const read = readPipe(text, file, limits)
    if (!('pipe' in read)) return refused(...read.problems)
    const { pipe } = read
    const known = { pipe, source, file, trust, directory }
    try {
      return [{ ...known, problems: check(pipe, { trust, directory }) }]
    } catch {
      // A segment that breaks over a config must not take the other pipes with it.
      return [{ ...known, problems: [{ detail: 'cannot be checked' }] }]
    }
  } catch (error) {
    const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    return isGone ? [] : refused({ detail: 'cannot be read' })
  }
}

/** Reads no more than the limit, whatever the size was a moment ago; undefined for a larger one. */
async function textOf(path: string, limit: number): Promise<string | undefined> {
  await using file = await open(path)
  const bytes = await buffer(file.createReadStream({ end: limit, autoClose: false }))
  return bytes.length > limit ? undefined : bytes.toString('utf8')
}
