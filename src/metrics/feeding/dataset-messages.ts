/** Datasets of the repository as the messages that go through a pipe. */

import { Failure } from '../../errors.ts'
import type { Message, RecordMessage } from '../../pipe/message.ts'
import { fromLines } from '../../rdf/lines.ts'
import type { Names } from '../../rdf/names.ts'
import { unskolemiseLines } from '../../rdf/skolem.ts'
import { namedNode } from '../../rdf/terms.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import { inOneGraph } from '../travelling/reading.ts'
import { fedMessage } from '../travelling/payload.ts'
import type { Subject } from '../travelling/subject.ts'

export type Reading = {
  readonly store: Pick<GraphStore, 'select' | 'readAll'>
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  readonly names: Names
  /** `dct:type` of a catalogue as a pipe says it, such as `dcat-ap`. */
  readonly typeOf: (catalogue: string, signal: AbortSignal) => Promise<string | undefined>
  /** Name of the metrics graph in the payload. */
  readonly metricsGraph: string
  /** The present metrics graph goes along. */
  readonly withMetrics: boolean
}

/** A dataset that is wanted; `counter` is its place in the run. */
export type Wanted = { readonly id: string; readonly counter: number }

const attempts = 5

/**
 * A message for each, in their order: `skipped` when the dataset is gone, `refused` when it cannot be read although the store
 * was asked again and again.
 */
export async function datasetMessages(
  reading: Reading,
  wanted: readonly Wanted[],
  signal: AbortSignal,
): Promise<readonly Message[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await messages(reading, wanted, signal)
    } catch (problem) {
      signal.throwIfAborted()
      if (!(problem instanceof Failure)) throw problem
      if (attempt >= attempts)
        return wanted.map(({ id }) => ({ kind: 'refused', sourceId: id, stage: 'import', problem }))
    }
    await reading.pause(500 * 2 ** attempt, signal)
  }
}

async function messages(
  reading: Reading,
  wanted: readonly Wanted[],
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
  { store, names }: Pick<Reading, 'store' | 'names'>,
  wanted: readonly Wanted[],
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
  readonly subject: Subject
  readonly counter: number
  /** As it is stored. */
  readonly text: string
  readonly metrics: string | undefined
}

function messageOf(
  { names, metricsGraph }: Pick<Reading, 'names' | 'metricsGraph'>,
  { subject, counter, text, metrics }: Stored,
): RecordMessage {
  // Labels of blank nodes are unique to the graph: those of the two documents do not meet.
  const plain = (lines: string) => unskolemiseLines(lines, { prefix: names.genidPrefix })
  const lines = plain(text)
  const measured = metrics === undefined ? [] : inOneGraph(fromLines(plain(metrics)), metricsGraph)
  const dataset = fromLines(lines)
  return fedMessage({ subject, dataset, metrics: measured, metricsGraph, lines }, counter)
}
