/**
 * The first step of a pipe without an importer: datasets of the store, one by one, in the order of their ids. They are listed once
 * at the start: each comes once, and datasets that are gone meanwhile are skipped.
 */

import { Failure } from '../../errors.ts'
import { inOrder } from '../../pipe/ahead.ts'
import type { Message } from '../../pipe/message.ts'
import type { Feed } from '../../pipe/runs/run.ts'
import type { SegmentContext, SegmentFunction } from '../../pipe/segment.ts'
import { fromLines } from '../../rdf/lines.ts'
import { unskolemiseLines } from '../../rdf/skolem.ts'
import { namedNode } from '../../rdf/terms.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import { retry, type Pause } from '../../workers/retry.ts'
import {
  catalogueIds,
  datasetIds,
  knownDatasetIds,
  type MetricsSource,
} from '../figures/catalogue-reader.ts'
import type { MetricsRepository } from './metrics-export.ts'
import { fedMessage, inOneGraph } from './payload.ts'

type FeedContext = MetricsSource & {
  readonly repository: Pick<MetricsRepository, 'turn'>
  readonly pause: Pause
}

/** Groups of datasets: while one is measured the next are read. */
const atOnce = 3
/** A run goes on after the last of so many. */
const pageSize = 100

/**
 * A run that was interrupted goes on after the last page that was written; one that tries again what failed is fed with that
 * alone. Throws `unknown-catalogue`, and what the store throws.
 */
