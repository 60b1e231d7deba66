/** Files beside a pipe: scripts and queries in the directory of its source, and nothing outside of it. */

import { readFileSync, realpathSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'

/** Says what is wrong, in words for whoever wrote the pipe. */
export class NoSuchFile extends Error {}

export type Beside = {
  /** Of the pipe's source. */
  readonly directory: string | undefined
  /** Folder in it, such as `scripts`. */
  readonly folder: string
  /** Path below the folder. */
  readonly name: string
  readonly most: number
}

const step = /^[\w-][\w .-]*$/

/** Whether a path has plain names only: nothing that climbs, hides or begins at the root. */
export const isPlainPath = (path: string): boolean =>
  path.length <= 500 && path.split('/').every((name) => step.test(name))

/** The text of the file. Links are followed as far as they stay in the folder. Throws `NoSuchFile`. */
export function textBeside({ directory, folder, name, most }: Beside): string {
  const path = name.startsWith(`${folder}/`) ? name.slice(folder.length + 1) : name
  if (!isPlainPath(path)) throw new NoSuchFile(`must be the name of a file in ${folder}/`)
  if (directory === undefined) throw new NoSuchFile('this pipe has no directory with files')
  try {
    const root = realpathSync(join(directory, folder))
    const real = realpathSync(join(root, path))
    const stats = statSync(real)
    if (real.startsWith(root + sep) && stats.isFile()) {
      if (stats.size > most) throw new NoSuchFile(`${folder}/${path} has more than ${most} bytes`)
      return readFileSync(real, 'utf8')
    }
  } catch (cause) {
    if (cause instanceof NoSuchFile) throw cause
    // Whatever the reason is, the file is not there for the pipe.
  }
  throw new NoSuchFile(`there is no readable file ${folder}/${path} beside the pipe`)
}
