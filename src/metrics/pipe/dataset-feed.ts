/**
 * First step of a pipe without an importer: reads datasets of the store in the order of their ids. The ids are listed once at the
 * start; a dataset that is deleted meanwhile is skipped.
 */

import { Failure } from '../../errors.ts'
import { mapOrdered } from '../../pipe/map-ordered.ts'
import type { Message } from '../../pipe/message.ts'
import type { Feed } from '../../pipe/runs/run.ts'
import type { SegmentContext, SegmentFunction } from '../../pipe/segment.ts'
import { readLines } from '../../rdf/lines.ts'
import { unskolemiseLines } from '../../rdf/skolem.ts'
import { namedNode } from '../../rdf/terms.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import type { Pause } from '../../workers/pause.ts'
import { retry } from '../../workers/retry.ts'
import {
  catalogueIds,
  datasetIds,
  requireDatasetIds,
  type MetricsSource,
  readCatalogues,
} from '../figures/catalogue-reader.ts'
import type { MetricsRepository } from './metrics-repository.ts'
import { messageOfPayload, inOneGraph } from './payload.ts'

type FeedContext = MetricsSource & {
  readonly repository: Pick<MetricsRepository, 'turn'>
  readonly pause: Pause
}

/** Groups of datasets that are read at once, ahead of measuring; with a pulse one. */
const atOnce = 3
/** Datasets after which a run stores its position. */
const pageSize = 100
/** Attempts to read the same datasets. */
const attempts = 5

/**
 * Makes the first step of a run. An interrupted run resumes after its last stored position; a retry reads the failed datasets
 * alone. Throws `unknown-catalogue`, and what the store throws.
 */
export const feedSegment =
  (deps: FeedContext) =>
  (feed: Feed): SegmentFunction =>
    async function* (_, context, signal) {
      const { sink, resumeFrom = '' } = context
      const { pulseMs = 0 } = feed
      const ids = await idsOfRun(deps, feed, context, signal)
      sink.total(ids.length)
      yield { kind: 'total', total: ids.length }
      const reader = new FeedReader(deps, feed, context, signal)
      const groups = groupsOf(
        deps,
        ids.filter((id) => id > resumeFrom),
        pulseMs,
        signal,
      )
      const read = (items: readonly FeedItem[]) => reader.messagesOf(items)
      let count = 0
      for await (const messages of mapOrdered(groups, read, pulseMs > 0 ? 1 : atOnce))
        for (const message of messages) {
          sink.offered()
          yield message
          count += 1
          const cursor = 'sourceId' in message ? message.sourceId : undefined
          if (count % pageSize !== 0 || cursor === undefined) continue
          sink.page({ cursor })
          yield { kind: 'page', cursor }
        }
      yield { kind: 'end', completeness: { kind: 'complete', fingerprint: '' } }
    }

/** Ids in the order of the run: those to try again, else those of the feed, else all of the catalogue or of the platform. */
async function idsOfRun(
  context: FeedContext,
  { datasets, catalogue }: Feed,
  { only }: SegmentContext,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const chosenIds = only ? [...only] : datasets
  if (chosenIds) return [...new Set(chosenIds)].toSorted()
  if (catalogue !== undefined) return requireDatasetIds(context, catalogue, signal)
  const ids = new Set<string>()
  for (const catalogueId of await catalogueIds(context, signal))
    for (const id of await datasetIds(context, catalogueId, signal)) ids.add(id)
  return [...ids].toSorted()
}

/** Id of a dataset, and its position in the run. */
type FeedItem = { readonly id: string; readonly counter: number }

/** Yields groups of as many datasets as the repository permits at the time; with a pulse each dataset is a group. */
async function* groupsOf(
  { repository, pause }: FeedContext,
  ids: readonly string[],
  pulseMs: number,
  signal: AbortSignal,
): AsyncGenerator<readonly FeedItem[]> {
  for (let offset = 0; offset < ids.length;) {
    if (pulseMs > 0 && offset > 0) await pause(pulseMs, signal)
    signal.throwIfAborted()
    // What is deleted while this waits for its turn is skipped as gone.
    const size = await repository.turn(
      async (free) => (pulseMs > 0 ? 1 : Math.max(1, free)),
      signal,
    )
    const start = offset + 1
    yield ids.slice(offset, (offset += size)).map((id, index) => ({ id, counter: start + index }))
  }
}

