/** Faults of the file system that a test brings about for all modules of its process. */

import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/** Makes a call of `node:fs/promises` reject for paths that match, until the result is called. */
export function failingFiles(name: 'readFile' | 'readdir', path: RegExp): () => void {
  const { [name]: real } = fs.promises
  const failing = (...[at, ...more]: readonly unknown[]) =>
    path.test(String(at))
      ? Promise.reject(new Error(`EMFILE: ${String(at)}`))
      : Reflect.apply(real, fs.promises, [at, ...more])
  const put = (call: unknown) => {
    Object.assign(fs.promises, { [name]: call })
    syncBuiltinESMExports()
  }
  put(failing)
  return () => put(real)
}
