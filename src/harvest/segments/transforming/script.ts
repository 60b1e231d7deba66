/** `transforming-js`: a script of the operator's makes JSON-LD of every record. */

import { createHash } from 'node:crypto'
import { Failure } from '../../../errors.ts'
import type {
  ConfigProblem,
  SegmentContext,
  SegmentKind,
  SegmentPlace,
} from '../../../pipe/segment.ts'
import { fromFailureMessage } from '../../../store/embedded/messages.ts'
import { bench, type Bench } from './bench.ts'
import { NoSuchFile, textBeside } from './beside.ts'
import { nowhere } from './incoming.ts'
import {
  paramsText,
  scriptConfig,
  type ScriptConfig,
  type ScriptRepository,
} from './script/config.ts'
import { language } from './script/language.ts'
import type { ScriptJob, ScriptResult, ScriptSettings } from './script/messages.ts'
import { repositoryProblem, scriptOf } from './script/repository.ts'
import { schemaOf, transformer, type TransformDeps, type Work } from './transformer.ts'

/**
 * A script defines `transforming(input)`, gets a record as JSON (RDF as expanded JSON-LD) and returns JSON-LD, as an object
 * or as text. It is tried once before the run asks for its first record.
 */
export const scriptTransformer = (deps: TransformDeps): SegmentKind => ({
  names: ['transforming-js', 'transforming-javascript'],
  job: 'transform',
  schema: () => schemaOf(scriptConfig),
  open: (given, place) => {
    const read = scriptConfig.safeParse(given)
    if (!read.success) {
      const { issues } = read.error
      return {
        ok: false,
        problems: issues.map(({ path, message }) => ({ key: path.join('.'), detail: message })),
      }
    }
    const config = read.data
    const params = paramsText(config)
    const origin = originOf(config, place, deps)
    const problems = [
      ...(params === undefined ? [{ key: 'params', detail: 'must be an object or its JSON' }] : []),
      ...('key' in origin ? [origin] : []),
    ]
    if (params === undefined || 'key' in origin) return { ok: false, problems }
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

type Script = { readonly origin: Origin; readonly params: string; readonly single: boolean }

function originOf(
  config: ScriptConfig,
  place: SegmentPlace,
  deps: TransformDeps,
): Origin | ConfigProblem {
  const most = deps.limits.sourceBytes
  switch (config.scriptType) {
    case 'embedded': {
      const { script } = config
      if (script === undefined || script.trim() === '') {
        return { key: 'script', detail: 'must be the text of the script' }
      }
      return Buffer.byteLength(script) > most
        ? { key: 'script', detail: `has more than ${most} bytes` }
        : { text: script }
    }
    case 'localFile': {
      if (config.path === undefined) return { key: 'path', detail: 'must be a file in scripts/' }
      try {
        const { directory } = place
        return { text: textBeside({ directory, folder: 'scripts', name: config.path, most }) }
      } catch (error) {
        if (error instanceof NoSuchFile) return { key: 'path', detail: error.message }
        throw error
      }
    }
    case 'repository': {
      const { repository } = config
      if (!repository) return { key: 'repository', detail: 'must have uri and script' }
      return repositoryProblem(repository, deps) ?? { repository }
    }
    default:
      throw new Error(`unknown script type ${String(config.scriptType satisfies never)}`)
  }
}

/** What a repository holds is known when the run begins; until then its place stands for it. */
const shapeOf = ({ origin, params, single }: Script): string => {
  const { uri, branch, script } = 'repository' in origin ? origin.repository : {}
  const text = 'text' in origin ? origin.text : [uri, branch, script]
  return createHash('sha256')
    .update(JSON.stringify([1, text, params, single]))
    .digest('hex')
}

async function open(
  { origin, params, single }: Script,
  deps: TransformDeps,
  context: SegmentContext,
  signal: AbortSignal,
): Promise<Work> {
  const { limits, pause, now } = deps
  const source = 'text' in origin ? origin.text : await scriptOf(origin.repository, deps, signal)
  const settings: ScriptSettings = {
    language: await language(),
    source,
    params,
    single,
    now: now(),
    // The same dice in every run of a pipe: what has not changed shall not look as if it had.
    seed: createHash('sha256').update(context.pipe).digest().readInt32LE(),
    limits,
  }
  const worker = bench<ScriptJob, ScriptResult>({
    entry: new URL('./script/worker.ts', import.meta.url),
    workerData: settings,
    // The interpreter runs on the thread's own stack.
    resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32, stackSizeMb: 16 },
    jobMs: limits.scriptMs + limits.graceMs,
    pause,
  })
  const ask = asking(worker, context, limits.logLines)
  try {
    await ask('check', signal)
  } catch (error) {
    await worker.close()
    if (!(error instanceof Failure) || !error.kind.startsWith('transform-')) throw error
    throw new Failure('invalid-pipe', `the script cannot be run: ${error.detail}`, { cause: error })
  }
  return {
    transform: ({ mediaType, text, sourceUrl }, signal) =>
      ask({ mediaType, text, baseIri: sourceUrl ?? nowhere }, signal),
    close: () => worker.close(),
  }
}

/** One job after the other; what the script says goes to the log of the run, so many lines and no more. */
function asking(
  worker: Bench<ScriptJob, ScriptResult>,
  { log, runId, pipe }: SegmentContext,
  most: number,
) {
  let said = 0
  return async (job: ScriptJob, signal: AbortSignal): Promise<string> => {
    const { outcome, lines } = await worker.run(job, signal)
    // What was said while the script was only tried is said again.
    for (const line of job === 'check' ? [] : lines) {
      said += 1
      if (said > most) break
      log.info({ run: runId, pipe, line }, 'script.said')
    }
    if ('refusal' in outcome) throw fromFailureMessage(outcome.refusal)
    return outcome.text
  }
}