export const feeds =
  (deps: FeedContext) =>
  (feed: Feed): SegmentFunction =>
    async function* (_, context, signal) {
      const { sink, pipe, resumeFrom = '' } = context
      const { pulseMs = 0, withMetrics = false } = feed
      const all = await listed(deps, feed, context, signal)
      sink.total(all.length)
      yield { kind: 'total', total: all.length }
      const reading: Reading = {
        ...deps,
        typeOf: catalogueTypes(deps),
        metricsGraph: `urn:cartulary:${encodeURIComponent(pipe)}`,
        withMetrics,
      }
      const rest = all.filter((id) => id > resumeFrom)
      const read = (some: readonly FeedItem[]) => messagesOf(reading, some, signal)
      let count = 0
      for await (const messages of inOrder(
        grouped(deps, rest, pulseMs, signal),
        read,
        pulseMs > 0 ? 1 : atOnce,
      ))
        for (const message of messages) {
          sink.offered()
          yield message
          count += 1
          if (count % pageSize !== 0 || !('sourceId' in message)) continue
          const cursor = message.sourceId
          if (cursor === undefined) continue
          sink.page({ cursor })
          yield { kind: 'page', cursor }
        }
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

/** `counter` is the place in the run. */
type FeedItem = { readonly id: string; readonly counter: number }

/** As many together as may be read when it is their turn; with a pulse each dataset goes by itself. */
async function* grouped(
  { repository, pause }: FeedContext,
  ids: readonly string[],
  pulseMs: number,
  signal: AbortSignal,
): AsyncGenerator<readonly FeedItem[]> {
  for (let at = 0; at < ids.length;) {
    if (pulseMs > 0 && at > 0) await pause(pulseMs, signal)
    signal.throwIfAborted()
    // What is deleted while this waits for its turn is skipped as gone.
    const most = await repository.turn(
      async (free) => (pulseMs > 0 ? 1 : Math.max(1, free)),
      signal,
    )
    const start = at + 1
    yield ids.slice(at, (at += most)).map((id, place) => ({ id, counter: start + place }))
  }
}

type Reading = FeedContext & {
  /** `dct:type` of a catalogue as a pipe says it, such as `dcat-ap`. */
  readonly typeOf: (catalogue: string, signal: AbortSignal) => Promise<string | undefined>
  /** Name of the metrics graph in the payload. */
  readonly metricsGraph: string
  /** The present metrics graph is included. */
  readonly withMetrics: boolean
}

const attempts = 5

/**
 * A message for each, in their order: `skipped` when the dataset is gone, `refused` when it cannot be read although the store
 * was asked again and again.
 */
async function messagesOf(
  reading: Reading,
  items: readonly FeedItem[],
  signal: AbortSignal,
): Promise<readonly Message[]> {
  try {
    return await retry(() => readMessages(reading, items, signal), {
      delayMs: (outcome, attempt) =>
        'error' in outcome && outcome.error instanceof Failure && attempt < attempts
          ? 500 * 2 ** attempt
          : undefined,
      pause: (ms) => reading.pause(ms, signal),
      signal,
    })
  } catch (problem) {
    if (!(problem instanceof Failure) || signal.aborted) throw problem
    return items.map(({ id }) => ({ kind: 'refused', sourceId: id, stage: 'import', problem }))
  }
}

async function readMessages(
  reading: Reading,
  items: readonly FeedItem[],
  signal: AbortSignal,
): Promise<readonly Message[]> {
  const { store, names, typeOf, withMetrics, metricsGraph } = reading
  const graphs = items.flatMap(({ id }) =>
    withMetrics ? [names.dataset(id), names.metrics(id)] : [names.dataset(id)],
  )
  const [texts, catalogues] = await Promise.all([
    store.readAll(graphs, {}, signal),
    cataloguesOf(reading, items, signal),
  ])
  // Labels of blank nodes are unique to the graph: those of the two documents do not meet.
  const plain = (text: string) => unskolemiseLines(text, { prefix: names.genidPrefix })
  const messageOf = async ({ id, counter }: FeedItem): Promise<Message> => {
    const iri = names.dataset(id)
    const text = texts.get(iri)
    if (text === undefined) return { kind: 'skipped', sourceId: id, reason: 'the dataset is gone' }
    const catalogue = catalogues.get(id)
    const source = catalogue === undefined ? undefined : await typeOf(catalogue, signal)
    const about = {
      ...(catalogue !== undefined && { catalogue }),
      ...(source !== undefined && { source }),
    }
    const measured = withMetrics ? texts.get(names.metrics(id)) : undefined
    const metrics =
      measured === undefined ? [] : inOneGraph(fromLines(plain(measured)), metricsGraph)
    const lines = plain(text)
    const subject = { id, iri, ...about }
    return fedMessage({ subject, dataset: fromLines(lines), metrics, metricsGraph, lines }, counter)
  }
  return Promise.all(items.map(messageOf))
}

const queries = {
  catalogues: loadQuery('dataset-catalogues'),
  type: loadQuery('metrics/catalogue-type'),
}

/** Dataset → catalogue, both ids. */
async function cataloguesOf(
  { store, names }: MetricsSource,
  items: readonly FeedItem[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const dataset = items.map(({ id }) => namedNode(names.dataset(id)))
  const found = new Map<string, string>()
  for (const row of await store.select(bind(queries.catalogues, { dataset }), signal)) {
    const id = names.idOf('dataset', row['dataset']?.value ?? '')
    const catalogue = names.idOf('catalogue', row['catalogue']?.value ?? '')
    if (id !== undefined && catalogue !== undefined) found.set(id, catalogue)
  }
  return found
}

/**
 * The `dct:type` of catalogues, which decides what is measured: a literal as it is, of an IRI its last part in lower case;
 * `dcat-ap` before all others. Asked once per catalogue.
 */
function catalogueTypes({ store, names }: MetricsSource): Reading['typeOf'] {
  const known = new Map<string, Promise<string | undefined>>()
  const asked = async (id: string, signal: AbortSignal) => {
    const catalogue = namedNode(names.catalogue(id))
    const rows = await store.select(bind(queries.type, { catalogue }), signal)
    const types = rows.flatMap(({ type }) => (type ? [typeName(type.value)] : []))
    return types.find((type) => type === 'dcat-ap') ?? types[0]
  }
  return (id, signal) => {
    const type = known.get(id) ?? asked(id, signal)
    if (known.size < 10_000) known.set(id, type)
    type.catch(() => known.delete(id))
    return type
  }
}

function typeName(value: string): string {
  const text = value.trim()
  if (!/^[a-z][a-z0-9+.-]*:/i.test(text)) return text.toLowerCase()
  return (/[/#:]([^/#:]+)[/#]*$/.exec(text)?.[1] ?? text).toLowerCase()
}
