/** Runs a script in QuickJS, compiled to WebAssembly, without access to anything but the language. */

import {
  newQuickJSWASMModule,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSWASMModule,
  RELEASE_SYNC,
  Scope,
} from 'quickjs-emscripten'
import { Failure } from '../../errors.ts'
import { prelude } from './script-prelude.ts'
import type { TransformLimits } from './transformer.ts'

/** Interpreter and script of an instance; `clock` in ms, `say` receives console lines. */
type InstanceOptions = {
  readonly engine: QuickJSWASMModule
  readonly settings: ScriptSettings
  readonly clock: () => number
  readonly say: (line: string) => void
}

/** Context with prelude and script. Throws `Failure` for errors of the script, other errors for a broken interpreter. */
class Instance {
  readonly #scope = new Scope()
  readonly #limits: TransformLimits
  readonly #clock: () => number
  readonly #context: QuickJSContext
  readonly #call: QuickJSHandle
  readonly #transforming: QuickJSHandle
  /** Deadline of the current call in ms. */
  #deadline = 0
  #isOver = false

  constructor({ engine, settings, clock, say }: InstanceOptions) {
    const { source, params, now, seed, limits } = settings
    const { scriptBytes, stackBytes, logLines, logCharacters, recordBytes: most } = limits
    this.#limits = limits
    this.#clock = clock
    try {
      const bounds = { memoryLimitBytes: scriptBytes, maxStackSizeBytes: stackBytes }
      const runtime = this.#scope.manage(engine.newRuntime(bounds))
      // Called by the interpreter every few thousand steps.
      runtime.setInterruptHandler(() => (this.#isOver ||= clock() > this.#deadline))
      this.#startTimer()
      const context = this.#scope.manage(runtime.newContext())
      this.#context = context
      const print = this.#scope.manage(
        context.newFunction('print', (line) => {
          if (context.typeof(line) === 'string') say(context.getString(line))
        }),
      )
      const settingsText = JSON.stringify({ now, seed, logLines, logCharacters, most })
      const preludeFunction = this.#evaluate(prelude, 'prelude.js')
      const options = this.#evaluate(`(${settingsText})`, 'prelude.js')
      const paramsHandle = this.#scope.manage(context.newString(params))
      // Functions of the prelude, which the script cannot access.
      const preludeFunctions = this.#scope.manage(
        this.#callFunction(preludeFunction, [print, paramsHandle, options]),
      )
      this.#call = this.#scope.manage(context.getProp(preludeFunctions, 'call'))
      this.#evaluate(
        source,
        'script.js',
        this.#scope.manage(context.getProp(preludeFunctions, 'reason')),
      )
      const find = "typeof transforming === 'function' ? transforming : undefined"
      this.#transforming = this.#evaluate(find, 'prelude.js')
      if (context.typeof(this.#transforming) !== 'function')
        throw new Failure('transform-failed', 'the script defines no function transforming(input)')
    } catch (error) {
      // Disposal after a failed script may break the interpreter; that error takes precedence.
      this.dispose()
      throw error
    }
  }

  /** Calls the script with a JSON text; returns its JSON text. */
  run(input: string): string {
    this.#startTimer()
    const text = this.#context.newString(input)
    try {
      const answer = this.#callFunction(this.#call, [this.#transforming, text])
      return answer.consume((handle) => outputOf(this.#context.getString(handle), this.#limits))
    } finally {
      text.dispose()
    }
  }

  dispose(): void {
    this.#scope.dispose()
  }

  #startTimer(): void {
    this.#deadline = this.#clock() + this.#limits.scriptMs
    this.#isOver = false
  }

  #callFunction(code: QuickJSHandle, values: QuickJSHandle[]): QuickJSHandle {
    const result = this.#context.callFunction(code, this.#context.undefined, values)
    if (result.error) throw this.#failure(result.error)
    return result.value
  }

  /** Evaluates code named `name`; `reason` is the function of the prelude that formats an error. */
  #evaluate(code: string, name: string, reason?: QuickJSHandle): QuickJSHandle {
    const result = this.#context.evalCode(code, name)
    if (result.error) throw this.#failure(result.error, reason)
    return this.#scope.manage(result.value)
  }

