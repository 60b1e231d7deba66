/**
 * Says in one sentence that Node is too old, before anything is loaded that only a newer one can read. Then keeps what Node
 * compiles beside the packages, for all threads in which `--import` runs this (not in isolated workers, see `workers/pool.ts`):
 * from the second start on none of them loads the type stripper, which takes 13 MB in each. Plain JavaScript, because TypeScript
 * would load it too.
 */

import module from 'node:module'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'

const [major = 0] = process.versions.node.split('.').map(Number)
if (major < 24) {
  process.stderr.write(
    `Cartulary needs Node 24 or newer, and this is Node ${process.versions.node}. On Linux (x64, arm64) "npm ci" brings it along ` +
      'and the commands "npm run …" use it; elsewhere install Node 24 from https://nodejs.org.\n',
  )
  process.exit(1)
}

// `store/embedded/engine.ts` sets this where it is loaded, and V8 keeps what was compiled under other flags apart: without this
// line, threads that start later, and a start on another store, would find nothing.
setFlagsFromString('--no-wasm-code-gc')
// Not in the system's temporary folder, where others could lay code for us. Where nothing can be written nothing is kept.
module.enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'))
