/**
 * Keeps tombstones true while the platform runs: what the store holds is not deleted, what was left in doubt or undone is taken
 * on, and what is past its window is removed.
 */

import type { JobKind } from '../../jobs/job.ts'
import type { RepositoryContext } from '../repository-context.ts'
import { backgroundLoop, type BackgroundLoop } from '../../workers/background-loop.ts'
import { resumeDeletions, resumeRestores } from './catalogue-deletion.ts'
import { present } from './members.ts'
import type { ListedTombstone, TombstonePage } from './tombstones.ts'

/** Doubts that are settled together. */
const mostDoubts = 500
/** Milliseconds between two rounds, and between two looks for tombstones past their window. */
const [roundMs, purgeMs] = [10_000, 3_600_000]
/** Tombstones removed before others get their turn. */
const purged = 200

/**
 * Settles tombstones whose resource is gone and discards those whose resource is there: the process may have died, or the
 * store may have been lost sight of, between tombstone and removal.
 */
async function resolveDoubts(context: RepositoryContext, signal: AbortSignal): Promise<void> {
  const { tombstones } = context
  for (;;) {
    const doubts = tombstones.doubts(mostDoubts)
    if (doubts.length === 0) return
    const there = await present(context, doubts, signal)
    const serials = (which: boolean) =>
      doubts.filter((one) => there.has(one) === which).map(({ serial }) => serial)
    tombstones.discard(serials(true))
    tombstones.settle(serials(false))
  }
}

/** A page of tombstones; one whose resource has come back by another way is discarded and left out. */
export async function listTombstones(
  context: RepositoryContext,
  { catalogue, ...page }: TombstonePage & { readonly catalogue: string | undefined },
  signal: AbortSignal,
): Promise<readonly ListedTombstone[]> {
  const listed = context.tombstones.list(catalogue, page)
  const there = await present(context, listed, signal)
  context.tombstones.discard([...there].map(({ serial }) => serial))
  return listed.filter((one) => !there.has(one)).map(withoutSerial)
}

/** A tombstone as clients see it: its number in the file is nobody's business. */
function withoutSerial(listed: ListedTombstone): ListedTombstone {
  const { kind, id, title, originalId, catalogue, deletedAt, restorableUntil } = listed
  return { kind, id, title, originalId, catalogue, deletedAt, restorableUntil }
}

/**
 * Settles what a crash left in doubt and takes on what it interrupted, as far as the store answers, before this resolves; then
 * again and again until `stop`.
 */
export async function startUpkeep(
  context: RepositoryContext,
): Promise<Pick<BackgroundLoop, 'stop'>> {
  const { jobs, tombstones } = context
  await round(context, new AbortController().signal)
  const work = (signal: AbortSignal) => round(context, signal)
  const look = () => {
    if (tombstones.hasExpired() && !jobs.active(purgeKind, purgeKey))
      jobs.submit({ kind: purgeKind, key: purgeKey, payload: null, createdBy: 'schedule' })
  }
  const loops = [
    backgroundLoop('deletion.resume-failed', roundMs, work, context),
    backgroundLoop('tombstone.look-failed', purgeMs, look, { ...context, firstMs: roundMs }),
  ]
  return {
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()))
    },
  }
}

const [purgeKind, purgeKey] = ['purge-tombstones', 'tombstones']

/** Removes tombstones past their window in small steps, so that requests get their turn between two of them. */
export const purgeJob = ({ tombstones, pause }: RepositoryContext): JobKind => ({
  kind: purgeKind,
  atOnce: 1,
  retry: { firstMs: roundMs, longestMs: purgeMs },
  run: async (_, { progress, signal }) => {
    let count = 0
    for (let more = purged; more === purged; count += more) {
      more = tombstones.purge(purged)
      progress({ done: count + more })
      await pause(1, signal)
    }
    return { tombstones: count }
  },
})

/** A failure is logged and tried again in the next round. */
async function round(context: RepositoryContext, signal: AbortSignal): Promise<void> {
  for (const one of [resolveDoubts, resumeDeletions, resumeRestores]) {
    try {
      await one(context, signal)
    } catch (error) {
      if (!signal.aborted) context.log.warn({ err: error }, 'deletion.resume-failed')
    }
  }
}
