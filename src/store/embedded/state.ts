/** What the writing side of the embedded store consists of. */

import { Failure } from '../../errors.ts'
import type { Blobs } from './blobs.ts'
import { engineMemory, isShort } from './engine.ts'
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
  if (growth <= 0) return
  if (count + growth > settings.maxQuads) {
    throw full(`The embedded store takes ${settings.maxQuads} triples and would hold more.`)
  }
  if (isShort()) throw engineFull()
}

const full = (why: string, cause?: unknown) =>
  new Failure(
    'store-full',
    `${why} Remove data, or move to a triplestore of your own (PLATFORM_TRIPLESTORE_CONFIG).`,
    { cause },
  )

/** The engine's memory is used up; `cause` where it trapped. */
export function engineFull(cause?: unknown): Failure {
  const most = Math.floor(engineMemory().most / 2 ** 20)
  return full(`The engine of the embedded store may take ${most} MB and needs more.`, cause)
}
