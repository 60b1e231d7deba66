/** What stands in front of a pipe that has no importer. */

import { Failure, shown } from '../../../errors.ts'
import type { Resolution } from '../../discovery.ts'
import type { Pipe, Segment } from '../../document.ts'
import { catalogueOf } from '../../documents/places.ts'
import type { Feed } from '../../runs/feed.ts'
import type { SegmentFunction } from '../../segment.ts'

export type FeedingDeps = {
  readonly resolve: (segment: Segment) => Resolution
  /** Brings datasets of the repository, for pipes without an importer. */
  readonly feeds?: (feed: Feed) => SegmentFunction
}

/** A pipe that begins with a segment of our own that measures works on the catalogue that its configs name, or on all. */
export function feedOf(
  { resolve }: Pick<FeedingDeps, 'resolve'>,
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
export function feeding(deps: FeedingDeps, { header, body }: Pipe, feed: Feed): SegmentFunction {
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
