/** The interpreter's code, compiled once and kept for the life of the process. */

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

let compiled: Promise<WebAssembly.Module> | undefined

/**
 * Shared by all workers. V8 frees compiled code with the last thread that uses it, which can end the process in Node 24
 * (nodejs/node issue 64500): that is why it is held here.
 */
export const language = (): Promise<WebAssembly.Module> => (compiled ??= compile())

async function compile(): Promise<WebAssembly.Module> {
  // The code is a file of a package that the interpreter's own package brings along.
  const near = createRequire(import.meta.resolve('quickjs-emscripten'))
  const path = near.resolve('@jitl/quickjs-wasmfile-release-sync/wasm')
  return WebAssembly.compile(await readFile(path))
}
