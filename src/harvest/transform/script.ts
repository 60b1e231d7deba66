/** `transforming-js`: a JavaScript function converts every record to JSON-LD, which becomes N-Triples. */

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { Failure } from '../../errors.ts'
import type { SegmentContext, SegmentKind, SegmentPlace } from '../../pipe/segment.ts'
import { BadConfig, configProblemOf, readPipeFile } from './pipe-files.ts'
import { placeholderIri } from './record-quads.ts'
import {
  checkRepository,
  paramsText,
  scriptConfig,
  type ScriptConfig,
  fetchScriptText,
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
import { configProblems, configSchema } from '../../pipe/segment-config.ts'
import { SingleFlight } from '../../workers/single-flight.ts'

/**
 * Segment whose script defines `transforming(input)`, which gets a record as JSON (RDF as expanded JSON-LD) and returns JSON-LD
 * as object or text. Before the run requests its first record, the script is evaluated for a check; then again for every record,
 * or with `single` once per worker.
 */
export const scriptTransformer = (deps: TransformDeps): SegmentKind => ({
  names: ['transforming-js', 'transforming-javascript'],
  job: 'transform',
  schema: () => configSchema(scriptConfig),
  open: (rawConfig, place) => {
    const parsed = scriptConfig.safeParse(rawConfig)
    if (!parsed.success) return { ok: false, problems: configProblems(parsed.error) }
    const config = parsed.data
    const params = configProblemOf('params', () => paramsText(config))
    const origin = configProblemOf(originKeys[config.scriptType], () =>
      originOf(config, place, deps),
    )
    const problems = [params, origin].filter(
      (result) => typeof result === 'object' && 'detail' in result,
    )
    if (typeof params !== 'string' || 'detail' in origin) return { ok: false, problems }
    const script = { origin, params, single: config.single }
    return {
      ok: true,
      run: transformer((context, signal) => open(script, deps, context, signal)),
      outputHash: outputHashOf(script),
    }
  },
})

/** Text of the script, or the repository to fetch it from. */
type Origin = { readonly text: string } | { readonly repository: ScriptRepository }

/** A script, the JSON text of its `params`, and whether one instance of it handles all records of a worker (`single`). */
type Script = { readonly origin: Origin; readonly params: string; readonly single: boolean }

/** Config key with the script, by `scriptType`. */
const originKeys = { embedded: 'script', localFile: 'path', repository: 'repository' } as const

/** Origin of the script. Throws `BadConfig`. */
function originOf(
  { scriptType, script = '', path, repository }: ScriptConfig,
  { directory }: SegmentPlace,
  deps: TransformDeps,
): Origin {
  const maxBytes = deps.limits.sourceBytes
  if (scriptType === 'localFile') {
    if (path === undefined) throw new BadConfig('must be a file in scripts/')
    return { text: readPipeFile({ directory, folder: 'scripts', name: path, maxBytes }) }
  }
  if (scriptType === 'repository') {
    if (!repository) throw new BadConfig('must have uri and script')
    checkRepository(repository, deps)
    return { repository }
  }
  if (script.trim() === '') throw new BadConfig('must be the text of the script')
  if (Buffer.byteLength(script) > maxBytes) throw new BadConfig(`has more than ${maxBytes} bytes`)
  return { text: script }
}

/**
 * Hash of a script, its params and `single`; the 1 is the version of this transformer: a new one writes all records again. The
 * content of a git repository is unknown before the run; address, branch and path
 * are used instead.
 */
const outputHashOf = ({ origin, params, single }: Script): string => {
  const { uri, branch, script } = 'repository' in origin ? origin.repository : {}
  const text = 'text' in origin ? origin.text : [uri, branch, script]
  return createHash('sha256')
    .update(JSON.stringify([1, text, params, single]))
    .digest('hex')
}

/**
 * Fetches the script if necessary, starts its worker and checks that it can be evaluated. Throws failures of the fetch, and
 * `invalid-pipe` if it cannot run.
 */
async function open(
  { origin, params, single }: Script,
  deps: TransformDeps,
  { log, runId, pipe }: SegmentContext,
  signal: AbortSignal,
): Promise<RunTransformer> {
  const { limits, now } = deps
  const source =
    'text' in origin ? origin.text : await fetchScriptText(origin.repository, deps, signal)
  const settings: ScriptSettings = {
    language: await compiled.get('language', () => compile()),
    source,
    params,
    single,
    now: now(),
    // The same seed in every run of a pipe, so that unchanged records give equal results.
    seed: createHash('sha256').update(pipe).digest().readInt32LE(),
    limits,
  }
  let lines = 0
  const worker = transformWorker<ScriptCalls>({
    entry: new URL('./script-worker.ts', import.meta.url),
    data: settings,
    // The interpreter uses the stack of the thread.
    stackMb: 16,
    callMs: limits.scriptMs + limits.graceMs,
    // Console lines go to the log of the process, up to a limit per run.
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

// Compiled interpreter, held until the process ends.

/**
 * Compiled interpreter, shared by all workers. It is held because V8 frees compiled code with the last thread that uses it,
 * which can crash Node 24 (nodejs/node issue 64500).
 */
const compiled = new SingleFlight<'language', WebAssembly.Module>({ keepMs: Infinity })

/** Compiles the interpreter from its package. */
async function compile(): Promise<WebAssembly.Module> {
  // The file belongs to a dependency of the interpreter's package.
  const requireNear = createRequire(import.meta.resolve('quickjs-emscripten'))
  const path = requireNear.resolve('@jitl/quickjs-wasmfile-release-sync/wasm')
  return WebAssembly.compile(await readFile(path))
}
