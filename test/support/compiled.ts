/** Keeps Node's own compiled type stripper in the test process, for the reason that the store keeps its engine. */

import { stripTypeScriptTypes } from 'node:module'
import { setFlagsFromString } from 'node:v8'

setFlagsFromString('--no-wasm-code-gc')
stripTypeScriptTypes('export const kept: string = ""')
