/**
 * Compares (id, hash) of store and index as two ordered streams, and projects again what differs: on request and at intervals.
 */

import { Failure } from '../errors.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Log } from '../log.ts'
import type { SearchIndex } from '../search-index/search-index.ts'
import { type BackgroundLoop, backgroundLoop } from '../workers/background-loop.ts'
import type { Pause } from '../workers/pause.ts'
import { projectResources, type ProjectResourcesContext } from './project-resources.ts'
import type { RecordSource } from './indexed-records.ts'

/** Differences between store and index, in records. */
export type Drift = {
  readonly compared: number
  /** In the store and not in the index. */
  readonly missing: number
  /** In both, with different hashes. */
  readonly stale: number
  /** In the index and not in the store. */
  readonly extra: number
  readonly repaired: number
}

type ReconcileContext = Pick<ProjectResourcesContext, 'submit' | 'pause'> & {
  readonly index: Pick<SearchIndex, 'entries'>
  /** Indices without hashes are skipped. */
  readonly records: readonly RecordSource[]
  /** Tells whether a write of the resource is not indexed yet (`isPending` of `Projector`). */
  readonly isPending: (resource: string) => boolean
}

/** Options of a comparison of store and index. */
export type ReconcileOptions = {
  readonly dryRun: boolean
  /** Called with the number of compared records and the total. */
  readonly progress: (done: number, total?: number) => void
  /** Client that requested the job; default: an operator. */
  readonly createdBy?: string
}

/** Records compared at a time, and entries of the index read at once. */
const recordsPerStep = 500
const entriesPerPage = 1000
/** Number of checks, and milliseconds between them, whether a write has reached the index. */
const maxChecks = 50
const checkMs = 100

/**
 * Compares store and index once; `progress` is called after each step. Rejects with the reason of the signal; repairs made before
 * stay.
 */
export async function reconcile(
  context: ReconcileContext,
  { dryRun, progress }: ReconcileOptions,
  signal: AbortSignal,
): Promise<Drift> {
  const sources = context.records.filter(({ hashes }) => hashes)
  const idsBySource = await Promise.all(sources.map((source) => source.ids(signal)))
  const total = idsBySource.reduce((sum, { length }) => sum + length, 0)
  const drift = { compared: 0, missing: 0, stale: 0, extra: 0, repaired: 0 }
  for (const [position, source] of sources.entries()) {
    const ids = idsBySource[position] ?? []
    for (let offset = 0; offset < ids.length || offset === 0; offset += recordsPerStep) {
      const until =
        offset + recordsPerStep < ids.length ? ids[offset + recordsPerStep - 1] : undefined
      const range = {
        ids: ids.slice(offset, offset + recordsPerStep),
        after: ids[offset - 1] ?? '',
        until,
      }
      const different = await confirmedDifferences(context, source, range, signal)
      for (const kind of different.values()) drift[kind] += 1
      const resources = dryRun ? [] : [...different.keys()].map((id) => source.resource(id))
      drift.repaired += await projectResources([resources], context, signal)
      drift.compared += range.ids.length
      progress(drift.compared, total)
    }
  }
  return drift
}

/** Ids after `after`, up to and including `until`; without `until` to the end of the index. */
type Range = {
  readonly ids: readonly string[]
  readonly after: string
  readonly until: string | undefined
}

type Differences = ReadonlyMap<string, 'missing' | 'stale' | 'extra'>

/**
 * Returns the differences of a range. Concurrent writes are not drift: differences are checked twice, the second time without
 * resources that are pending.
 */
async function confirmedDifferences(
  context: ReconcileContext,
  source: RecordSource,
  range: Range,
  signal: AbortSignal,
): Promise<Differences> {
  const first = await differencesOf(context, source, range, signal)
  if (first.size === 0) return first
  const isUnindexed = (id: string) => context.isPending(source.resource(id))
  for (let check = 0; check < maxChecks && [...first.keys()].some(isUnindexed); check += 1) {
    await context.pause(checkMs, signal)
    signal.throwIfAborted()
  }
  const widerRange = { ...range, ids: [...new Set([...range.ids, ...first.keys()])] }
  const second = await differencesOf(context, source, widerRange, signal)
  return new Map([...second].filter(([id, kind]) => first.get(id) === kind && !isUnindexed(id)))
}

