/** Local git repositories for tests, made by the real program. */

import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const who = ['-c', 'user.name=Test', '-c', 'user.email=test@pipes.example']
const environment = {
  PATH: process.env['PATH'] ?? '',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
}

export const git = (directory: string, ...args: string[]): string =>
  execFileSync('git', [...who, '-c', 'protocol.file.allow=always', ...args], {
    cwd: directory,
    env: environment,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })

export type Repository = {
  /** The bare repository that is fetched from. */
  readonly uri: string
  /** The working copy that fills it. */
  readonly work: string
  /** Writes files (null removes one) and pushes them as one commit on the present branch. */
  commit(files: Readonly<Record<string, unknown>>): Promise<void>
}

/** A bare repository below `root` with an empty branch `main`. */
export async function repository(root: string, name = 'remote'): Promise<Repository> {
  const uri = join(root, `${name}.git`)
  const work = join(root, `${name}-work`)
  await mkdir(work, { recursive: true })
  git(root, 'init', '-q', '--bare', '-b', 'main', uri)
  git(work, 'init', '-q', '-b', 'main')
  git(work, 'remote', 'add', 'origin', uri)
  const commit = async (files: Readonly<Record<string, unknown>>) => {
    for (const [path, content] of Object.entries(files)) {
      if (content === null) {
        git(work, 'rm', '-q', '--', path)
        continue
      }
      await mkdir(dirname(join(work, path)), { recursive: true })
      await writeFile(
        join(work, path),
        typeof content === 'string' ? content : JSON.stringify(content),
      )
    }
    git(work, 'add', '-A')
    git(work, 'commit', '-q', '-m', 'change')
    git(work, 'push', '-q', 'origin', 'HEAD')
  }
  return { uri, work, commit }
}
