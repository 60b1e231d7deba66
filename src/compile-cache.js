/**
 * Keeps what Node compiles beside the packages, for all threads (`--import` runs this in each): from the second start on none
 * of them loads the type stripper, which is 13 MB in every one. Plain JavaScript, because that would load it too.
 */

import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'

// The embedded store sets this, and V8 keeps what was compiled under other flags apart: threads that start later, and a start
// on another store, would find nothing.
setFlagsFromString('--no-wasm-code-gc')
// Not in the system's temporary folder, where others could lay code for us. Where nothing can be written nothing is kept.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'))
