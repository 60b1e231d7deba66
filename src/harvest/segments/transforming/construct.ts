/** `transforming-sparql`: queries make every record anew, or change it. */

import { createHash } from 'node:crypto'
import { Failure } from '../../../errors.ts'
import type { ConfigProblem, SegmentKind, SegmentPlace } from '../../../pipe/segment.ts'
import { fromFailureMessage } from '../../../store/embedded/messages.ts'
import { bench } from './bench.ts'
import { NoSuchFile, textBeside } from './beside.ts'
import { constructConfig, type QueryConfig } from './construct/config.ts'
import type { ConstructJob, ConstructResult, ConstructSettings } from './construct/messages.ts'
import { BadQuery, recordQuery, type RecordQuery } from './construct/query.ts'
import { nowhere } from './incoming.ts'
import { schemaOf, transformer, type TransformDeps, type Work } from './transformer.ts'

/** Memory of the engine for one record; loading takes 320 MB of addresses, and little of them in truth. */
const engineBytes = 1024 * 2 ** 20

/** CONSTRUCT gives the record, an update changes it; `$identifier`, `$catalogue` and `$address` are known to both. */
export const constructTransformer = (
  deps: Pick<TransformDeps, 'limits' | 'pause'>,
): SegmentKind => ({
  names: ['transforming-sparql', 'transforming-construct'],
  job: 'transform',
  schema: () => schemaOf(constructConfig),
  open: (given, place) => {
    const read = constructConfig.safeParse(given)
    if (!read.success) {
      const { issues } = read.error
      return {
        ok: false,
        problems: issues.map(({ path, message }) => ({ key: path.join('.'), detail: message })),
      }
    }
    const { query, queries = [], keep } = read.data
    const told = [
      ...(query === undefined ? [] : [{ key: 'query', query }]),
      ...queries.map((query, index) => ({ key: `queries.${index}`, query })),
    ]
    if (told.length === 0) {
      return { ok: false, problems: [{ key: 'query', detail: 'must be a query or its file' }] }
    }
    const asked = told.map(({ key, query }) => askedBy(key, query, place, deps))
    const problems = asked.filter((one) => 'detail' in one)
    if (problems.length > 0) return { ok: false, problems }
    const usable = asked.filter((one) => 'textFor' in one)
    const { catalogue } = place
    return {
      ok: true,
      run: transformer(async () => {
        // Only now: the engine's code stays for the life of the process, although only workers run it.
        const { boundedEngine } = await import('../../../store/embedded/engine.ts')
        const settings: ConstructSettings = { engine: boundedEngine(engineBytes) }
        return open({ asked: usable, keep, catalogue }, settings, deps)
      }),
      shape: createHash('sha256')
        .update(JSON.stringify([1, keep, usable.map(({ text }) => text)]))
        .digest('hex'),
    }
  },
})

function askedBy(
  key: string,
  query: QueryConfig,
  { directory }: SegmentPlace,
  { limits: { sourceBytes: most } }: Pick<TransformDeps, 'limits'>,
): RecordQuery | ConfigProblem {
  try {
    const text =
      typeof query === 'string'
        ? query
        : textBeside({ directory, folder: 'sparql', name: query.file, most })
    if (Buffer.byteLength(text) > most) return { key, detail: `has more than ${most} bytes` }
    return recordQuery(text)
  } catch (error) {
    if (error instanceof BadQuery || error instanceof NoSuchFile) {
      return { key, detail: error.message }
    }
    throw error
  }
}

type Queries = {
  readonly asked: readonly RecordQuery[]
  readonly keep: boolean
  readonly catalogue: string | undefined
}

function open(
  { asked, keep, catalogue }: Queries,
  settings: ConstructSettings,
  { limits, pause }: Pick<TransformDeps, 'limits' | 'pause'>,
): Work {
  const worker = bench<ConstructJob, ConstructResult>({
    entry: new URL('./construct/worker.ts', import.meta.url),
    workerData: settings,
    resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 },
    // The engine cannot be interrupted: its time is that of the worker.
    jobMs: limits.scriptMs,
    pause,
  })
  return {
    transform: async ({ sourceId, originalId, sourceUrl, mediaType, text }, signal) => {
      const known = { identifier: originalId ?? sourceId, catalogue, address: sourceUrl }
      const queries = asked.map(({ kind, textFor }) => ({ kind, text: boundBy(textFor, known) }))
      const baseIri = sourceUrl ?? nowhere
      const job = { mediaType, text, baseIri, queries, keep, most: limits.triples }
      const result = await worker.run(job, signal)
      if ('refusal' in result) throw fromFailureMessage(result.refusal)
      return result.text
    },
    close: () => worker.close(),
  }
}

/** Ids that no query can hold, such as half a character, are the record's own fault. */
function boundBy(textFor: RecordQuery['textFor'], known: Parameters<RecordQuery['textFor']>[0]) {
  try {
    return textFor(known)
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    throw new Failure('transform-failed', 'an id of the record cannot stand in a query', { cause })
  }
}
