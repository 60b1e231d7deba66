/**
 * The quality metrics of datasets: a graph of their own that goes with its dataset and is replaced as a whole, by a PUT or for
 * many datasets at once by those of this process who measure whole catalogues.
 */

import { hash } from 'node:crypto'
import type { Quad } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { fromLines } from '../../rdf/lines.ts'
import { dqv, prov, xsd } from '../../rdf/namespaces.ts'
import { keyOf } from '../../rdf/read.ts'
import { markLine, systemChange, type Fresh } from '../../store/marks.ts'
import { metricsGraph } from '../content/metrics-graph.ts'
import type { RepositoryContext, WriteOutcome } from '../context.ts'
import { contract } from '../routes/contract.ts'
import { answerDelete, answerStoredGraph } from '../routes/responses.ts'
import {
  expectedState,
  respondToWrite,
  suffixedId,
  type RouteContext,
  type WriteRequest,
} from '../routes/route-context.ts'
import { changeDataset, type DatasetPlace } from '../writing/dataset-writer.ts'
import { datasetLock } from '../writing/dataset-ids.ts'
import { datasetPlaces, findById, unknownDataset } from '../writing/find-datasets.ts'
import { landBatch, type Planned } from '../writing/write-batch.ts'

const { answers, bodies, putRoute, readRoute, removeRoute, parameters } = contract

const unknownMetrics = (id: string) =>
  new Failure('unknown-metrics', `the dataset "${id}" has no quality metrics`)

/** Stored lines are the same for the same graph, so their hash is as good as the canonical one and costs nothing. */
const hashOfLines = (lines: string): string => hash('sha256', lines, 'hex')

type MetricsPut = WriteRequest & { readonly dataset: DatasetPlace }

/** Replaces the graph; fails with `unknown-dataset`, `ambiguous-subject`, `invalid-content`, `too-large`. */
async function putMetrics(
  context: RepositoryContext,
  { dataset, body, precondition }: MetricsPut,
  signal: AbortSignal,
): Promise<WriteOutcome> {
  const { store, names } = context
  const { id, catalogue } = dataset
  const [graph, resource] = [names.metrics(id), names.dataset(id)]
  const sent = await body.parse(graph)
  const plan = async () => {
    const stored = await store.readAll([resource, graph], {}, signal)
    const replaced = await replacement(context, dataset, sent, stored)
    if (!replaced) throw unknownDataset(id)
    const { before, change, fresh } = replaced
    precondition(before === undefined ? undefined : hashOfLines(before))
    const kind = before === undefined ? ('created' as const) : ('updated' as const)
    return { result: { kind, hash: hashOfLines(change.content) }, changes: [change], fresh }
  }
  const { result, ...written } = await changeDataset(context, dataset, plan, signal)
  return { ...result, iri: graph, catalogue, ...written }
}

/** The change of the graph of metrics; `stored` are it and that of the dataset, without which there is no change. */
async function replacement(
  context: RepositoryContext,
  { id, catalogue }: Pick<DatasetPlace, 'id' | 'catalogue'>,
  sent: readonly Quad[],
  stored: ReadonlyMap<string, string>,
) {
  const [graph, resource] = [context.names.metrics(id), context.names.dataset(id)]
  const [text, before] = [stored.get(resource), stored.get(graph)]
  if (text === undefined) return undefined
  const { content, said } = await metricsGraph(context, id, text, sent)
  const fresh = measuredAlone({ catalogue, resource, text, said })
  return { before, change: { graph, content, before: before ?? '' }, fresh }
}

const path = '/datasets/{datasetId}/metrics'
const params = parameters.dataset

const read = readRoute(
  path,
  'Read the quality metrics of a dataset (W3C Data Quality Vocabulary)',
  { params, query: parameters.historic },
)
const put = putRoute(
  path,
  'Replace the quality metrics of a dataset',
  { params, body: bodies.metrics },
  { responses: answers.replacement },
)
const remove = removeRoute(path, 'Delete the quality metrics of a dataset', { params })

