/**
 * Checks out the newest commit of a git branch that contains pipes or scripts, fetching only if it has changed. Only regular,
 * selected files are written; no hook or filter of git is used.
 */

import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { Failure } from '../../errors.ts'
import { type GitRepository, isBranch, isGitAddress } from '../../config/cluster.ts'
import { runGit, type GitContext, gitLimits } from './git-command.ts'

type CheckoutTarget = {
  /** Absolute path; contains one directory per commit, the current and the previous one. */
  readonly directory: string
  /** Selects files by their path in the repository. */
  readonly isSelected: (path: string) => boolean
  /** Maximum bytes of a file whose content is written. */
  readonly fileBytes: number
}

/**
 * Returns the directory with the selected files of the branch's newest commit, fetched as a shallow clone without tags.
 * Throws `Failure` (`address-refused`, `invalid-parameter`, `source-…`, `too-large`); earlier checkouts stay unchanged then.
 */
export async function checkout(
  repository: GitRepository,
  { directory, isSelected, fileBytes }: CheckoutTarget,
  context: GitContext,
  signal: AbortSignal,
): Promise<string> {
  const { branch, uri } = repository
  if (!isGitAddress(uri))
    throw new Failure('address-refused', 'the address is not one that git can fetch from')
  if (branch !== undefined && !isBranch(branch)) {
    throw new Failure('invalid-parameter', 'the branch is not a valid name')
  }
  const ref = branch === undefined ? 'HEAD' : `refs/heads/${branch}`
  // Relative paths refer to our working directory, not to that of git. A colon before the first slash means `host:path`.
  const isPath = !/^[^/]*:/.test(uri) && !isAbsolute(uri)
  const remote = { ...repository, uri: isPath ? resolve(uri) : uri, ref }
  const checkoutPath = join(directory, await newestCommit(remote, context, signal))
  if (await isDirectory(checkoutPath)) return checkoutPath
  const scratch = join(context.scratch, `git-${randomUUID()}`)
  try {
    const [bare, workTree] = [join(scratch, 'bare'), join(scratch, 'files')]
    await mkdir(workTree, { recursive: true, mode: 0o700 })
    const inBare: RunInBare = (args, most, options = {}) =>
      runGit(context, { args: ['--git-dir', bare, ...args], most, ...options }, signal)
    await runGit(
      context,
      { args: ['init', '-q', '--bare', '--template=', bare], most: 4096 },
      signal,
    )
    const commit = await fetchCommit(inBare, remote, bare, context)
    const files = await treeFiles(inBare, commit, isSelected, context)
    const list = { commit, files }
    await writeFiles(inBare, list, { directory: workTree, fileBytes }, context)
    return await moveIntoPlace(workTree, directory, commit)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Deletes temporary directories of earlier processes. */
export async function deleteTemporary(scratch: string): Promise<void> {
  const names = await readdir(scratch).catch(() => [])
  const stale = names.filter((name) => /^git-[0-9a-f-]{36}$/.test(name))
  await Promise.all(stale.map((name) => rm(join(scratch, name), { recursive: true, force: true })))
}

type RemoteBranch = GitRepository & { readonly ref: string }

/** Runs a git command in the bare repository; `most` bounds its output in bytes. */
type RunInBare = (
  args: readonly string[],
  most: number,
  options?: { readonly input?: string; readonly credentials?: GitRepository },
) => Promise<Buffer>

/** Commit of the ref in the remote repository. */
async function newestCommit(
  remote: RemoteBranch,
  context: GitContext,
  signal: AbortSignal,
): Promise<string> {
  const args = ['ls-remote', '--quiet', '--exit-code', '--', remote.uri, remote.ref]
  const output = await runGit(context, { args, credentials: remote, most: 2 ** 20 }, signal)
  const lines = output.toString('utf8').split('\n')
  const line = lines.find((line) => line.endsWith(`\t${remote.ref}`)) ?? ''
  const [, commit] = /^([0-9a-f]{40,64})\t/.exec(line) ?? []
  if (commit !== undefined) return commit
  throw new Failure('source-not-found', 'the repository has no such branch')
}

/** Fetches into the new bare repository; returns the commit. */
async function fetchCommit(
  inBare: RunInBare,
  remote: RemoteBranch,
  bare: string,
  context: GitContext,
): Promise<string> {
  const options = ['--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules', '--no-auto-gc']
  try {
    await inBare(['fetch', ...options, '--', remote.uri, remote.ref], 4096, {
      credentials: remote,
    })
  } catch (cause) {
    // git gives no reason when its pack file hits the size limit.
    const { packBytes } = gitLimits(context)
    const packs = join(bare, 'objects', 'pack')
    const names = await readdir(packs).catch(() => [])
    const sizes = await Promise.all(names.map((name) => stat(join(packs, name))))
    if (!sizes.some(({ size }) => size >= packBytes)) throw cause
    throw new Failure('too-large', `the repository is larger than ${packBytes} bytes`, { cause })
  }
  const head = await inBare(['rev-parse', '--verify', 'FETCH_HEAD^{commit}'], 4096)
  return head.toString('utf8').trim()
}

/** Moves the files into place atomically and deletes all but the last two commits. */
async function moveIntoPlace(files: string, directory: string, commit: string): Promise<string> {
  const checkoutPath = join(directory, commit)
  const existing = await existingCheckouts(directory)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  if (!(await isDirectory(checkoutPath))) await rename(files, checkoutPath)
  // A run may still read scripts of the previous commit.
  const old = existing.filter((path) => path !== checkoutPath).slice(1)
  await Promise.all(old.map((path) => rm(path, { recursive: true, force: true })))
  return checkoutPath
}

/** Existing directories of commits, newest first. */
export async function existingCheckouts(directory: string): Promise<string[]> {
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

type TreeFile = { readonly path: string; readonly size: number }

/** Selected regular files of the tree. Names with a leading dot, including `..` and `.git`, are ignored. */
async function treeFiles(
  inBare: RunInBare,
  commit: string,
  isSelected: (path: string) => boolean,
  context: GitContext,
): Promise<TreeFile[]> {
  const listing = await inBare(['ls-tree', '-r', '-z', '-l', '--full-tree', commit], 32 * 2 ** 20)
  const lines = listing.toString('utf8').split('\0')
  const files = lines.flatMap((line) => {
    // Mode 120000 is a symbolic link; submodules are no blobs.
    const [, size, path] = /^100(?:644|755) blob [0-9a-f]{40,64} +(\d+)\t([^]+)$/.exec(line) ?? []
    return path !== undefined && isAcceptedPath(path) && isSelected(path)
      ? [{ path, size: Number(size) }]
      : []
  })
  const { files: mostFiles } = gitLimits(context)
  if (files.length <= mostFiles) return files
  throw new Failure(
    'too-large',
    `the repository has more than ${mostFiles} pipes, scripts and queries`,
  )
}

/** Whether a path is short enough and no part of it begins with a dot or contains a backslash or an invalid character. */
const isAcceptedPath = (path: string) => {
  const names = path.split('/')
  return names.length <= 16 && names.every((step) => /^[^.\\\uFFFD][^\\\uFFFD]*$/.test(step))
}

/**
 * Writes the files below `directory`, which must be new. A file larger than `fileBytes` becomes a sparse file of its size, so
 * that readers reject it without it having been copied.
 */
async function writeFiles(
  inBare: RunInBare,
  { commit, files }: { readonly commit: string; readonly files: readonly TreeFile[] },
  { directory, fileBytes }: { readonly directory: string; readonly fileBytes: number },
  context: GitContext,
): Promise<void> {
  const { treeBytes } = gitLimits(context)
  const small = files.filter(({ size }) => size <= fileBytes)
  if (small.reduce((sum, { size }) => sum + size, 0) > treeBytes) {
    throw new Failure(
      'too-large',
      `the pipes, scripts and queries of the repository are larger than ${treeBytes} bytes`,
    )
  }
  const input = small.map(({ path }) => `${path}\0`).join('')
  // Only these paths; nothing else of the tree is read.
  const options = ['--literal-pathspecs', '--work-tree', directory, 'checkout', '--quiet', commit]
  const paths = ['--pathspec-from-file=-', '--pathspec-file-nul']
  if (small.length > 0) await inBare([...options, ...paths], 4096, { input })
  for (const { path, size } of files) {
    if (size <= fileBytes) continue
    const target = join(directory, path)
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, '', { flag: 'wx' })
    await truncate(target, size)
  }
}
