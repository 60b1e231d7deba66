/**
 * Scripts and queries in the directory of a pipe, read when its segments are opened, or a script in the checkout of a repository,
 * read when a run begins; and problems of their config.
 */

import { readFileSync, realpathSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { ConfigProblem } from '../../pipe/segment.ts'

/** Invalid config; the message is for the author of the pipe. */
export class BadConfig extends Error {
  /** Nested key with the problem, below the key that `configProblemOf` is given; absent for that key itself. */
  readonly subKey: string | undefined

  constructor(message: string, { subKey, cause }: { subKey?: string; cause?: unknown } = {}) {
    super(message, { cause })
    this.subKey = subKey
  }
}

/** Result of `work`, or the problem of the key if it throws `BadConfig`. */
export function configProblemOf<T>(key: string, work: () => T): T | ConfigProblem {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof BadConfig)) throw error
    const { subKey, message } = error
    return { key: subKey === undefined ? key : `${key}.${subKey}`, detail: message }
  }
}

/** File to read and its maximum size. */
type FileBeside = {
  /** Directory of the pipe, or of the checkout; a pipe may have none. */
  readonly directory: string | undefined
  /** Subfolder, such as `scripts`; `.` for none. */
  readonly folder: string
  /** Path relative to the folder; may begin with the name of the folder. */
  readonly name: string
  /** Maximum bytes. */
  readonly maxBytes: number
}

const pathStep = /^[\w-][\w .-]*$/

/** Whether a path is relative and has neither `..` nor hidden names nor unusual characters. */
export const isPlainPath = (path: string): boolean =>
  path.length <= 500 && path.split('/').every((name) => pathStep.test(name))

/** Reads the file. Symbolic links must stay in the folder. Throws `BadConfig`. */
export function readPipeFile({ directory, folder, name, maxBytes }: FileBeside): string {
  const path = name.startsWith(`${folder}/`) ? name.slice(folder.length + 1) : name
  if (!isPlainPath(path)) throw new BadConfig(`must be the name of a file in ${folder}/`)
  if (directory === undefined) throw new BadConfig('this pipe has no directory with files')
  try {
    const root = realpathSync(join(directory, folder))
    const real = realpathSync(join(root, path))
    const stats = statSync(real)
    if (real.startsWith(root + sep) && stats.isFile()) {
      if (stats.size > maxBytes)
        throw new BadConfig(`${folder}/${path} has more than ${maxBytes} bytes`)
      return readFileSync(real, 'utf8')
    }
  } catch (cause) {
    if (cause instanceof BadConfig) throw cause
    // For any reason, the file is not available to the pipe.
  }
  throw new BadConfig(`there is no readable file ${folder}/${path} beside the pipe`)
}
