/** A script in an interpreter of its own (QuickJS), compiled to WebAssembly: nothing is inside but the language. */

import {
  newQuickJSWASMModule,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSWASMModule,
  RELEASE_SYNC,
  Scope,
} from 'quickjs-emscripten'
import { Failure } from '../../errors.ts'
import { prelude } from './script-prelude.ts'
import type { TransformLimits } from './transformer.ts'

type Instance = {
  /** The JSON text that the script makes of a JSON text. */
  call(input: string): string
  dispose(): void
}

type Opening = {
  readonly engine: QuickJSWASMModule
  readonly settings: ScriptSettings
  readonly clock: () => number
  readonly say: (line: string) => void
}

/** Throws `Failure` for what the script does, anything else for a broken interpreter. */
function instanceOf({ engine, settings, clock, say }: Opening): Instance {
  const { limits } = settings
  const scope = new Scope()
  const runtime = scope.manage(
    engine.newRuntime({
      memoryLimitBytes: limits.scriptBytes,
      maxStackSizeBytes: limits.stackBytes,
    }),
  )
  const context = scope.manage(runtime.newContext())
  const place = placeOf({ scope, context, time: timeOf(runtime, limits.scriptMs, clock) })
  try {
    const print = context.newFunction('print', (line) => {
      if (context.typeof(line) === 'string') say(context.getString(line))
    })
    const { call, reason } = prepared(place, settings, scope.manage(print))
    place.evaluated(settings.source, 'script.js', reason)
    const find = "typeof transforming === 'function' ? transforming : undefined"
    const transforming = place.evaluated(find, 'prelude.js')
    if (context.typeof(transforming) !== 'function') {
      throw new Failure('transform-failed', 'the script defines no function transforming(input)')
    }
    return {
      call: (input) => {
        place.time.start()
        const text = context.newString(input)
        try {
          const answer = place.called(call, [transforming, text])
          return answer.consume((handle) => read(context.getString(handle), limits.recordBytes))
        } finally {
          text.dispose()
        }
      },
      dispose: () => scope.dispose(),
    }
  } catch (error) {
    // What a broken script leaves behind may break the interpreter as well, which is the worse news.
    scope.dispose()
    throw error
  }
}

/** The functions of the prelude, which the script does not see. */
function prepared(place: Place, settings: ScriptSettings, print: QuickJSHandle) {
  const { scope, context, evaluated, called } = place
  const { now, seed, params, limits } = settings
  const { logLines, logCharacters, recordBytes: most } = limits
  const told = JSON.stringify({ now, seed, logLines, logCharacters, most })
  const make = evaluated(prelude, 'prelude.js')
  const options = evaluated(`(${told})`, 'prelude.js')
  const given = scope.manage(context.newString(params))
  const made = scope.manage(called(make, [print, given, options]))
  return {
    call: scope.manage(context.getProp(made, 'call')),
    reason: scope.manage(context.getProp(made, 'reason')),
  }
}

/** What the prelude answers, as text or as a `Failure`. */
function read(answer: string, most: number): string {
  const [sign, text] = [answer.slice(0, 1), answer.slice(1)]
  if (sign === 'n') throw new Failure('transform-empty', 'the script gave nothing')
  if (sign === 'l' || (sign === 'o' && Buffer.byteLength(text) > most)) {
    throw new Failure('transform-failed', `the script gave more than ${most} bytes`)
  }
  if (sign === 'o') return text
  throw new Failure('transform-failed', text)
}

/** The running time of the script, from the last `start`. */
function timeOf(runtime: QuickJSRuntime, ms: number, clock: () => number) {
  let end = clock() + ms
  let isOver = false
  // Asked by the interpreter every few thousand steps.
  runtime.setInterruptHandler(() => {
    isOver ||= clock() > end
    return isOver
  })
  return {
    ms,
    isOver: () => isOver,
    start: () => {
      end = clock() + ms
      isOver = false
    },
  }
}

type Ground = {
  readonly scope: Scope
  readonly context: QuickJSContext
  readonly time: ReturnType<typeof timeOf>
}
type Place = ReturnType<typeof placeOf>

/** Code and calls in a context, with what goes wrong as a `Failure`. */
function placeOf({ scope, context, time }: Ground) {
  const failure = (error: QuickJSHandle, reason: QuickJSHandle | undefined) => {
    const words = time.isOver() ? undefined : reason && said(context, reason, error)
    error.dispose()
    return time.isOver()
      ? new Failure('transform-timeout', `the script took more than ${time.ms} ms`)
      : new Failure('transform-failed', words ?? 'the script needs more memory than it may have')
  }
  const called = (what: QuickJSHandle, values: QuickJSHandle[]): QuickJSHandle => {
    const result = context.callFunction(what, context.undefined, values)
    if (result.error) throw failure(result.error, undefined)
    return result.value
  }
  /** `reason` puts an error of the code into words. */
  const evaluated = (code: string, name: string, reason?: QuickJSHandle): QuickJSHandle => {
    const result = context.evalCode(code, name)
    if (result.error) throw failure(result.error, reason)
    return scope.manage(result.value)
  }
  return { scope, context, time, called, evaluated }
}

function said(
  context: QuickJSContext,
  reason: QuickJSHandle,
  error: QuickJSHandle,
): string | undefined {
  const result = context.callFunction(reason, context.undefined, [error])
  if (!result.error) return result.value.consume((handle) => context.getString(handle))
  result.error.dispose()
  return undefined
}

// A script in an interpreter of its own, compiled to WebAssembly: nothing is inside but the language.

type Sandbox = {
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

// What the worker of a script is told, and what it answers.

/** The one thing that a worker of this kind does in its life. */
export type ScriptSettings = {
  /** The compiled language, shared by all workers. */
  readonly language: WebAssembly.Module
  readonly source: string
  /** JSON text of the global `params`. */
  readonly params: string
  /** One instance for all records, which remembers. */
  readonly single: boolean
  /** What `Date.now()` answers, in ms. */
  readonly now: number
  /** Where `Math.random()` begins; 32 bits. */
  readonly seed: number
  readonly limits: TransformLimits
}
