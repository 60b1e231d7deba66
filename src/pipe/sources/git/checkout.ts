/** The newest state of one branch as a directory of files, fetched only when it has changed. */

import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import { Failure } from '../../../errors.ts'
import { isBranch, isGitAddress, type GitRepository } from '../../../config/cluster.ts'
import { git } from './command.ts'
import { limitsOf, type GitGround } from './ground.ts'
import { treeFiles, writeFiles } from './tree.ts'

export type Wanted = {
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
  ground: GitGround,
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
  const commit = await newest(asked, ground, signal)
  const present = join(directory, commit)
  if (await isDirectory(present)) return present
  const scratch = join(ground.scratch, `git-${randomUUID()}`)
  try {
    const bare = join(scratch, 'bare')
    const files = join(scratch, 'files')
    await mkdir(files, { recursive: true, mode: 0o700 })
    const fetched = await fetchedInto(bare, asked, ground, signal)
    const from = { repository: bare, commit: fetched }
    const list = await treeFiles(ground, from, wanted, signal)
    const to = { directory: files, fileBytes }
    await writeFiles(ground, { repository: bare, files: list }, to, signal)
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
async function newest(asked: Asked, ground: GitGround, signal: AbortSignal): Promise<string> {
  const args = ['ls-remote', '--quiet', '--exit-code', '--', asked.uri, asked.ref]
  const said = await git(ground, { args, credentials: asked, most: 2 ** 20 }, signal)
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
  ground: GitGround,
  signal: AbortSignal,
): Promise<string> {
  const init = ['init', '-q', '--bare', '--template=', '--', bare]
  await git(ground, { args: init, most: 4096 }, signal)
  const options = ['--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules', '--no-auto-gc']
  const fetch = ['--git-dir', bare, 'fetch', ...options, '--', asked.uri, asked.ref]
  try {
    await git(ground, { args: fetch, credentials: asked, most: 4096 }, signal)
  } catch (cause) {
    const { packBytes } = limitsOf(ground)
    if (!(await isCut(bare, packBytes))) throw cause
    const detail = `the repository holds over ${packBytes} bytes`
    throw new Failure('too-large', detail, { cause })
  }
  const head = ['--git-dir', bare, 'rev-parse', '--verify', 'FETCH_HEAD^{commit}']
  return (await git(ground, { args: head, most: 4096 }, signal)).toString('utf8').trim()
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
