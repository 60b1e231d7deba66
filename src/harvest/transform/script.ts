/** `transforming-js`: a script of the operator's makes JSON-LD of every record. */

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { Failure } from '../../errors.ts'
import type { SegmentContext, SegmentKind, SegmentPlace } from '../../pipe/segment.ts'
import { BadConfig, orProblem, textBeside } from './pipe-files.ts'
import { placeholderIri } from './record-quads.ts'
import {
  checkRepository,
  paramsText,
  scriptConfig,
  type ScriptConfig,
  scriptOf,
  type ScriptRepository,
} from './script-repository.ts'
import type { ScriptSettings } from './script-sandbox.ts'
import type { ScriptCalls } from './script-worker.ts'
import {
  type TransformDeps,
  transformer,
  transformWorker,
  type RunTransformer,
} from './transformer.ts'
import { configProblems, configSchema } from '../segment-config.ts'

/**
 * A script defines `transforming(input)`, gets a record as JSON (RDF as expanded JSON-LD) and returns JSON-LD, as an object
 * or as text. It is tried once before the run asks for its first record.
 */
export const scriptTransformer = (deps: TransformDeps): SegmentKind => ({
  names: ['transforming-js', 'transforming-javascript'],
  job: 'transform',
  schema: () => configSchema(scriptConfig),
  open: (given, place) => {
    const read = scriptConfig.safeParse(given)
    if (!read.success) return { ok: false, problems: configProblems(read.error) }
    const config = read.data
    const params = orProblem('params', () => paramsText(config))
    const origin = orProblem(originKeys[config.scriptType], () => originOf(config, place, deps))
    const problems = [params, origin].filter((one) => typeof one === 'object' && 'detail' in one)
    if (typeof params !== 'string' || 'detail' in origin) return { ok: false, problems }
    const script = { origin, params, single: config.single }
    return {
      ok: true,
      run: transformer((context, signal) => open(script, deps, context, signal)),
      shape: shapeOf(script),
    }
  },
})

/** The text, or where it is fetched from when a run begins. */
type Origin = { readonly text: string } | { readonly repository: ScriptRepository }

/** A script with what it is called with. */
type Script = { readonly origin: Origin; readonly params: string; readonly single: boolean }

/** The key of the config that tells the script, for each `scriptType`. */
const originKeys = { embedded: 'script', localFile: 'path', repository: 'repository' } as const

/** Throws `BadConfig`. */
function originOf(
  { scriptType, script = '', path, repository }: ScriptConfig,
  { directory }: SegmentPlace,
  deps: TransformDeps,
): Origin {
  const most = deps.limits.sourceBytes
  if (scriptType === 'localFile') {
    if (path === undefined) throw new BadConfig('must be a file in scripts/')
    return { text: textBeside({ directory, folder: 'scripts', name: path, most }) }
  }
  if (scriptType === 'repository') {
    if (!repository) throw new BadConfig('must have uri and script')
    checkRepository(repository, deps)
    return { repository }
  }
  if (script.trim() === '') throw new BadConfig('must be the text of the script')
  if (Buffer.byteLength(script) > most) throw new BadConfig(`has more than ${most} bytes`)
  return { text: script }
}

/** Shape of a script. The content of a git repository is known only when the run begins; until then its address stands for it. */
const shapeOf = ({ origin, params, single }: Script): string => {
  const { uri, branch, script } = 'repository' in origin ? origin.repository : {}
  const text = 'text' in origin ? origin.text : [uri, branch, script]
  return createHash('sha256')
    .update(JSON.stringify([1, text, params, single]))
    .digest('hex')
}

/** Fetches the script where it is elsewhere, and tries it. Throws `invalid-pipe` when it cannot run. */
async function open(
  { origin, params, single }: Script,
  deps: TransformDeps,
  { log, runId, pipe }: SegmentContext,
  signal: AbortSignal,
): Promise<RunTransformer> {
  const { limits, now } = deps
  const source = 'text' in origin ? origin.text : await scriptOf(origin.repository, deps, signal)
  const settings: ScriptSettings = {
    language: await language(),
    source,
    params,
    single,
    now: now(),
    // The same dice in every run of a pipe: what has not changed shall not look as if it had.
    seed: createHash('sha256').update(pipe).digest().readInt32LE(),
    limits,
  }
  let lines = 0
  const worker = transformWorker<ScriptCalls>({
    entry: new URL('./script-worker.ts', import.meta.url),
    data: settings,
    // The interpreter runs on the thread's own stack.
    stackMb: 16,
    callMs: limits.scriptMs + limits.graceMs,
    // What the script says goes to the log of the run, so many lines and no more.
    onEvent: (line) => {
      lines += 1
      if (lines <= limits.logLines) log.info({ run: runId, pipe, line }, 'script.said')
    },
  })
  try {
    await worker.call('check', undefined, signal)
  } catch (error) {
    await worker.close()
    if (!(error instanceof Failure) || !error.kind.startsWith('transform-')) throw error
    throw new Failure('invalid-pipe', `the script cannot be run: ${error.detail}`, { cause: error })
  }
  return {
    transform: ({ mediaType, text, sourceUrl }, bound) =>
      worker.call('transform', { mediaType, text, baseIri: sourceUrl ?? placeholderIri }, bound),
    close: () => worker.close(),
  }
}

// The interpreter's code, compiled once and kept for the life of the process.

let compiled: Promise<WebAssembly.Module> | undefined

/**
 * Shared by all workers. V8 frees compiled code with the last thread that uses it, which can end the process in Node 24
 * (nodejs/node issue 64500): that is why it is held here.
 */
const language = (): Promise<WebAssembly.Module> => (compiled ??= compile())

/** The interpreter's WebAssembly, out of its package. */
async function compile(): Promise<WebAssembly.Module> {
  // The code is a file of a package that the interpreter's own package brings along.
  const near = createRequire(import.meta.resolve('quickjs-emscripten'))
  const path = near.resolve('@jitl/quickjs-wasmfile-release-sync/wasm')
  return WebAssembly.compile(await readFile(path))
}
