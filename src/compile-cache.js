/**
 * Keeps what Node compiles beside the packages, for all threads in which `--import` runs this (not in isolated workers, see
 * `workers/pool.ts`): from the second start on none of them loads the type stripper, which takes 13 MB in each. Plain JavaScript,
 * because TypeScript would load it too.
 */

import module from 'node:module'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'

// `store/embedded/engine.ts` sets this where it is loaded, and V8 keeps what was compiled under other flags apart: without this
// line, threads that start later, and a start on another store, would find nothing.
setFlagsFromString('--no-wasm-code-gc')
// Not in the system's temporary folder, where others could lay code for us. Where nothing can be written nothing is kept.
module.enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'))
