/**
 * The newest state of one branch as a directory of files, fetched only when it has changed. Git writes exactly the regular files
 * that are wanted, without configuration, hooks or filters.
 */

import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { Failure } from '../../errors.ts'
import { type GitRepository, isBranch, isGitAddress } from '../../config/cluster.ts'
import { git, type GitContext, gitLimits } from './git-command.ts'

type CheckoutTarget = {
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
  { directory, wanted, fileBytes }: CheckoutTarget,
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
  // A path is relative to where we work, not to where git does. A colon before the first slash makes it `host:path`.
  const isPath = !/^[^/]*:/.test(uri) && !isAbsolute(uri)
  const remote = { ...repository, uri: isPath ? resolve(uri) : uri, ref }
  const present = join(directory, await newest(remote, context, signal))
  if (await isDirectory(present)) return present
  const scratch = join(context.scratch, `git-${randomUUID()}`)
  try {
    const [bare, files] = [join(scratch, 'bare'), join(scratch, 'files')]
    await mkdir(files, { recursive: true, mode: 0o700 })
    const inBare: Ask = (args, most, more = {}) =>
      git(context, { args: ['--git-dir', bare, ...args], most, ...more }, signal)
    await git(context, { args: ['init', '-q', '--bare', '--template=', bare], most: 4096 }, signal)
    const commit = await fetched(inBare, remote, bare, context)
    const found = await treeFiles(inBare, commit, wanted, context)
    const list = { commit, files: found }
    await writeFiles(inBare, list, { directory: files, fileBytes }, context)
    return await settled(files, directory, commit)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** What an earlier process left half done. */
export async function sweep(scratch: string): Promise<void> {
  const names = await readdir(scratch).catch(() => [])
  const left = names.filter((name) => /^git-[0-9a-f-]{36}$/.test(name))
  await Promise.all(left.map((name) => rm(join(scratch, name), { recursive: true, force: true })))
}

type RemoteBranch = GitRepository & { readonly ref: string }

/** A git command in the bare repository; `most` bounds the bytes of its output. */
type Ask = (
  args: readonly string[],
  most: number,
  more?: { readonly input?: string; readonly credentials?: GitRepository },
) => Promise<Buffer>

/** The commit that the ref names there now. */
async function newest(
  remote: RemoteBranch,
  context: GitContext,
  signal: AbortSignal,
): Promise<string> {
  const args = ['ls-remote', '--quiet', '--exit-code', '--', remote.uri, remote.ref]
  const said = await git(context, { args, credentials: remote, most: 2 ** 20 }, signal)
  const lines = said.toString('utf8').split('\n')
  const line = lines.find((one) => one.endsWith(`\t${remote.ref}`)) ?? ''
  const [, commit] = /^([0-9a-f]{40,64})\t/.exec(line) ?? []
  if (commit !== undefined) return commit
  throw new Failure('source-not-found', 'the repository has no such branch')
}

/** The commit that was fetched into the new bare repository. */
async function fetched(
  inBare: Ask,
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
    // A pack that has grown to its limit: git does not say why it could not go on.
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

/** Puts the files in their place in one step and forgets all but the last two commits. */
async function settled(files: string, directory: string, commit: string): Promise<string> {
  const present = join(directory, commit)
  const before = await checkouts(directory)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  if (!(await isDirectory(present))) await rename(files, present)
  // A run may still read scripts of the state that it began with.
  const old = before.filter((path) => path !== present).slice(1)
  await Promise.all(old.map((path) => rm(path, { recursive: true, force: true })))
  return present
}

/** Directories of commits that are here already, newest first. */
export async function checkouts(directory: string): Promise<string[]> {
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

/** Regular files of the tree that are `wanted`. Names with a leading dot, and with it `..` and `.git`, never are. */
async function treeFiles(
  inBare: Ask,
  commit: string,
  wanted: (path: string) => boolean,
  context: GitContext,
): Promise<TreeFile[]> {
  const listing = await inBare(['ls-tree', '-r', '-z', '-l', '--full-tree', commit], 32 * 2 ** 20)
  const lines = listing.toString('utf8').split('\0')
  const files = lines.flatMap((line) => {
    // 120000 is a link, and a submodule is no blob at all.
    const [, size, path] = /^100(?:644|755) blob [0-9a-f]{40,64} +(\d+)\t([^]+)$/.exec(line) ?? []
    return path !== undefined && isPlain(path) && wanted(path) ? [{ path, size: Number(size) }] : []
  })
  const { files: most } = gitLimits(context)
  if (files.length <= most) return files
  throw new Failure('too-large', `the repository has more than ${most} pipes, scripts and queries`)
}

const isPlain = (path: string) => {
  const steps = path.split('/')
  return steps.length <= 16 && steps.every((step) => /^[^.\\\uFFFD][^\\\uFFFD]*$/.test(step))
}

/**
 * Writes the files below `directory`, which must be new. One larger than `fileBytes` is left as a hole of its size, so
 * that a reader finds it too large without anybody having carried it.
 */
async function writeFiles(
  inBare: Ask,
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
  // Exactly these paths: whatever else the tree holds is not even looked at.
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
