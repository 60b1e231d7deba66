/**
 * The quality metrics of datasets: a graph of their own that goes with its dataset and is replaced as a whole, by a PUT or for
 * many datasets at once by those of this process who measure whole catalogues.
 */

import { hash } from 'node:crypto'
import type { Quad } from '@rdfjs/types'
import { Failure } from '../errors.ts'
import { fromLines } from '../rdf/lines.ts'
import { dqv, prov, xsd } from '../rdf/namespaces.ts'
import { keyOf } from '../rdf/read.ts'
import { markLine, systemChange, type Fresh, type Mark } from '../store/marks.ts'
import type { YieldWhenDue } from '../workers/event-loop.ts'
import type { Precondition, ResourceBody, WriteContext, WriteOutcome } from './context.ts'
import { datasetLock } from './deleting/members.ts'
import { changeDataset, type DatasetPlace } from './writing/dataset-edit.ts'
import { datasetPlaces, unknownCatalogue, unknownDataset } from './writing/find-datasets.ts'
import { landBatch, type Planned } from './writing/write-batch.ts'
import { metricsGraph } from './metrics-graph.ts'

type MetricsPut = {
  readonly dataset: DatasetPlace
  readonly body: ResourceBody
  readonly precondition: Precondition
}

export type DatasetMetrics = {
  /** The lines of the graph, skolemised, and its hash; `undefined` when there is none. */
  read(
    dataset: string,
    signal: AbortSignal,
  ): Promise<{ readonly lines: string; readonly hash: string } | undefined>
  /** Replaces the graph; fails with `unknown-dataset`, `ambiguous-subject`, `invalid-content`, `too-large`. */
  put(request: MetricsPut, signal: AbortSignal): Promise<WriteOutcome>
  /** Fails with `unknown-metrics`. The mark is that of the dataset, whose document has the scores. */
  remove(request: Omit<MetricsPut, 'body'>, signal: AbortSignal): Promise<Mark>
}

export const unknownMetrics = (id: string) =>
  new Failure('unknown-metrics', `the dataset "${id}" has no quality metrics`)

/** Stored lines are the same for the same graph, so their hash is as good as the canonical one and costs nothing. */
const hashOfLines = (lines: string): string => hash('sha256', lines, 'hex')

export function datasetMetrics(deps: WriteContext): DatasetMetrics {
  const { store, names } = deps

  const read: DatasetMetrics['read'] = async (dataset, signal) => {
    const lines = await store.read(names.metrics(dataset), {}, signal)
    return lines === undefined ? undefined : { lines, hash: hashOfLines(lines) }
  }

  const put: DatasetMetrics['put'] = async ({ dataset, body, precondition }, signal) => {
    const { id, catalogue } = dataset
    const [graph, resource] = [names.metrics(id), names.dataset(id)]
    const sent = await body.parse(graph)
    const plan = async () => {
      const stored = await store.readAll([resource, graph], {}, signal)
      const text = stored.get(resource)
      if (text === undefined) throw unknownDataset(id)
      const before = stored.get(graph)
      const { content, said } = await metricsGraph(deps, id, text, sent)
      precondition(before === undefined ? undefined : hashOfLines(before))
      const kind = before === undefined ? ('created' as const) : ('updated' as const)
      const changes = [{ graph, content, before: before ?? '' }]
      const fresh = measuredAlone({ catalogue, resource, text, said })
      return { result: { kind, hash: hashOfLines(content) }, changes, fresh }
    }
    const { result, ...written } = await changeDataset(deps, dataset, plan, signal)
    return { ...result, iri: graph, catalogue, modified: undefined, ...written }
  }

  const remove: DatasetMetrics['remove'] = async ({ dataset, precondition }, signal) => {
    const graph = names.metrics(dataset.id)
    const plan = async () => {
      const before = await store.read(graph, {}, signal)
      if (before === undefined) throw unknownMetrics(dataset.id)
      precondition(hashOfLines(before))
      return { result: undefined, changes: [{ graph, drop: true as const }] }
    }
    const { mark } = await changeDataset(deps, dataset, plan, signal)
    if (!mark) throw new Error('a removal is a change')
    return mark
  }

  return { read, put, remove }
}

/** Metrics as a PUT of them would send them; ids are the platform's. */
type MetricsOf = { readonly dataset: string; readonly quads: readonly Quad[] }

/** `unchanged`: the stored ones say the same and are younger than a week. `gone`: there is no such dataset. */
type MetricsVerdict = 'created' | 'updated' | 'unchanged' | 'gone' | Failure

/**
 * A verdict for each, in their order; one that fails harms no other. No dataset may be among them twice. Rejects when the
 * signal fires before anything is written, and when the store cannot be asked.
 */
export type ManyMetrics = (
  many: readonly MetricsOf[],
  signal: AbortSignal,
) => Promise<readonly MetricsVerdict[]>

/** Metrics that are measured again and again say by their time that they still hold, but need not say so every night. */
const holdsMs = 7 * 86_400_000

type ManyDeps = WriteContext & { readonly pause: YieldWhenDue }

export const manyMetrics =
  (deps: ManyDeps): ManyMetrics =>
  async (many, signal) => {
    const ids = many.map(({ dataset }) => dataset)
    const places = await datasetPlaces(deps, ids, signal)
    const locks = [...places.values()].map(({ catalogue, originalId }) =>
      datasetLock(catalogue, originalId),
    )
    return deps.locks.runAll(locks, () => landMany(deps, many, places, signal), signal)
  }

