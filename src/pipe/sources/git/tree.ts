/** Files of one commit, read out of the object database: no working tree, so no links, filters or hooks. */

import { mkdir, open, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Failure } from '../../../errors.ts'
import { git } from './command.ts'
import { limitsOf, type GitGround } from './ground.ts'

export type TreeFile = { readonly path: string; readonly object: string; readonly size: number }

/** Regular files of the tree that are `wanted`. Names with a leading dot, and with it `..` and `.git`, never are. */
export async function treeFiles(
  ground: GitGround,
  { repository, commit }: { readonly repository: string; readonly commit: string },
  wanted: (path: string) => boolean,
  signal: AbortSignal,
): Promise<TreeFile[]> {
  const args = ['--git-dir', repository, 'ls-tree', '-r', '-z', '-l', '--full-tree', commit]
  const listing = await git(ground, { args, most: 32 * 2 ** 20 }, signal)
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
  const { files: most } = limitsOf(ground)
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
export async function writeFiles(
  ground: GitGround,
  from: { readonly repository: string; readonly files: readonly TreeFile[] },
  to: { readonly directory: string; readonly fileBytes: number },
  signal: AbortSignal,
): Promise<void> {
  const small = from.files.filter(({ size }) => size <= to.fileBytes)
  const bytes = small.reduce((sum, { size }) => sum + size, 0)
  const { treeBytes } = limitsOf(ground)
  if (bytes > treeBytes) {
    throw new Failure('too-large', `the files that count hold over ${treeBytes} bytes`)
  }
  const contents = await contentsOf(ground, { ...from, files: small }, signal)
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
  ground: GitGround,
  { repository, files }: { readonly repository: string; readonly files: readonly TreeFile[] },
  signal: AbortSignal,
): Promise<Map<string, Buffer>> {
  const wanted = new Map(files.map(({ object, size }) => [object, size]))
  const input = [...wanted.keys()].map((object) => `${object}\n`).join('')
  const sizes = [...wanted.values()].reduce((sum, size) => sum + size + 128, 0)
  const args = ['--git-dir', repository, 'cat-file', '--batch']
  const out = await git(ground, { args, input, most: sizes }, signal)
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
