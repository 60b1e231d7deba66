/** From a pipe to the steps that run it. */

import { Failure, shown } from '../../errors.ts'
import { configured } from '../configure.ts'
import type { Placement } from '../discovery.ts'
import type { Pipe, Segment } from '../document.ts'
import { catalogueOf, deadlinesOf, type Origin, pipeCheck, placesIn } from '../pipe-check.ts'
import type { Feed, RunStart } from '../runs/run.ts'
import type { SegmentFunction } from '../segment.ts'
import type { KnownPipe } from '../sources/known-pipes.ts'

type RemoteResolution = Extract<Placement, { readonly kind: 'http' | 'bus' }>

export type OpeningContext = {
  readonly resolve: (segment: Segment) => Placement
  /** Brings datasets of the repository, for pipes without an importer. */
  readonly feeds?: (feed: Feed) => SegmentFunction
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
type RunPlan = Pick<RunStart, 'pipe' | 'configs' | 'dryRun' | 'limit' | 'feed'>

const dryLimit = 20

/** The pipe under its name, with the configs laid over it; `unknown-pipe`, or `invalid-parameter` for the configs. */
export function pipeOf(
  { sources }: Pick<OpeningContext, 'sources'>,
  plan: RunPlan,
): { readonly known: KnownPipe; readonly pipe: Pipe } {
  const known = sources.find(plan.pipe)
  if (!known) throw new Failure('unknown-pipe', `there is no pipe ${shown(plan.pipe)}`)
  return { known, pipe: configured(known.pipe, plan.configs) }
}

/**
 * Opens every segment. Throws `Failure`: `unknown-segment`, `invalid-pipe` with every complaint, and those of `pipeOf`.
 */
export function opened(deps: OpeningContext, plan: RunPlan, run: RunHeader): Opened {
  const { known, pipe } = pipeOf(deps, plan)
  const origin = { trust: known.trust, directory: known.directory, configs: plan.configs }
  const limit = plan.limit ?? (plan.dryRun ? dryLimit : undefined)
  const { feed } = plan
  const ready = prepared(pipe, run, feed ? undefined : limit)
  const deadlineMs = checked(deps, ready, origin)
  const places = placesIn(ready, origin)
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
function checked(deps: OpeningContext, pipe: Pipe, origin: Origin): number | undefined {
  const { segments } = pipe.body
  const errors = pipeCheck(deps.resolve)(pipe, origin)
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
  readonly resolution: Placement
  readonly place: ReturnType<typeof placesIn>[number] | undefined
}

function stepOf(
  deps: OpeningContext,
  { pipe, segment, resolution, place }: Place,
): SegmentFunction {
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

/** A pipe that begins with a segment of our own that measures works on the catalogue that its configs name, or on all. */
export function feedOf(
  { resolve }: Pick<OpeningContext, 'resolve'>,
  segments: readonly Segment[],
): Feed | undefined {
  const [first] = segments
  const found = first && resolve(first)
  if (found?.kind !== 'built-in' || found.segment.job !== 'metrics') return undefined
  const catalogue = catalogueOf(segments)
  return catalogue === undefined ? {} : { catalogue }
}

/**
 * The first step. Throws `invalid-pipe` when an importer would take its place, when no segment measures (nothing else is
 * written of what a repository feeds) and when this process has no repository.
 */
function feeding(deps: OpeningContext, { header, body }: Pipe, feed: Feed): SegmentFunction {
  const [first] = body.segments
  const found = first && deps.resolve(first)
  const name = shown(header.name)
  if (found?.kind === 'built-in' && found.segment.job === 'import') {
    throw new Failure(
      'invalid-pipe',
      `${name} begins with an importer: it brings records of its own`,
    )
  }
  const kinds = body.segments.map((segment) => deps.resolve(segment))
  const isKnown = kinds.every(({ kind }) => kind === 'built-in')
  const measures = kinds.some((one) => one.kind === 'built-in' && one.segment.job === 'metrics')
  if (isKnown && !measures) {
    throw new Failure(
      'invalid-pipe',
      `${name} has no segment that measures: of what a repository feeds only metrics are written`,
    )
  }
  if (deps.feeds) return deps.feeds(feed)
  throw new Failure('invalid-pipe', `${name} is fed by a repository, and this process has none`)
}

/** Ends the import at the record after the last one that is wanted; such a run is incomplete. */
const limited = (limit: number): SegmentFunction =>
  async function* (input) {
    let records = 0
    for await (const message of input) {
      if (message.kind === 'record') records += 1
      if (records > limit) break
      yield message
      if (message.kind === 'end') return
    }
    yield { kind: 'end', completeness: { kind: 'incomplete' } }
  }
