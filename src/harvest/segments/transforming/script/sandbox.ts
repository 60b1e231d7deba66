/** A script in an interpreter of its own, compiled to WebAssembly: nothing is inside but the language. */

import { newQuickJSWASMModule, newVariant, RELEASE_SYNC } from 'quickjs-emscripten'
import { Failure } from '../../../../errors.ts'
import { instanceOf, type Instance } from './instance.ts'
import type { ScriptSettings } from './messages.ts'

export type Sandbox = {
  /** Evaluates the script in a fresh place and forgets it. Throws `Failure` transform-failed or transform-timeout. */
  check(): void
  /** The JSON text that the script makes of a JSON text. Throws like `check`, and `Failure` transform-empty. */
  run(input: string): string
  /** Whether the interpreter must not be used again: it broke, or holds more memory than one should keep. */
  isSpent(): boolean
  /** What was said since the last time. */
  lines(): readonly string[]
}

/** WebAssembly counts its memory in these. */
const pageBytes = 65_536
/** What the interpreter begins with. */
const initialPages = 256
/** Memory that may be kept: that of WebAssembly never shrinks. */
const keptBytes = 48 * 2 ** 20

/** `clock` in ms. */
export async function openSandbox(settings: ScriptSettings, clock: () => number): Promise<Sandbox> {
  const { limits, language, single } = settings
  // Room for what lies outside the heap of the script: the stack, and texts on their way in and out.
  const most = Math.ceil((limits.scriptBytes * 2 + limits.recordBytes * 8) / pageBytes)
  const wasmMemory = new WebAssembly.Memory({ initial: initialPages, maximum: initialPages + most })
  const variant = newVariant(RELEASE_SYNC, { wasmModule: language, wasmMemory })
  const engine = await newQuickJSWASMModule(variant)
  let said: string[] = []
  const say = (line: string) => {
    if (said.length < limits.logLines) said.push(line.slice(0, limits.logCharacters))
  }
  let isBroken = false
  const guarded = <Value>(work: () => Value): Value => {
    try {
      return work()
    } catch (cause) {
      if (cause instanceof Failure) throw cause
      // A trap: no memory, no stack, or an assertion of the interpreter that no longer holds.
      isBroken = true
      throw new Failure('transform-failed', 'the script needs more than it may have', { cause })
    }
  }
  const open = () => guarded(() => instanceOf({ engine, settings, clock, say }))
  const close = (instance: Instance) => {
    try {
      instance.dispose()
    } catch {
      // The record has its outcome; only the interpreter is lost.
      isBroken = true
    }
  }
  let kept: Instance | undefined
  return {
    check: () => close(open()),
    run: (input) => {
      const instance = kept ?? open()
      if (single) kept = instance
      try {
        return guarded(() => instance.call(input))
      } finally {
        if (!single) close(instance)
      }
    },
    isSpent: () => isBroken || (!single && wasmMemory.buffer.byteLength > keptBytes),
    lines: () => {
      const lines = said
      said = []
      return lines
    },
  }
}
