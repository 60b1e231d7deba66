/** The package of the program: made by `npm run package`, and installed by npm as an operator does it. */

import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = new URL('../..', import.meta.url).pathname
const run = promisify(execFile)

/** Makes the package of the checkout in a directory; resolves with its path. */
export async function packed(directory: string): Promise<string> {
  await run('npm', ['run', 'package', '--', '--pack-destination', directory], { cwd: root })
  return join(directory, 'cartulary-0.1.0.tgz')
}

/** Makes a package with the same content and another version. */
export async function withVersion(tarball: string, version: string): Promise<string> {
  const folder = join(tarball, '..', `version-${version}`)
  await mkdir(folder)
  await run('tar', ['-xzf', tarball, '-C', folder])
  const file = join(folder, 'package/package.json')
  const description: Record<string, unknown> = JSON.parse(await readFile(file, 'utf8'))
  await writeFile(file, JSON.stringify({ ...description, version }))
  const changed = join(folder, `cartulary-${version}.tgz`)
  await run('tar', ['-czf', changed, '-C', folder, 'package'])
  return changed
}

/** Installs a package into a directory, in place of an earlier version; resolves with the path of the program. */
export async function installed(tarball: string, directory: string): Promise<string> {
  await mkdir(directory, { recursive: true })
  // The Node of the checkout runs it, so that of the package is left out.
  const options = ['--prefer-offline', '--ignore-scripts', '--omit=optional', '--no-audit']
  await run('npm', ['install', ...options, tarball], { cwd: directory })
  return join(directory, 'node_modules/.bin/cartulary')
}