const cataloguesQuery = loadQuery('dataset-catalogues')

/** Reads datasets of one run, with the types of their catalogues. */
class FeedReader {
  readonly #deps: FeedContext
  readonly #withMetrics: boolean
  /** Name of the metrics graph in the payload. */
  readonly #metricsGraph: string
  readonly #signal: AbortSignal
  /** Catalogue → its `dct:type`, which decides what is measured; asked once per catalogue. */
  readonly #types = new Map<string, string | undefined>()

  constructor(deps: FeedContext, feed: Feed, { pipe }: SegmentContext, signal: AbortSignal) {
    this.#deps = deps
    this.#withMetrics = feed.withMetrics === true
    this.#metricsGraph = `urn:cartulary:${encodeURIComponent(pipe)}`
    this.#signal = signal
  }

  /**
   * Returns a message for each dataset, in their order: `skipped` when it was deleted, `refused` when its group cannot be read in
   * all attempts.
   */
  async messagesOf(items: readonly FeedItem[]): Promise<readonly Message[]> {
    const signal = this.#signal
    try {
      return await retry(() => this.#read(items), {
        delayMs: (outcome, attempt) =>
          'error' in outcome && outcome.error instanceof Failure && attempt < attempts
            ? 500 * 2 ** attempt
            : undefined,
        pause: (ms) => this.#deps.pause(ms, signal),
        signal,
      })
    } catch (problem) {
      if (!(problem instanceof Failure) || signal.aborted) throw problem
      return items.map(({ id }) => ({ kind: 'refused', sourceId: id, stage: 'import', problem }))
    }
  }

  async #read(items: readonly FeedItem[]): Promise<readonly Message[]> {
    const { store, names } = this.#deps
    const graphs = items.flatMap(({ id }) =>
      this.#withMetrics ? [names.dataset(id), names.metrics(id)] : [names.dataset(id)],
    )
    const [texts, catalogues] = await Promise.all([
      store.readAll(graphs, {}, this.#signal),
      this.#cataloguesOf(items),
    ])
    // Labels of blank nodes are unique to the graph: those of the two documents do not meet.
    const unskolemised = (text: string) => unskolemiseLines(text, { prefix: names.genidPrefix })
    const messageOf = async ({ id, counter }: FeedItem): Promise<Message> => {
      const iri = names.dataset(id)
      const text = texts.get(iri)
      if (text === undefined)
        return { kind: 'skipped', sourceId: id, reason: 'the dataset is gone' }
      const catalogue = catalogues.get(id)
      const source = this.#types.get(catalogue ?? '')
      const metricsGraph = this.#metricsGraph
      const metricsQuads = await readLines(unskolemised(texts.get(names.metrics(id)) ?? ''))
      const lines = unskolemised(text)
      const payload = {
        subject: { id, iri, catalogue, source },
        dataset: await readLines(lines),
        metrics: inOneGraph(metricsQuads, metricsGraph),
        metricsGraph,
        lines,
      }
      return messageOfPayload(payload, counter)
    }
    const messages: Message[] = []
    for (const item of items) messages.push(await messageOf(item))
    return messages
  }

  /**
   * Ids of the datasets → ids of their catalogues, the last one where there are several. Reads the types of the catalogues too.
   */
  async #cataloguesOf(items: readonly FeedItem[]): Promise<ReadonlyMap<string, string>> {
    const { store, names } = this.#deps
    const dataset = items.map(({ id }) => namedNode(names.dataset(id)))
    const catalogueByDataset = new Map<string, string>()
    for (const row of await store.select(bind(cataloguesQuery, { dataset }), this.#signal)) {
      const id = names.idOf('dataset', row['dataset']?.value ?? '')
      const catalogue = names.idOf('catalogue', row['catalogue']?.value ?? '')
      if (id !== undefined && catalogue !== undefined) catalogueByDataset.set(id, catalogue)
    }
    const unreadIds = [...new Set(catalogueByDataset.values())].filter((id) => !this.#types.has(id))
    const catalogues = await readCatalogues(this.#deps, unreadIds, this.#signal)
    for (const [id, { type }] of catalogues) this.#types.set(id, type?.toLowerCase())
    return catalogueByDataset
  }
}
