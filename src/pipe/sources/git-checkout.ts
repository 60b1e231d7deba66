/** The newest state of one branch as a directory of files, fetched only when it has changed. */

import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { Failure } from '../../errors.ts'
import { type GitRepository, isBranch, isGitAddress } from '../../config/cluster.ts'
import { git, type GitContext, gitLimits } from './git-command.ts'

type Wanted = {
  /** Absolute path; holds one directory per commit, the present one and the one before it. */
  readonly directory: string
  /** By its path in the repository. */
  readonly wanted: (path: string) => boolean
  readonly fileBytes: number
}

/**
 * The directory with the wanted files of the branch's newest commit. Shallow, one branch, no tags. Throws `Failure`
 * (`address-refused`, `source-…`, `too-large`) and leaves what was there before as it was.
 */
export async function checkout(
  repository: GitRepository,
  { directory, wanted, fileBytes }: Wanted,
  context: GitContext,
  signal: AbortSignal,
): Promise<string> {
  const { branch } = repository
  if (!isGitAddress(repository.uri)) {
    throw new Failure('address-refused', 'that is no address for git')
  }
  if (branch !== undefined && !isBranch(branch)) {
    throw new Failure('invalid-parameter', 'that is no name of a branch')
  }
  const ref = branch === undefined ? 'HEAD' : `refs/heads/${branch}`
  const asked = { ...repository, uri: absolute(repository.uri), ref }
  const commit = await newest(asked, context, signal)
  const present = join(directory, commit)
  if (await isDirectory(present)) return present
  const scratch = join(context.scratch, `git-${randomUUID()}`)
  try {
    const bare = join(scratch, 'bare')
    const files = join(scratch, 'files')
    await mkdir(files, { recursive: true, mode: 0o700 })
    const fetched = await fetchedInto(bare, asked, context, signal)
    const from = { repository: bare, commit: fetched }
    const list = await treeFiles(context, from, wanted, signal)
    const to = { directory: files, fileBytes }
    await writeFiles(context, { repository: bare, files: list }, to, signal)
    return await settled(files, directory, fetched)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** A path is relative to where we work, not to where git does. A colon before the first slash makes it `host:path`. */
const absolute = (uri: string) => (/^[^/]*:/.test(uri) || isAbsolute(uri) ? uri : resolve(uri))

/** What an earlier process left half done. */
export async function sweep(scratch: string): Promise<void> {
  const names = await readdir(scratch).catch(() => [])
  const left = names.filter((name) => /^git-[0-9a-f-]{36}$/.test(name))
  await Promise.all(left.map((name) => rm(join(scratch, name), { recursive: true, force: true })))
}

type Asked = GitRepository & { readonly ref: string }

/** The commit that the ref names there now. */
async function newest(asked: Asked, context: GitContext, signal: AbortSignal): Promise<string> {
  const args = ['ls-remote', '--quiet', '--exit-code', '--', asked.uri, asked.ref]
  const said = await git(context, { args, credentials: asked, most: 2 ** 20 }, signal)
  const line = said
    .toString('utf8')
    .split('\n')
    .find((line) => line.endsWith(`\t${asked.ref}`))
  const commit = /^([0-9a-f]{40,64})\t/.exec(line ?? '')?.[1]
  if (commit === undefined)
    throw new Failure('source-not-found', 'the repository has no such branch')
  return commit
}

/** The commit that was fetched into the new bare repository. */
async function fetchedInto(
  bare: string,
  asked: Asked,
  context: GitContext,
  signal: AbortSignal,
): Promise<string> {
  const init = ['init', '-q', '--bare', '--template=', '--', bare]
  await git(context, { args: init, most: 4096 }, signal)
  const options = ['--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules', '--no-auto-gc']
  const fetch = ['--git-dir', bare, 'fetch', ...options, '--', asked.uri, asked.ref]
  try {
    await git(context, { args: fetch, credentials: asked, most: 4096 }, signal)
  } catch (cause) {
    const { packBytes } = gitLimits(context)
    if (!(await isCut(bare, packBytes))) throw cause
    const detail = `the repository holds over ${packBytes} bytes`
    throw new Failure('too-large', detail, { cause })
  }
  const head = ['--git-dir', bare, 'rev-parse', '--verify', 'FETCH_HEAD^{commit}']
  return (await git(context, { args: head, most: 4096 }, signal)).toString('utf8').trim()
}

/** Whether a pack has grown to its limit: git does not say why it could not go on. */
async function isCut(bare: string, packBytes: number): Promise<boolean> {
  const packs = join(bare, 'objects', 'pack')
  const names = await readdir(packs).catch(() => [])
  const sizes = await Promise.all(names.map((name) => stat(join(packs, name))))
  return sizes.some(({ size }) => size >= packBytes)
}

/** Puts the files in their place in one step and forgets all but the last two commits. */
async function settled(files: string, directory: string, commit: string): Promise<string> {
  const present = join(directory, commit)
  const before = await kept(directory)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  if (!(await isDirectory(present))) await rename(files, present)
  // A run may still read scripts of the state that it began with.
  const old = before.filter((path) => path !== present).slice(1)
  await Promise.all(old.map((path) => rm(path, { recursive: true, force: true })))
  return present
}

/** Directories of commits that are here already, newest first. */
export async function kept(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch(() => [])
  const commits = names.filter((name) => /^[0-9a-f]{40,64}$/.test(name))
  const dated = await Promise.all(
    commits.map(async (name) => {
      const path = join(directory, name)
      return { path, time: (await stat(path)).mtimeMs }
    }),
  )
  return dated.toSorted((a, b) => b.time - a.time).map(({ path }) => path)
}

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )

// Files of one commit, read out of the object database: no working tree, so no links, filters or hooks.

type TreeFile = { readonly path: string; readonly object: string; readonly size: number }

/** Regular files of the tree that are `wanted`. Names with a leading dot, and with it `..` and `.git`, never are. */
async function treeFiles(
  context: GitContext,
  { repository, commit }: { readonly repository: string; readonly commit: string },
  wanted: (path: string) => boolean,
  signal: AbortSignal,
): Promise<TreeFile[]> {
  const args = ['--git-dir', repository, 'ls-tree', '-r', '-z', '-l', '--full-tree', commit]
  const listing = await git(context, { args, most: 32 * 2 ** 20 }, signal)
  const files = listing
    .toString('utf8')
    .split('\0')
    .flatMap((line) => {
      const [, mode, object, size, path] =
        /^(\d{6}) blob ([0-9a-f]{40,64}) +(\d+)\t([^]+)$/.exec(line) ?? []
      // 120000 is a link, and a submodule is no blob at all.
      const isRegular = mode === '100644' || mode === '100755'
      if (!isRegular || object === undefined || path === undefined) return []
      return isPlain(path) && wanted(path) ? [{ path, object, size: Number(size) }] : []
    })
  const { files: most } = gitLimits(context)
  if (files.length <= most) return files
  throw new Failure('too-large', `the repository holds over ${most} files that count`)
}

const isPlain = (path: string) => {
  const steps = path.split('/')
  return (
    steps.length <= 16 &&
    steps.every((step) => step !== '' && !step.startsWith('.') && !/[\\\uFFFD]/.test(step))
  )
}

/**
 * Writes the files below `directory`, which must be new. One larger than `fileBytes` is left as a hole of its size, so
 * that a reader finds it too large without anybody having carried it.
 */
async function writeFiles(
  context: GitContext,
  from: { readonly repository: string; readonly files: readonly TreeFile[] },
  to: { readonly directory: string; readonly fileBytes: number },
  signal: AbortSignal,
): Promise<void> {
  const small = from.files.filter(({ size }) => size <= to.fileBytes)
  const bytes = small.reduce((sum, { size }) => sum + size, 0)
  const { treeBytes } = gitLimits(context)
  if (bytes > treeBytes) {
    throw new Failure('too-large', `the files that count hold over ${treeBytes} bytes`)
  }
  const contents = await contentsOf(context, { ...from, files: small }, signal)
  for (const { path, object, size } of from.files) {
    const target = join(to.directory, path)
    await mkdir(dirname(target), { recursive: true })
    if (size <= to.fileBytes) {
      // Exclusive: a tree that names a path twice is refused.
      await writeFile(target, contents.get(object) ?? '', { flag: 'wx' })
      continue
    }
    const hole = await open(target, 'wx')
    try {
      await hole.truncate(size)
    } finally {
      await hole.close()
    }
  }
}

/** Object name → content. */
async function contentsOf(
  context: GitContext,
  { repository, files }: { readonly repository: string; readonly files: readonly TreeFile[] },
  signal: AbortSignal,
): Promise<Map<string, Buffer>> {
  const wanted = new Map(files.map(({ object, size }) => [object, size]))
  const input = [...wanted.keys()].map((object) => `${object}\n`).join('')
  const sizes = [...wanted.values()].reduce((sum, size) => sum + size + 128, 0)
  const args = ['--git-dir', repository, 'cat-file', '--batch']
  const out = await git(context, { args, input, most: sizes }, signal)
  const contents = new Map<string, Buffer>()
  let at = 0
  for (const [object, size] of wanted) {
    const line = out.indexOf(0x0a, at)
    if (line < 0 || out.toString('latin1', at, line) !== `${object} blob ${size}`) {
      throw new Failure('source-malformed', 'the repository misses an object that its tree names')
    }
    contents.set(object, out.subarray(line + 1, line + 1 + size))
    at = line + 1 + size + 1
  }
  return contents
}