async function differencesOf(
  { index }: ReconcileContext,
  source: RecordSource,
  { ids, after, until }: Range,
  signal: AbortSignal,
): Promise<Differences> {
  const indexedHashes = new Map<string, string>()
  for (let from: string | undefined = after; from !== undefined;) {
    const entries = await index.entries(source.index, from, entriesPerPage, signal)
    const inRange = entries.filter(({ id }) => until === undefined || id <= until)
    for (const { id, hash } of inRange) indexedHashes.set(id, hash)
    from = inRange.length === entriesPerPage ? inRange.at(-1)?.id : undefined
  }
  const allIds = [...new Set([...ids, ...indexedHashes.keys()])]
  const storedHashes = new Map<string, ReadonlySet<string>>()
  for (let offset = 0; offset < allIds.length; offset += recordsPerStep)
    for (const [id, hashes] of (await source.hashes?.(
      allIds.slice(offset, offset + recordsPerStep),
      signal,
    )) ?? [])
      storedHashes.set(id, hashes)
  const different = new Map<string, 'missing' | 'stale' | 'extra'>()
  for (const id of allIds) {
    const [hash, hashes] = [indexedHashes.get(id), storedHashes.get(id)]
    if (hashes && hash === undefined) different.set(id, 'missing')
    else if (hash !== undefined && !hashes) different.set(id, 'extra')
    else if (hash !== undefined && !hashes?.has(hash)) different.set(id, 'stale')
  }
  return different
}

// Scheduled comparison, and the result of the last one.

/**
 * Compares once, after earlier jobs on indices. Throws `conflict` while an index is being filled or the engine was not reached.
 */
type Reconcile = (options: ReconcileOptions, signal: AbortSignal) => Promise<Drift>

/** Scheduled and requested comparisons of store and index. */
export type ReconcileSchedule = { readonly reconcile: Reconcile } & {
  /** Result of the last comparison of this process, scheduled or not; `at` is its end, ISO 8601. */
  readonly last: () => ({ readonly at: string } & Drift) | undefined
  /**
   * Starts the schedule; with `isImmediate` the first comparison runs now, even where `hours` is 0. Does nothing the second time.
   */
  readonly start: (isImmediate?: boolean) => void
  /** Compares now, or after the running comparison, because another process may have written to the store. */
  readonly runNow: () => void
  /** Ends the schedule; resolves when no scheduled comparison runs any more. */
  readonly stop: () => Promise<void>
}

type ReconcilingContext = { readonly reconcile: Reconcile } & {
  /** Hours between two comparisons; 0 = only on request. */
  readonly hours: number
  readonly metrics: Pick<Metrics, 'compared'>
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Random number in 0..1. */
  readonly random: () => number
  readonly pause: Pause
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** Delay of the first comparison: a starting platform has other work. */
const startDelayMs = 5 * minuteMs
/** Pause after a comparison that failed: the store was unavailable, or an index was being filled. */
const retryMs = 10 * minuteMs

/**
 * Creates the schedule. The first comparison comes within an hour, and each up to an hour late, because several platforms may
 * share a machine.
 */
export function scheduleReconcile(context: ReconcilingContext): ReconcileSchedule {
  const { hours, metrics, log, now, random, pause } = context
  let lastResult: ReturnType<ReconcileSchedule['last']>
  let loop: BackgroundLoop | undefined
  const reconcile: Reconcile = async (options, signal) => {
    const drift = await context.reconcile(options, signal)
    const endMs = now()
    lastResult = { at: new Date(endMs).toISOString(), ...drift }
    metrics.compared(drift, endMs)
    return drift
  }
  /** Adds a random delay of up to almost an hour. */
  const withRandomDelay = (ms: number) => ms + random() * (hourMs - startDelayMs)
  /** Compares once; returns the milliseconds until the next comparison. The job logs the result. */
  const compare = async (signal: AbortSignal) => {
    try {
      await reconcile({ dryRun: false, progress: () => undefined, createdBy: 'schedule' }, signal)
      return hours > 0 ? withRandomDelay(hours * hourMs) : Infinity
    } catch (error) {
      if (error instanceof Failure && error.kind === 'conflict')
        log.info({ detail: error.detail }, 'reconcile.postponed')
      else if (!signal.aborted) log.warn({ err: error }, 'reconcile.failed')
      return withRandomDelay(retryMs)
    }
  }
  const start = (firstMs: number) =>
    backgroundLoop('reconcile.failed', retryMs, compare, { log, pause, firstMs })
  return {
    reconcile,
    last: () => lastResult,
    start: (isImmediate = false) => {
      if (hours > 0 || isImmediate) loop ??= start(isImmediate ? 0 : withRandomDelay(startDelayMs))
    },
    runNow: () => {
      if (loop) loop.wake()
      else loop = start(0)
    },
    stop: async () => loop?.stop(),
  }
}
