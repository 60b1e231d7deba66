/** Reads the pipe files of a directory; merges those of several sources. `pipe-sources.ts` calls it in each round. */

import { open, readdir, realpath, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type Complaint, shown } from '../../errors.ts'
import type { Pipe } from '../document.ts'
import type { Origin } from '../pipe-check.ts'
import { readPipe, standardLimits, tooLarge, type PipeLimits } from '../pipe-schema.ts'

/** A pipe, the file that contains it, and the problems that prevent its launch. */
export type PipeEntry = {
  readonly pipe: Pipe
  /** Name of the source: `pipes`, `resources:<directory>` or `git:<name>`. */
  readonly source: string
  /** Path of the file relative to its source. */
  readonly file: string
  /** `trusted`: the file is in a directory that the operator has configured. `foreign`: it is from a git repository. */
  readonly trust: 'trusted' | 'foreign'
  /** Absolute path of the directory with scripts and queries. */
  readonly directory: string
  /** Reasons why the pipe cannot be launched; empty if it can. */
  readonly problems: readonly Complaint[]
}

/** A file that contains no usable pipe; `file` is empty if the source, or a part of its files, is not read. */
export type InvalidFile = Pick<PipeEntry, 'source' | 'file' | 'problems'>

/** Pipes and invalid files of a source, ordered by file name. */
export type PipeFiles = {
  readonly pipes: readonly PipeEntry[]
  readonly invalid: readonly InvalidFile[]
}

export const noPipeFiles: PipeFiles = { pipes: [], invalid: [] }

/** Merges sources in order of precedence: the first pipe with a name wins, later ones become invalid. */
export function mergePipeFiles(sources: readonly PipeFiles[]): PipeFiles {
  const byName = new Map<string, PipeEntry>()
  const invalid = sources.flatMap((files) => files.invalid)
  for (const entry of sources.flatMap((files) => files.pipes)) {
    const { source, file } = entry
    const { name } = entry.pipe.header
    const first = byName.get(name)
    if (first) {
      const detail = `${shown(name)} is already the name of ${shown(first.file)} in ${shown(first.source)}`
      invalid.push({ source, file, problems: [{ pointer: '/header/name', detail }] })
    } else byName.set(name, entry)
  }
  const names = [...byName.keys()].toSorted()
  return { pipes: names.flatMap((name) => byName.get(name) ?? []), invalid }
}

/** Finds a pipe by name, else by an id that is unique. */
export function findPipe(pipes: readonly PipeEntry[], nameOrId: string): PipeEntry | undefined {
  const byName = pipes.find(({ pipe }) => pipe.header.name === nameOrId)
  if (byName) return byName
  const byId = pipes.filter(({ pipe }) => pipe.header.id === nameOrId)
  return byId.length === 1 ? byId[0] : undefined
}

/** Directory to read, and how to check its pipes. */
export type PipeFolder = Pick<PipeEntry, 'source' | 'directory' | 'trust'> & {
  /** Includes subdirectories whose names do not begin with a dot. */
  readonly isRecursive: boolean
  readonly check: (pipe: Pipe, origin: Origin) => readonly Complaint[]
  readonly limits?: PipeLimits
}

/** Maximum number of files per source; further ones are ignored. */
const mostFiles = 5000
/** Maximum number of ignored files that the message names. */
const mostNamed = 5
/** Maximum number of parts of a path below the directory. */
const mostPathParts = 17

/** Reads the pipes of a folder; a missing folder is empty. */
export async function readPipeFolder(folder: PipeFolder): Promise<PipeFiles> {
  const { source, directory, isRecursive } = folder
  const root = await realpath(directory).catch(() => undefined)
  if (root === undefined) return noPipeFiles
  const paths = await pathsBelow(root, isRecursive)
  const entries: (PipeEntry | InvalidFile)[] = []
  for (const path of paths.slice(0, mostFiles)) entries.push(...(await entryOf(folder, root, path)))
  const ignored = paths.slice(mostFiles)
  if (ignored.length > 0) {
    const names = ignored.slice(0, mostNamed).map(shown).join(', ')
    const detail = `holds ${paths.length} pipe files, of which at most ${mostFiles} are read: ${ignored.length} are not, the first of them ${names}`
    entries.push({ source, file: '', problems: [{ detail }] })
  }
  return {
    pipes: entries.filter((entry) => 'pipe' in entry),
    invalid: entries.filter((entry) => !('pipe' in entry)),
  }
}

/** Sorted relative paths of files with a suffix of pipes. */
async function pathsBelow(root: string, recursive: boolean): Promise<readonly string[]> {
  const entries = await readdir(root, { withFileTypes: true, recursive })
  return entries
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => /\.(json|ya?ml)$/i.test(path) && !/(^|\/)\./.test(path))
    .filter((path) => path.split(sep).length <= mostPathParts)
    .toSorted()
}

/** Reads the pipe of a file, or its problems; nothing if it is no regular file, or disappears after it was resolved. */
async function entryOf(
  { source, trust, directory, check, limits = standardLimits }: PipeFolder,
  root: string,
  file: string,
): Promise<readonly (PipeEntry | InvalidFile)[]> {
  const invalidFile = (...problems: readonly Complaint[]) => [{ source, file, problems }]
  try {
    const realPath = await realpath(join(root, file)).catch(() => '')
    if (!realPath.startsWith(root.endsWith(sep) ? root : root + sep)) {
      return invalidFile({ detail: 'is a link to nothing, or to a file outside its directory' })
    }
    if (!(await stat(realPath)).isFile()) return []
    const text = await textOf(realPath, limits.pipeBytes)
    if (text === undefined) return invalidFile(tooLarge(limits))
    const result = readPipe(text, file, limits)
    if (!('pipe' in result)) return invalidFile(...result.problems)
    const { pipe } = result
    const entry = { pipe, source, file, trust, directory }
    try {
      return [{ ...entry, problems: check(pipe, { trust, directory }) }]
    } catch {
      // A check that throws must not affect other pipes.
      return [{ ...entry, problems: [{ detail: 'cannot be checked' }] }]
    }
  } catch (error) {
    const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    return isGone ? [] : invalidFile({ detail: 'cannot be read' })
  }
}

/** Reads a file up to `limit` bytes, even if it has grown since `stat`; `undefined` if it is larger. */
async function textOf(path: string, limit: number): Promise<string | undefined> {
  await using file = await open(path)
  const bytes = await buffer(file.createReadStream({ end: limit, autoClose: false }))
  return bytes.length > limit ? undefined : bytes.toString('utf8')
}
