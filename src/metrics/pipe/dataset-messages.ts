/** Datasets of the repository as the messages that go through a pipe. */

import { Failure } from '../../errors.ts'
import type { Message, RecordMessage } from '../../pipe/message.ts'
import { fromLines } from '../../rdf/lines.ts'
import type { Names } from '../../rdf/names.ts'
import { unskolemiseLines } from '../../rdf/skolem.ts'
import { namedNode } from '../../rdf/terms.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import { retry, type Pause } from '../../workers/retry.ts'
import { fedMessage, inOneGraph, type MeasuredSubject } from './payload.ts'

export type FeedReading = {
  readonly store: Pick<GraphStore, 'select' | 'readAll'>
  readonly pause: Pause
  readonly names: Names
  /** `dct:type` of a catalogue as a pipe says it, such as `dcat-ap`. */
  readonly typeOf: (catalogue: string, signal: AbortSignal) => Promise<string | undefined>
  /** Name of the metrics graph in the payload. */
  readonly metricsGraph: string
  /** The present metrics graph goes along. */
  readonly withMetrics: boolean
}

/** A dataset that is wanted; `counter` is its place in the run. */
export type FeedItem = { readonly id: string; readonly counter: number }

const attempts = 5

/**
 * A message for each, in their order: `skipped` when the dataset is gone, `refused` when it cannot be read although the store
 * was asked again and again.
 */
export async function datasetMessages(
  reading: FeedReading,
  wanted: readonly FeedItem[],
  signal: AbortSignal,
): Promise<readonly Message[]> {
  try {
    return await retry(() => messages(reading, wanted, signal), {
      delayMs: (outcome, attempt) =>
        'error' in outcome && outcome.error instanceof Failure && attempt < attempts
          ? 500 * 2 ** attempt
          : undefined,
      pause: (ms) => reading.pause(ms, signal),
      signal,
    })
  } catch (problem) {
    if (!(problem instanceof Failure) || signal.aborted) throw problem
    return wanted.map(({ id }) => ({ kind: 'refused', sourceId: id, stage: 'import', problem }))
  }
}

async function messages(
  reading: FeedReading,
  wanted: readonly FeedItem[],
  signal: AbortSignal,
): Promise<readonly Message[]> {
  const { store, names, typeOf, withMetrics } = reading
  const graphs = wanted.flatMap(({ id }) =>
    withMetrics ? [names.dataset(id), names.metrics(id)] : [names.dataset(id)],
  )
  const [texts, homes] = await Promise.all([
    store.readAll(graphs, {}, signal),
    cataloguesOf(reading, wanted, signal),
  ])
  const found: Message[] = []
  for (const { id, counter } of wanted) {
    const text = texts.get(names.dataset(id))
    if (text === undefined) {
      found.push({ kind: 'skipped', sourceId: id, reason: 'the dataset is gone' })
      continue
    }
    const catalogue = homes.get(id)
    const source = catalogue === undefined ? undefined : await typeOf(catalogue, signal)
    const subject = {
      id,
      iri: names.dataset(id),
      ...(catalogue !== undefined && { catalogue }),
      ...(source !== undefined && { source }),
    }
    const metrics = withMetrics ? texts.get(names.metrics(id)) : undefined
    found.push(messageOf(reading, { subject, counter, text, metrics }))
  }
  return found
}

const homesQuery = loadQuery('dataset-catalogues')

/** Dataset → catalogue, both ids. */
async function cataloguesOf(
  { store, names }: Pick<FeedReading, 'store' | 'names'>,
  wanted: readonly FeedItem[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const dataset = wanted.map(({ id }) => namedNode(names.dataset(id)))
  const found = new Map<string, string>()
  for (const row of await store.select(bind(homesQuery, { dataset }), signal)) {
    const id = names.idOf('dataset', row['dataset']?.value ?? '')
    const catalogue = names.idOf('catalogue', row['catalogue']?.value ?? '')
    if (id !== undefined && catalogue !== undefined) found.set(id, catalogue)
  }
  return found
}

type Stored = {
  readonly subject: MeasuredSubject
  readonly counter: number
  /** As it is stored. */
  readonly text: string
  readonly metrics: string | undefined
}

function messageOf(
  { names, metricsGraph }: Pick<FeedReading, 'names' | 'metricsGraph'>,
  { subject, counter, text, metrics }: Stored,
): RecordMessage {
  // Labels of blank nodes are unique to the graph: those of the two documents do not meet.
  const plain = (lines: string) => unskolemiseLines(lines, { prefix: names.genidPrefix })
  const lines = plain(text)
  const measured = metrics === undefined ? [] : inOneGraph(fromLines(plain(metrics)), metricsGraph)
  const dataset = fromLines(lines)
  return fedMessage({ subject, dataset, metrics: measured, metricsGraph, lines }, counter)
}

// Of what kind the metadata of a catalogue is: decides what is measured.

const query = loadQuery('metrics/catalogue-type')

type CatalogueTypes = (catalogue: string, signal: AbortSignal) => Promise<string | undefined>

/**
 * The `dct:type` of catalogues: a literal as it is, of an IRI its last part in lower case; `dcat-ap` before all others. Asked
 * once per catalogue.
 */
export function catalogueTypes(
  { store, names }: { readonly store: Pick<GraphStore, 'select'>; readonly names: Names },
  most = 10_000,
): CatalogueTypes {
  const known = new Map<string, Promise<string | undefined>>()
  return async (id, signal) => {
    const before = known.get(id)
    if (before) return before
    const rows = store.select(bind(query, { catalogue: namedNode(names.catalogue(id)) }), signal)
    const asked = rows.then((found) => {
      const types = found.flatMap(({ type }) => (type ? [plain(type.value)] : []))
      return types.find((type) => type === 'dcat-ap') ?? types[0]
    })
    if (known.size >= most) known.clear()
    known.set(id, asked)
    asked.catch(() => known.delete(id))
    return asked
  }
}

function plain(value: string): string {
  const text = value.trim()
  if (!/^[a-z][a-z0-9+.-]*:/i.test(text)) return text.toLowerCase()
  return (/[/#:]([^/#:]+)[/#]*$/.exec(text)?.[1] ?? text).toLowerCase()
}