async function landMany(
  deps: ManyDeps,
  many: readonly MetricsOf[],
  places: ReadonlyMap<string, DatasetPlace>,
  signal: AbortSignal,
): Promise<readonly MetricsVerdict[]> {
  const { store, names, deletions } = deps
  const catalogues = new Set([...places.values()].map(({ catalogue }) => catalogue))
  const watches = new Map([...catalogues].map((one) => [one, deletions.watch(one)]))
  const graphs = [...places.keys()].flatMap((id) => [names.dataset(id), names.metrics(id)])
  const stored = await store.readAll(graphs, {}, signal)
  const planned: Planned<MetricsVerdict>[] = []
  for (const one of many) {
    const place = places.get(one.dataset)
    if (!place) planned.push({ result: 'gone' })
    else {
      const check = () => {
        if (watches.get(place.catalogue)?.()) throw unknownCatalogue(place.catalogue)
      }
      planned.push(await planMetrics(deps, one, { ...place, stored, check }))
    }
    await deps.pause()
  }
  const results = await landBatch(deps, planned)
  return results.map((one) => ('result' in one ? one.result : verdictOfFailure(one.failure)))
}

type Before = DatasetPlace & {
  /** The graphs of the dataset and of its metrics, by their names. */
  readonly stored: ReadonlyMap<string, string>
  readonly check: () => void
}

async function planMetrics(
  deps: ManyDeps,
  { dataset, quads }: MetricsOf,
  { catalogue, stored, check }: Before,
): Promise<Planned<MetricsVerdict>> {
  const { names, versions } = deps
  const [graph, resource] = [names.metrics(dataset), names.dataset(dataset)]
  const [text, before] = [stored.get(resource), stored.get(graph)]
  if (text === undefined) return { result: 'gone' }
  try {
    const { content, said } = await metricsGraph(deps, dataset, text, quads)
    const difference = before === undefined ? 'numbers' : differenceOf(before, content)
    const age = timeIn(content, graph) - timeIn(before ?? '', graph)
    if (difference === 'times' && age < holdsMs) return { result: 'unchanged' }
    const change = { graph, content, before: before ?? '' }
    if (difference !== 'numbers')
      return { result: 'updated', group: { changes: [change], marks: [] }, check }
    const mark = { resource, version: versions.next() }
    const fresh = measuredAlone({ catalogue, resource, text, said })
    const pending = systemChange({ add: [markLine('pending', mark)] })
    const group = { changes: [change, pending], marks: [{ ...mark, fresh }] }
    return { result: before === undefined ? 'created' : 'updated', group, check }
  } catch (failure) {
    if (failure instanceof Failure) return { failure }
    throw failure
  }
}

function verdictOfFailure(failure: unknown): MetricsVerdict {
  if (!(failure instanceof Failure))
    return new Failure('store-unavailable', 'the store did not take the metrics', {
      cause: failure,
    })
  return failure.kind === 'unknown-catalogue' ? 'gone' : failure
}

const link = dqv('hasQualityMeasurement').value
const value = dqv('value').value
const time = prov('generatedAtTime').value
const boolean = xsd('boolean').value

type Alone = {
  /** Id of the dataset's catalogue. */
  readonly catalogue: string
  /** IRI of the dataset. */
  readonly resource: string
  /** The dataset as it is stored. */
  readonly text: string
  /** What its metrics say. */
  readonly said: readonly Quad[]
}

/** What a dataset holds of which nothing but the metrics was written. */
export const measuredAlone = ({ catalogue, resource, text, said }: Alone): Fresh => ({
  catalogue,
  quads: () => fromLines(text),
  created: false,
  scores: scoresIn(said, resource),
})

/**
 * The measurements whose value may be a number, links of the dataset to them included: its document needs no others. Scores
 * come in every datatype there is for numbers.
 */
function scoresIn(quads: readonly Quad[], dataset: string): readonly Quad[] {
  const numbers = new Set<string>()
  for (const { subject, predicate, object } of quads) {
    if (predicate.value !== value || object.termType !== 'Literal') continue
    if (object.datatype.value !== boolean) numbers.add(keyOf(subject))
  }
  return quads.filter(
    ({ subject, predicate, object }) =>
      numbers.has(keyOf(subject)) ||
      (predicate.value === link && subject.value === dataset && numbers.has(keyOf(object))),
  )
}

const timed = ` <${time}> `
const valued = ` <${value}> `
const truth = `"^^<${boolean}> .`

/**
 * What differs between two states of a graph: `times` alone, or also what documents do not show, or `numbers`, which may be
 * scores. A graph that says when it was measured says it of each measurement, hence in the same places.
 */
function differenceOf(before: string, after: string): 'times' | 'more' | 'numbers' {
  const [old, next] = [before.split('\n'), after.split('\n')]
  const isSame = (line: string, at: number) => {
    const other = next[at] ?? ''
    return line === other || (line.includes(timed) && other.includes(timed))
  }
  if (old.length === next.length && old.every(isSame)) return 'times'
  const numbers = (lines: readonly string[]) =>
    lines.filter((line) => line.includes(valued) && !line.endsWith(truth)).join('\n')
  return numbers(old) === numbers(next) ? 'more' : 'numbers'
}

/** When a graph was made, in milliseconds since 1970; 0 where it does not say. */
function timeIn(lines: string, metrics: string): number {
  const start = `<${metrics}> <${time}> "`
  const at = lines.indexOf(start)
  const text = at < 0 ? '' : lines.slice(at + start.length, lines.indexOf('"', at + start.length))
  return Date.parse(text) || 0
}
