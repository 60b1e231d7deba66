/** What the writing side of the embedded store consists of. */

import { Failure } from '../../errors.ts'
import type { Blobs } from './blobs.ts'
import type { feeder } from './feeder.ts'
import type { Draft, WriterSettings } from './messages.ts'
import type { Quads } from './quads.ts'

export type State = {
  readonly settings: WriterSettings
  readonly blobs: Blobs
  readonly quads: Quads
  readonly feed: ReturnType<typeof feeder>
  /** Counted along: asking the index walks over all of it. */
  count: number
  readonly drafts: Map<string, Draft>
  /** Says that the worker is alive, in the middle of what takes long. */
  readonly beat: () => void
}

/** `Failure` store-full when the index would hold more than it may. */
export function checkRoom({ count, settings }: State, growth: number): void {
  if (growth > 0 && count + growth > settings.maxQuads) {
    throw new Failure(
      'store-full',
      `The embedded store takes ${settings.maxQuads} triples and would hold more. ` +
        'Remove data, or move to a triplestore of your own (PLATFORM_TRIPLESTORE_CONFIG).',
    )
  }
}