/** The routes of metrics. The scores are searchable when the document of the dataset has them. */
export function addMetricsRoutes(context: RouteContext): void {
  const { app, guard, locateDataset, store, names } = context
  guard(async (c) => (await locateDataset(c)).catalogue, put, remove)

  app.openapi(read, async (c) => {
    const { id, suffix } = suffixedId(c, 'datasetId')
    const graph = names.metrics(id)
    const lines = await store.read(graph, {}, c.get('signal'))
    if (lines === undefined) {
      await findById(context, id, c.get('signal'))
      throw unknownMetrics(id)
    }
    const facts = { suffix, genidPrefix: names.genidPrefix, graph, name: `${id}-metrics` }
    return answerStoredGraph(c, lines, { ...facts, hash: hashOfLines(lines) })
  })
  app.openapi(put, async (c) => {
    const dataset = await locateDataset(c)
    return respondToWrite(
      c,
      context,
      (request, signal) => putMetrics(context, { dataset, ...request }, signal),
      names.dataset(dataset.id),
    )
  })
  app.openapi(remove, async (c) => {
    const dataset = await locateDataset(c)
    const graph = names.metrics(dataset.id)
    const plan = async () => {
      const before = await store.read(graph, {}, c.get('signal'))
      if (before === undefined) throw unknownMetrics(dataset.id)
      expectedState(c)(hashOfLines(before))
      return { result: undefined, changes: [{ graph, drop: true as const }] }
    }
    const { mark } = await changeDataset(context, dataset, plan, c.get('signal'))
    if (!mark) throw new Error('a removal is a change')
    return answerDelete(c, context, { mark, catalogue: dataset.catalogue })
  })
}

/** Metrics as a PUT of them would send them; ids are the platform's. */
type MetricsOf = { readonly dataset: string; readonly quads: readonly Quad[] }

/** `unchanged`: the stored ones say the same and are younger than a week. `gone`: there is no such dataset. */
type MetricsVerdict = 'created' | 'updated' | 'unchanged' | 'gone' | Failure

/** Metrics that are measured again and again say by their time that they still hold, but need not say so every night. */
const holdsMs = 7 * 86_400_000

/**
 * A verdict for each, in their order; one that fails harms no other. No dataset may be among them twice. Rejects when the
 * signal fires before anything is written, and when the store cannot be asked.
 */
export async function manyMetrics(
  context: RepositoryContext,
  many: readonly MetricsOf[],
  signal: AbortSignal,
): Promise<readonly MetricsVerdict[]> {
  const ids = many.map(({ dataset }) => dataset)
  const places = await datasetPlaces(context, ids, signal)
  const locks = [...places.values()].map(({ originalId }) => datasetLock(originalId))
  return context.locks.runAll(locks, () => landMany(context, many, places, signal), signal)
}

async function landMany(
  context: RepositoryContext,
  many: readonly MetricsOf[],
  places: ReadonlyMap<string, DatasetPlace>,
  signal: AbortSignal,
): Promise<readonly MetricsVerdict[]> {
  const { store, names, deletions, turn } = context
  const catalogues = new Set([...places.values()].map(({ catalogue }) => catalogue))
  const checks = new Map([...catalogues].map((one) => [one, deletions.watch(one)]))
  const graphs = [...places.keys()].flatMap((id) => [names.dataset(id), names.metrics(id)])
  const stored = await store.readAll(graphs, {}, signal)
  const planned: Planned<MetricsVerdict>[] = []
  for (const one of many) {
    const catalogue = places.get(one.dataset)?.catalogue
    const check = () => checks.get(catalogue ?? '')?.()
    planned.push(
      catalogue === undefined
        ? { result: 'gone' }
        : await planMetrics(context, one, { catalogue, stored, check }),
    )
    await turn()
  }
  const results = await landBatch(context, planned)
  return results.map((one) => ('result' in one ? one.result : verdictOfFailure(one.failure)))
}

type Before = Pick<DatasetPlace, 'catalogue'> & {
  /** The graphs of the dataset and of its metrics, by their names. */
  readonly stored: ReadonlyMap<string, string>
  readonly check: () => void
}

async function planMetrics(
  context: RepositoryContext,
  { dataset, quads }: MetricsOf,
  { catalogue, stored, check }: Before,
): Promise<Planned<MetricsVerdict>> {
  try {
    const replaced = await replacement(context, { id: dataset, catalogue }, quads, stored)
    if (!replaced) return { result: 'gone' }
    const { before, change, fresh } = replaced
    const { graph, content } = change
    const difference = before === undefined ? 'numbers' : differenceOf(before, content)
    const age = timeIn(content, graph) - timeIn(before ?? '', graph)
    if (difference === 'times' && age < holdsMs) return { result: 'unchanged' }
    if (difference !== 'numbers')
      return { result: 'updated', group: { changes: [change], marks: [] }, check }
    const mark = { resource: context.names.dataset(dataset), version: context.versions.next() }
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
