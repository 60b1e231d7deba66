/** The first step of a pipe without an importer: datasets of the store, one by one, in the order of their ids. */

import { inOrder } from '../../pipe/ahead.ts'
import type { Message } from '../../pipe/message.ts'
import type { Feed } from '../../pipe/runs/run.ts'
import type { SegmentContext, SegmentFunction } from '../../pipe/segment.ts'
import type { Pause } from '../../workers/retry.ts'
import {
  catalogueIds,
  datasetIds,
  knownDatasetIds,
  type MetricsSource,
} from '../figures/catalogue-reader.ts'
import {
  catalogueTypes,
  datasetMessages,
  type FeedReading,
  type FeedItem,
} from './dataset-messages.ts'
import type { MetricsRepository } from './metrics-export.ts'

type FeedContext = MetricsSource & {
  readonly repository: Pick<MetricsRepository, 'turn'>
  readonly pause: Pause
}

/** Groups of datasets: while one is measured the next are read. */
const atOnce = 3
/** A run goes on after the last of so many. */
const pageSize = 100

/**
 * The ids are listed once at the start: each comes once, and datasets that are gone meanwhile are skipped. A run that was
 * interrupted goes on after the last page that was written; one that tries again what failed is fed with that alone. Throws
 * `unknown-catalogue`, and what the store throws.
 */
export const feeds =
  (deps: FeedContext) =>
  (feed: Feed): SegmentFunction =>
    async function* (_, context, signal) {
      const all = await listed(deps, feed, context, signal)
      const { resumeFrom = '' } = context
      context.sink.total(all.length)
      yield { kind: 'total', total: all.length }
      const reading: FeedReading = {
        ...deps,
        typeOf: catalogueTypes(deps),
        metricsGraph: `urn:cartulary:${encodeURIComponent(context.pipe)}`,
        withMetrics: feed.withMetrics ?? false,
      }
      const pulseMs = feed.pulseMs ?? 0
      const rest = all.filter((id) => id > resumeFrom)
      const ids = paced(deps, rest, pulseMs, signal)
      const read = (some: readonly FeedItem[]) => datasetMessages(reading, some, signal)
      const most = () => mostOf(deps.repository, pulseMs, signal)
      const groups = inOrder(grouped(ids, most), read, pulseMs > 0 ? 1 : atOnce)
      yield* paged(groups, context)
      yield { kind: 'end', completeness: { kind: 'complete', fingerprint: '' } }
    }

/** What failed, what was asked for, or all that there is. */
async function listed(
  context: FeedContext,
  { datasets, catalogue }: Feed,
  { only }: SegmentContext,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const chosen = only ? [...only] : datasets
  if (chosen) return [...new Set(chosen)].toSorted()
  if (catalogue !== undefined) return knownDatasetIds(context, catalogue, signal)
  const ids = new Set<string>()
  for (const one of await catalogueIds(context, signal))
    for (const id of await datasetIds(context, one, signal)) ids.add(id)
  return [...ids].toSorted()
}

async function* paced(
  { pause }: FeedContext,
  ids: readonly string[],
  pulseMs: number,
  signal: AbortSignal,
): AsyncGenerator<string> {
  for (const [place, id] of ids.entries()) {
    if (pulseMs > 0 && place > 0) await pause(pulseMs, signal)
    signal.throwIfAborted()
    yield id
  }
}

/** How many may be read together when it is their turn: with a pulse each dataset goes by itself. */
const mostOf = (
  { turn }: FeedContext['repository'],
  pulseMs: number,
  signal: AbortSignal,
): Promise<number> => turn(async (most) => (pulseMs > 0 ? 1 : most), signal)

/** As many together as may be read then. */
async function* grouped(
  ids: AsyncIterable<string>,
  mostNow: () => Promise<number>,
): AsyncGenerator<readonly FeedItem[]> {
  let counter = 0
  let most = 0
  let group: FeedItem[] = []
  for await (const id of ids) {
    // The ids are listed first: what is deleted while this waits for its turn is skipped as gone.
    if (group.length === 0) most = await mostNow()
    group.push({ id, counter: (counter += 1) })
    if (group.length < most) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}

/** Messages with a page after every hundredth. */
async function* paged(
  groups: AsyncIterable<readonly Message[]>,
  { sink }: SegmentContext,
): AsyncGenerator<Message> {
  let count = 0
  for await (const messages of groups) {
    for (const message of messages) {
      sink.offered()
      yield message
      count += 1
      const isLast = count % pageSize === 0 && 'sourceId' in message
      if (!isLast || message.sourceId === undefined) continue
      sink.page({ cursor: message.sourceId })
      yield { kind: 'page', cursor: message.sourceId }
    }
  }
}
