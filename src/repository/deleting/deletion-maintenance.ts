/**
 * Background maintenance of deletions: confirms or discards unconfirmed tombstones, resumes interrupted deletions and restores,
 * and purges expired tombstones.
 */

import type { JobKind } from '../../jobs/job.ts'
import type { RepositoryContext } from '../repository-context.ts'
import { backgroundLoop, type BackgroundLoop } from '../../workers/background-loop.ts'
import { resumeDeletions, resumeRestores } from './catalogue-deletion.ts'
import { existingOf } from './members.ts'
import type { ListedTombstone, TombstonePage } from './tombstones.ts'

/** Number of unconfirmed tombstones that are checked together. */
const maxUnconfirmed = 500
/** Milliseconds between two rounds, and between two checks for expired tombstones. */
const [roundMs, purgeMs] = [10_000, 3_600_000]
/** Number of tombstones that are deleted before the job yields. */
const purgeBatch = 200

/**
 * Confirms tombstones whose resource is removed and discards those whose resource exists, because the process may have ended, or
 * the store may have been unavailable, between tombstone and removal.
 */
async function confirmTombstones(context: RepositoryContext, signal: AbortSignal): Promise<void> {
  const { tombstones } = context
  for (;;) {
    const batch = tombstones.unconfirmed(maxUnconfirmed)
    if (batch.length === 0) return
    const existing = await existingOf(context, batch, signal)
    const serials = (exists: boolean) =>
      batch.filter((tombstone) => existing.has(tombstone) === exists).map(({ serial }) => serial)
    tombstones.discard(serials(true))
    tombstones.confirm(serials(false))
  }
}

/**
 * Page of tombstones. Those whose resource exists again are discarded, and the page is read again without them, so that the
 * offset of the next page counts only tombstones that stay in the list.
 */
export async function listTombstones(
  context: RepositoryContext,
  { catalogue, ...page }: TombstonePage & { readonly catalogue: string | undefined },
  signal: AbortSignal,
): Promise<readonly ListedTombstone[]> {
  for (;;) {
    const listed = context.tombstones.list(catalogue, page)
    const existing = await existingOf(context, listed, signal)
    if (existing.size === 0) return listed.map(withoutSerial)
    context.tombstones.discard([...existing].map(({ serial }) => serial))
  }
}

/** Tombstone for clients, without its number in the file. */
function withoutSerial(listed: ListedTombstone): ListedTombstone {
  const { kind, id, title, originalId, catalogue, deletedAt, restorableUntil } = listed
  return { kind, id, title, originalId, catalogue, deletedAt, restorableUntil }
}

/**
 * Runs one round before this resolves, so that work that a crash interrupted is resumed before requests are served, and then
 * repeats it every 10 seconds until `stop`; looks for expired tombstones after 10 seconds, then hourly. Failures are logged.
 */
export async function startDeletionMaintenance(
  context: RepositoryContext,
): Promise<Pick<BackgroundLoop, 'stop'>> {
  const { jobs, tombstones } = context
  await round(context, new AbortController().signal)
  const work = (signal: AbortSignal) => round(context, signal)
  const submitPurge = () => {
    if (tombstones.hasExpired() && !jobs.active(purgeKind, purgeKey))
      jobs.submit({ kind: purgeKind, key: purgeKey, payload: null, createdBy: 'schedule' })
  }
  const loops = [
    backgroundLoop('deletion.resume-failed', roundMs, work, context),
    backgroundLoop('tombstone.look-failed', purgeMs, submitPurge, { ...context, firstMs: roundMs }),
  ]
  return {
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()))
    },
  }
}

const [purgeKind, purgeKey] = ['purge-tombstones', 'tombstones']

/** Job that deletes expired tombstones in small steps, and yields to requests between them. */
export const purgeJob = ({ tombstones, pause }: RepositoryContext): JobKind => ({
  kind: purgeKind,
  atOnce: 1,
  retry: { firstMs: roundMs, longestMs: purgeMs },
  run: async (_, { progress, signal }) => {
    let count = 0
    for (let more = purgeBatch; more === purgeBatch; count += more) {
      more = tombstones.purge(purgeBatch)
      progress({ done: count + more })
      await pause(1, signal)
    }
    return { tombstones: count }
  },
})

/** Runs all steps; a failure is logged, and the step is repeated in the next round. */
async function round(context: RepositoryContext, signal: AbortSignal): Promise<void> {
  for (const step of [confirmTombstones, resumeDeletions, resumeRestores]) {
    try {
      await step(context, signal)
    } catch (error) {
      if (!signal.aborted) context.log.warn({ err: error }, 'deletion.resume-failed')
    }
  }
}
