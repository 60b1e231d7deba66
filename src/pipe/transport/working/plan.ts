/** From a message to the steps that work on it here, and on to where the rest of the pipe is. */

import { Failure, shown } from '../../../errors.ts'
import { resolver, type Resolution } from '../../discovery.ts'
import type { Pipe, Segment } from '../../document.ts'
import { placesOf } from '../../documents/places.ts'
import { normalName } from '../../naming.ts'
import type { SegmentFunction, SegmentKind } from '../../segment.ts'
import type { TransportLimits } from '../limits.ts'
import { remoteStep } from '../remote/remote-step.ts'
import type { Way } from '../sending/ways.ts'

export type PlanDeps = {
  readonly kinds: readonly SegmentKind[]
  readonly resolve: (segment: Segment) => Resolution
  readonly wayTo: (
    found: Extract<Resolution, { readonly kind: 'http' | 'bus' }>,
    wanted: { readonly trust: 'foreign'; readonly via?: string },
  ) => Way
  /** Finds out which record is meant, for an exporter in this process. */
  readonly afterImport?: SegmentFunction
  readonly limits: TransportLimits
  readonly now: () => number
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
}

/** The segment of this process that answers to the name. */
export function ownKind(kinds: readonly SegmentKind[], name: string): SegmentKind {
  const normal = normalName(name)
  const found = kinds.find((kind) => kind.names.some((one) => normalName(one) === normal))
  if (found) return found
  throw new Failure('unknown-segment', `there is no segment ${shown(name)} here`)
}

/**
 * The steps from the segment `own` on: those of this process, then one that sends what comes out to where the next segment
 * is. Throws `invalid-pipe` and `unknown-segment`.
 */
export function planned(
  message: Pipe,
  own: Segment,
  deps: PlanDeps,
  via: string | undefined,
): readonly SegmentFunction[] {
  const { segments } = message.body
  const places = placesOf(message, { trust: 'foreign', directory: '' })
  const steps: SegmentFunction[] = []
  let isKnown = deps.afterImport === undefined
  for (const [index, segment] of segments.entries()) {
    if (segment.header.segmentNumber < own.header.segmentNumber) continue
    const found = resolution(segment, own, deps)
    if (found.kind === 'unknown') {
      throw new Failure('unknown-segment', `${shown(segment.header.name)} is no known segment`)
    }
    if (found.kind !== 'built-in') {
      const { post } = deps.wayTo(found, { trust: 'foreign', ...(via !== undefined && { via }) })
      return [...steps, remoteStep({ pipe: message, segment, post }, deps)]
    }
    const { directory: _, ...place } = places[index] ?? { trust: 'foreign' as const }
    const made = found.segment.open(segment.body.config, place)
    if (!made.ok) throw invalid(segment, index, made.problems)
    const { job } = found.segment
    if (job === 'export' && !isKnown && deps.afterImport) steps.push(deps.afterImport)
    steps.push(made.run)
    if (job === 'import' && deps.afterImport) {
      steps.push(deps.afterImport)
      isKnown = true
    }
  }
  return steps
}

/** What a message says of an endpoint was told by the process that runs the pipe: it knows best who comes next. */
function resolution(segment: Segment, own: Segment, { kinds, resolve }: PlanDeps): Resolution {
  if (segment === own) return { kind: 'built-in', segment: ownKind(kinds, segment.header.name) }
  const told = segment.body.endpoint ? resolver({}, [])(segment) : undefined
  return told && told.kind !== 'unknown' ? told : resolve(segment)
}

function invalid(
  { header }: Segment,
  index: number,
  problems: readonly { readonly key: string; readonly detail: string }[],
): Failure {
  const errors = problems.map(({ key, detail }) => ({
    pointer: `/body/segments/${index}/body/config/${key.replaceAll('.', '/')}`,
    detail: `${key} ${detail}`.trim(),
  }))
  return new Failure('invalid-pipe', `the config of ${shown(header.name)} is not valid`, { errors })
}