  /** Failure for an error; one that has no message, or that nothing formats, is taken for a lack of memory. */
  #failure(error: QuickJSHandle, reason?: QuickJSHandle): Failure {
    const context = this.#context
    const message = this.#isOver
      ? undefined
      : reason && context.callFunction(reason, context.undefined, [error])
    error.dispose()
    if (this.#isOver)
      return new Failure(
        'transform-timeout',
        `the script took more than ${this.#limits.scriptMs} ms`,
      )
    const detail =
      message && !message.error && message.value.consume((handle) => context.getString(handle))
    message?.error?.dispose()
    return new Failure(
      'transform-failed',
      detail || 'the script needs more memory than it may have',
    )
  }
}

/** Decodes what `call` of the prelude returned, by its first letter. Throws `Failure`. */
function outputOf(answer: string, { recordBytes: most }: TransformLimits): string {
  const [resultType, text] = [answer.slice(0, 1), answer.slice(1)]
  if (resultType === 'n') throw new Failure('transform-empty', 'the script gave nothing')
  if (resultType === 'l' || (resultType === 'o' && Buffer.byteLength(text) > most))
    throw new Failure('transform-failed', `the script gave more than ${most} bytes`)
  if (resultType === 'o') return text
  throw new Failure('transform-failed', text)
}

/** Interpreter of one worker. */
type Sandbox = {
  /** Evaluates the script in a fresh context and discards it. Throws transform-failed or transform-timeout. */
  check(): void
  /** Calls the script with a JSON text. Throws the failures of `check`, and transform-empty. */
  run(input: string): string
  /** Whether the interpreter must be replaced: it broke, or holds too much memory (not if `single`, to keep its state). */
  isSpent(): boolean
  /** Console lines since the last call. */
  lines(): readonly string[]
}

/** Size of a WebAssembly memory page. */
const pageBytes = 65_536
/** Initial memory pages of the interpreter. */
const initialPages = 256
/** Memory above which the interpreter is replaced, because WebAssembly memory never shrinks. */
const spentBytes = 48 * 2 ** 20

/** Opens the sandbox of a worker; `clock` in ms. */
export async function openSandbox(settings: ScriptSettings, clock: () => number): Promise<Sandbox> {
  const { limits, language, single } = settings
  // Includes the stack and the texts passed in and out, which `scriptBytes` does not bound.
  const maximum =
    initialPages + Math.ceil((limits.scriptBytes * 2 + limits.recordBytes * 8) / pageBytes)
  const wasmMemory = new WebAssembly.Memory({ initial: initialPages, maximum })
  const variant = newVariant(RELEASE_SYNC, { wasmModule: language, wasmMemory })
  const engine = await newQuickJSWASMModule(variant)
  let consoleLines: string[] = []
  const say = (line: string) => {
    if (consoleLines.length < limits.logLines)
      consoleLines.push(line.slice(0, limits.logCharacters))
  }
  let isBroken = false
  const guarded = <Value>(work: () => Value): Value => {
    try {
      return work()
    } catch (cause) {
      if (cause instanceof Failure) throw cause
      // WebAssembly trap: out of memory or stack, or a failed assertion of the interpreter.
      isBroken = true
      throw new Failure('transform-failed', 'the script needs more than it may have', { cause })
    }
  }
  const open = () => guarded(() => new Instance({ engine, settings, clock, say }))
  const close = (instance: Instance) => {
    try {
      instance.dispose()
    } catch {
      // The result of the record is valid; only the interpreter is lost.
      isBroken = true
    }
  }
  let sharedInstance: Instance | undefined
  return {
    check: () => close(open()),
    run: (input) => {
      const instance = sharedInstance ?? open()
      if (single) sharedInstance = instance
      try {
        return guarded(() => instance.run(input))
      } finally {
        if (!single) close(instance)
      }
    },
    isSpent: () => isBroken || (!single && wasmMemory.buffer.byteLength > spentBytes),
    lines: () => {
      const lines = consoleLines
      consoleLines = []
      return lines
    },
  }
}

// Data with which the worker starts.

/** Settings of a script worker. */
export type ScriptSettings = {
  /** Compiled interpreter, shared by all workers. */
  readonly language: WebAssembly.Module
  readonly source: string
  /** JSON text of the global `params`. */
  readonly params: string
  /** Whether one instance with its state handles all records of a worker, instead of one per record. */
  readonly single: boolean
  /** Result of `Date.now()` in the script, in ms. */
  readonly now: number
  /** Seed of `Math.random()` in the script, 32 bits. */
  readonly seed: number
  readonly limits: TransformLimits
}
