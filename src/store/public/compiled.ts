/**
 * Keeps the engine's compiled code for the life of the process. V8 shares one compiled module between threads and frees it
 * with the last of them, or piece by piece while it runs; in Node 24 either can end the process (nodejs/node issue 64500).
 */

import { setFlagsFromString } from 'node:v8'
import 'oxigraph'

setFlagsFromString('--no-wasm-code-gc')
