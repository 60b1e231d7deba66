/** The first step of a pipe without an importer: datasets of the repository, one by one, in the order of their ids. */

import type { Message } from '../../pipe/message.ts'
import type { Feed } from '../../pipe/runs/feed.ts'
import type { SegmentContext, SegmentFunction } from '../../pipe/segment.ts'
import type { Names } from '../../rdf/names.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import { inOrder } from '../../pipe/ahead.ts'
import { catalogueTypes } from './catalogue-types.ts'
import { datasetMessages, type Reading, type Wanted } from './dataset-messages.ts'
import type { FeedDoor, Repository } from './door.ts'
import { idList, type IdList } from './ids.ts'

export type FeedDeps = FeedDoor & {
  readonly repository: Repository
  readonly names: Names
  readonly store: Pick<GraphStore, 'select' | 'readAll'>
}

/** Groups of datasets: while one is measured the next are read. */
const atOnce = 3
/** A run goes on behind the last of so many. */
const pageSize = 100

/**
 * Datasets that are gone meanwhile are skipped. A run that was interrupted goes on behind the last page that was written; one
 * that tries again what failed is fed with that alone. Throws `unknown-catalogue` and `store-unavailable`.
 */
export const feeds =
  (deps: FeedDeps) =>
  (feed: Feed): SegmentFunction =>
    async function* (_, context, signal) {
      const { total, pages } = await listed(deps, feed, context, signal)
      context.sink.total(total)
      yield { kind: 'total', total }
      const reading: Reading = {
        ...deps,
        typeOf: catalogueTypes(deps),
        metricsGraph: `urn:cartulary:${encodeURIComponent(context.pipe)}`,
        withMetrics: feed.withMetrics ?? false,
      }
      const pulseMs = feed.pulseMs ?? 0
      const ids = paced(deps, pages, pulseMs, signal)
      const read = (some: readonly Wanted[]) => datasetMessages(reading, some, signal)
      const most = () => mostOf(deps.repository, pulseMs, signal)
      const groups = inOrder(grouped(ids, most), read, pulseMs > 0 ? 1 : atOnce)
      yield* paged(groups, context)
      yield { kind: 'end', completeness: { kind: 'complete', fingerprint: '' } }
    }

/** What failed, what was asked for, or all that there is. */
async function listed(
  deps: FeedDeps,
  feed: Feed,
  { only, resumeFrom }: SegmentContext,
  signal: AbortSignal,
): Promise<IdList> {
  const chosen = only ? [...only] : feed.datasets
  if (!chosen) return idList(deps, feed.catalogue, resumeFrom, signal)
  const ids = [...new Set(chosen)].toSorted()
  return { total: ids.length, pages: single(ids.filter((id) => id > (resumeFrom ?? ''))) }
}

async function* single(ids: readonly string[]): AsyncGenerator<readonly string[]> {
  yield ids
}

async function* paced(
  { pause }: FeedDeps,
  pages: AsyncIterable<readonly string[]>,
  pulseMs: number,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let isFirst = true
  for await (const ids of pages) {
    for (const id of ids) {
      if (pulseMs > 0 && !isFirst) await pause(pulseMs, signal)
      signal.throwIfAborted()
      isFirst = false
      yield id
    }
  }
}

/** How many may be read together when it is their turn: with a pulse each dataset goes by itself. */
const mostOf = ({ turn }: Repository, pulseMs: number, signal: AbortSignal): Promise<number> =>
  turn(async (most) => (pulseMs > 0 ? 1 : most), signal)

/** As many together as may be read then. */
async function* grouped(
  ids: AsyncIterable<string>,
  mostNow: () => Promise<number>,
): AsyncGenerator<readonly Wanted[]> {
  let counter = 0
  let most = 0
  let group: Wanted[] = []
  for await (const id of ids) {
    // The ids are asked for first: what goes while somebody waits for its turn is told as gone.
    if (group.length === 0) most = await mostNow()
    group.push({ id, counter: (counter += 1) })
    if (group.length < most) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}

/** Messages with a page behind every hundredth. */
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
