/** Files beside a pipe: scripts and queries in the directory of its source, and nothing outside of it. */

import { readFileSync, realpathSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { ConfigProblem } from '../../pipe/segment.ts'

/** Says what is wrong with a config, in words for whoever wrote the pipe. */
export class BadConfig extends Error {
  /** The key below the one that is read. */
  readonly below: string | undefined

  constructor(message: string, { below, cause }: { below?: string; cause?: unknown } = {}) {
    super(message, { cause })
    this.below = below
  }
}

/** Result of `work`, or the fault of the key when it throws `BadConfig`. */
export function orProblem<T>(key: string, work: () => T): T | ConfigProblem {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof BadConfig)) throw error
    const { below, message } = error
    return { key: below === undefined ? key : `${key}.${below}`, detail: message }
  }
}

/** Which file is meant, and how large it may be. */
type FileBeside = {
  /** Directory of the pipe's source. */
  readonly directory: string | undefined
  /** Folder in it, such as `scripts`. */
  readonly folder: string
  /** Path below the folder. */
  readonly name: string
  /** In bytes. */
  readonly most: number
}

const step = /^[\w-][\w .-]*$/

/** Whether a path has plain names only: nothing that climbs, hides or begins at the root. */
export const isPlainPath = (path: string): boolean =>
  path.length <= 500 && path.split('/').every((name) => step.test(name))

/** The text of the file. Links are followed as far as they stay in the folder. Throws `BadConfig`. */
export function textBeside({ directory, folder, name, most }: FileBeside): string {
  const path = name.startsWith(`${folder}/`) ? name.slice(folder.length + 1) : name
  if (!isPlainPath(path)) throw new BadConfig(`must be the name of a file in ${folder}/`)
  if (directory === undefined) throw new BadConfig('this pipe has no directory with files')
  try {
    const root = realpathSync(join(directory, folder))
    const real = realpathSync(join(root, path))
    const stats = statSync(real)
    if (real.startsWith(root + sep) && stats.isFile()) {
      if (stats.size > most) throw new BadConfig(`${folder}/${path} has more than ${most} bytes`)
      return readFileSync(real, 'utf8')
    }
  } catch (cause) {
    if (cause instanceof BadConfig) throw cause
    // Whatever the reason is, the file is not there for the pipe.
  }
  throw new BadConfig(`there is no readable file ${folder}/${path} beside the pipe`)
}
