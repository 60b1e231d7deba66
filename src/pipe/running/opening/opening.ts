/** From a pipe to the steps that run it. */

import { Failure, shown } from '../../../errors.ts'
import { configured } from '../../configure.ts'
import type { Resolution } from '../../discovery.ts'
import type { Pipe, Segment } from '../../document.ts'
import { deadlinesOf, pipeCheck, placesOf, type Ground } from '../../documents/places.ts'
import type { RunStart } from '../../runs/run.ts'
import type { SegmentFunction } from '../../segment.ts'
import type { KnownPipe } from '../../sources/known.ts'
import { feeding, type FeedingDeps } from './feeding.ts'
import { limited } from './limited.ts'

type RemoteResolution = Extract<Resolution, { readonly kind: 'http' | 'bus' }>

export type OpeningDeps = FeedingDeps & {
  readonly sources: { find(nameOrId: string): KnownPipe | undefined }
  /** Stands between the importer and what follows it. */
  readonly afterImport?: SegmentFunction
  /** A step that works in another process. `pipe` carries run id, start and last run; `trust` says whose word its addresses are. */
  readonly remote?: (
    pipe: Pipe,
    segment: Segment,
    resolution: RemoteResolution,
    trust: 'trusted' | 'foreign',
  ) => SegmentFunction
}

/** What a pipe on its way says of its run; the last one is that which was complete. */
type RunHeader = { readonly id: string; readonly startTime: string; readonly lastRun?: string }

export type Opened = {
  readonly steps: readonly SegmentFunction[]
  /** Deadline of the run, when the pipe has one of its own. */
  readonly deadlineMs?: number
}

/** What a run is to do. */
export type Errand = Pick<RunStart, 'pipe' | 'configs' | 'dryRun' | 'limit' | 'feed'>

const dryLimit = 20

/** The pipe under its name, with the configs laid over it; `unknown-pipe`, or `invalid-parameter` for the configs. */
export function pipeOf(
  { sources }: Pick<OpeningDeps, 'sources'>,
  errand: Errand,
): { readonly known: KnownPipe; readonly pipe: Pipe } {
  const known = sources.find(errand.pipe)
  if (!known) throw new Failure('unknown-pipe', `there is no pipe ${shown(errand.pipe)}`)
  return { known, pipe: configured(known.pipe, errand.configs) }
}

/**
 * Opens every segment. Throws `Failure`: `unknown-segment`, `invalid-pipe` with every complaint, and those of `pipeOf`.
 */
export function opened(deps: OpeningDeps, errand: Errand, run: RunHeader): Opened {
  const { known, pipe } = pipeOf(deps, errand)
  const ground = { trust: known.trust, directory: known.directory, configs: errand.configs }
  const limit = errand.limit ?? (errand.dryRun ? dryLimit : undefined)
  const { feed } = errand
  const ready = prepared(pipe, run, feed ? undefined : limit)
  const deadlineMs = checked(deps, ready, ground)
  const places = placesOf(ready, ground)
  const bounds = limit === undefined ? [] : [limited(limit)]
  const steps = ready.body.segments.flatMap((segment, index) => {
    const resolution = deps.resolve(segment)
    const step = watched(
      segment,
      stepOf(deps, { pipe: ready, segment, resolution, place: places[index] }),
    )
    const isImport =
      index === 0 &&
      !feed &&
      (resolution.kind !== 'built-in' || resolution.segment.job === 'import')
    if (!isImport) return [step]
    return [step, ...bounds, ...(deps.afterImport ? [deps.afterImport] : [])]
  })
  const fed = feed ? [feeding(deps, ready, feed), ...bounds] : []
  return { steps: [...fed, ...steps], ...(deadlineMs !== undefined && { deadlineMs }) }
}

/** With run id, start and last run in the header, and the limit in the importer's config, so that it asks for no more. */
function prepared(
  pipe: Pipe,
  { id: runId, startTime, lastRun }: RunHeader,
  limit: number | undefined,
): Pipe {
  const [first, ...rest] = pipe.body.segments
  const segments =
    first && limit !== undefined
      ? [{ ...first, body: { ...first.body, config: { ...first.body.config, limit } } }, ...rest]
      : pipe.body.segments
  return {
    ...pipe,
    header: { ...pipe.header, runId, startTime, ...(lastRun !== undefined && { lastRun }) },
    body: { ...pipe.body, segments },
  }
}

/** Throws what is wrong with the pipe; else its own deadline in ms. */
function checked(deps: OpeningDeps, pipe: Pipe, ground: Ground): number | undefined {
  const { segments } = pipe.body
  const errors = pipeCheck(deps.resolve)(pipe, ground)
  const isUnknown = segments.some((segment) => deps.resolve(segment).kind === 'unknown')
  if (errors.length > 0) {
    const detail = `${shown(pipe.header.name)} cannot run: ${errors[0]?.detail ?? ''}`
    throw new Failure(isUnknown ? 'unknown-segment' : 'invalid-pipe', detail, { errors })
  }
  const lengths = deadlinesOf(pipe)
  return lengths.length > 0 ? Math.min(...lengths) : undefined
}

type Place = {
  readonly pipe: Pipe
  readonly segment: Segment
  readonly resolution: Resolution
  readonly place: ReturnType<typeof placesOf>[number] | undefined
}

function stepOf(deps: OpeningDeps, { pipe, segment, resolution, place }: Place): SegmentFunction {
  const name = shown(segment.header.name)
  if (resolution.kind === 'unknown') {
    throw new Failure('unknown-segment', `${name} is no known segment`)
  }
  if (resolution.kind !== 'built-in') {
    if (deps.remote) return deps.remote(pipe, segment, resolution, place?.trust ?? 'foreign')
    throw new Failure('unknown-segment', `nothing leads from this process to the segment ${name}`)
  }
  const made = resolution.segment.open(segment.body.config, place ?? { trust: 'foreign' })
  if (made.ok) return made.run
  throw new Failure('invalid-pipe', `the config of ${name} is not valid`)
}

/** The segment with a log of its own; its end is noted in the run. */
const watched = ({ header }: Segment, run: SegmentFunction): SegmentFunction =>
  async function* (input, context, signal) {
    const log = context.log.child({ segment: header.name })
    yield* run(input, { ...context, log }, signal)
    context.sink.processed(header.segmentNumber)
  }
