/**
 * Quality metrics of datasets: a separate graph that belongs to its dataset and is replaced as a whole, by the endpoints below
 * or, for many datasets, by `manyMetrics`, which the metrics service calls in this process.
 */

import { hash } from 'node:crypto'
import type { Quad } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { anyone } from '../../http/endpoint.ts'
import { sizedAnswer } from '../../http/long-answers.ts'
import { fromLines } from '../../rdf/lines.ts'
import { dqv, prov, xsd } from '../../rdf/namespaces.ts'
import { keyOf } from '../../rdf/read.ts'
import { prefixOf } from '../../store/graph-lines.ts'
import { markLine, systemChange, type WrittenContent } from '../../store/marks.ts'
import { metricsGraph } from '../content/metrics-graph.ts'
import type { Precondition, RepositoryContext, WriteOutcome } from '../repository-context.ts'
import { contract, repositoryEndpoint } from '../endpoints/contract.ts'
import { answerDelete, answerStoredGraph } from '../endpoints/responses.ts'
import {
  expectedState,
  locateDataset,
  mayWriteDataset,
  respondToWrite,
  suffixedId,
  type WriteRequest,
} from '../endpoints/requests.ts'
import { changeDataset } from '../writing/write-datasets.ts'
import { datasetLock } from '../writing/dataset-ids.ts'
import { datasetPlaces, findById, unknownDataset } from '../writing/find-datasets.ts'
import {
  resultOrFailure,
  commitBatch,
  resultOf,
  type PlannedWrite,
  type WriteResult,
} from '../writing/write-batch.ts'
import { dayMs } from '../../text/duration.ts'

const { answers, bodies, parameters } = contract

const unknownMetrics = (id: string) =>
  new Failure('unknown-metrics', `the dataset "${id}" has no quality metrics`)

/** Entity tag of stored metrics: SHA-256 of their lines, which are equal for equal graphs. */
const hashOfLines = (lines: string): string => hash('sha256', lines, 'hex')

/** Metrics in the form of a PUT; ids are those of the platform. */
type MetricsOf = { readonly dataset: string; readonly quads: readonly Quad[] }

/** Metrics to write; with a precondition, as a PUT has, they are written even when nothing changed. */
type MetricsItem = MetricsOf & { readonly precondition?: Precondition }

/** Milliseconds after which metrics of which only the time differs are written again. */
const maxUnchangedMs = 7 * dayMs

/**
 * Writes metrics; returns the outcome of each, in order. A failure affects only its item: `unknown-dataset`, `unknown-catalogue`,
 * `ambiguous-subject`, `invalid-content`, `too-large`, `too-complex`, `precondition-failed`. No dataset may occur twice. Rejects
 * when the signal fires before anything is written, and when the store cannot be read.
 */
async function writeMetrics(
  context: RepositoryContext,
  items: readonly MetricsItem[],
  signal: AbortSignal,
): Promise<readonly WriteResult<WriteOutcome>[]> {
  const { store, names, deletions, locks, turn } = context
  const ids = items.map(({ dataset }) => dataset)
  const places = await datasetPlaces(context, ids, signal)
  const work = async () => {
    const checks = new Map(
      [...places].map(([id, { catalogue }]) => [id, deletions.watch(catalogue)]),
    )
    const graphs = [...places.keys()].flatMap((id) => [names.dataset(id), names.metrics(id)])
    const stored = await store.readAll(graphs, {}, signal)
    const planned: PlannedWrite<WriteOutcome>[] = []
    for (const item of items) {
      const catalogue = places.get(item.dataset)?.catalogue
      const plan = await resultOrFailure(() => planMetrics(context, item, catalogue, stored))
      planned.push({ ...plan, check: () => checks.get(item.dataset)?.() })
      await turn()
    }
    return commitBatch(context, planned)
  }
  const lockKeys = [...places.values()].map(({ originalId }) => datasetLock(originalId))
  return locks.run(lockKeys, work, signal)
}

/**
 * Plans a write; `stored` are the graphs of the dataset and of its metrics, by IRI. Only changes of numbers cause indexing,
 * because documents show nothing else, and new times alone are written only after a week.
 */
async function planMetrics(
  context: RepositoryContext,
  { dataset: datasetId, quads, precondition }: MetricsItem,
  catalogue: string | undefined,
  stored: ReadonlyMap<string, string>,
): Promise<PlannedWrite<WriteOutcome>> {
  const [resource, graph] = [context.names.dataset(datasetId), context.names.metrics(datasetId)]
  const [datasetLines, before] = [stored.get(resource), stored.get(graph)]
  if (datasetLines === undefined || catalogue === undefined) throw unknownDataset(datasetId)
  const { content, scores } = await metricsGraph(context, datasetId, datasetLines, quads)
  precondition?.(before === undefined ? undefined : hashOfLines(before))
  const kind = before === undefined ? 'created' : 'updated'
  const result = { kind, iri: graph, catalogue, hash: hashOfLines(content) } as const
  const difference =
    before === undefined || precondition ? 'numbers' : differenceOf(before, content)
  const age = timeIn(content, graph) - timeIn(before ?? '', graph)
  if (difference === 'times' && age < maxUnchangedMs)
    return { result: { ...result, kind: 'unchanged' } }
  const change = { graph, content, before: before ?? '' }
  if (difference !== 'numbers') return { result, group: { changes: [change], marks: [] } }
  const mark = { resource, version: context.versions.next() }
  const pending = systemChange({ add: [markLine('pending', mark)] })
  const indexContent = metricsOnly({ catalogue, resource, lines: datasetLines, scores })
  const group = { changes: [change, pending], marks: [{ ...mark, content: indexContent }] }
  return { result: { ...result, mark }, group }
}

/** Outcome: `unchanged` = the stored metrics differ at most in times, by less than a week; `gone` = there is no such dataset. */
type MetricsVerdict = WriteOutcome['kind'] | 'gone' | Failure

/** Writes metrics of many datasets; returns an outcome for each, in order, as `writeMetrics`. */
export async function manyMetrics(
  context: RepositoryContext,
  metrics: readonly MetricsOf[],
  signal: AbortSignal,
): Promise<readonly MetricsVerdict[]> {
  const results = await writeMetrics(context, metrics, signal)
  return results.map((result) =>
    'result' in result ? result.result.kind : verdictOfFailure(result.failure),
  )
}

function verdictOfFailure(cause: unknown): MetricsVerdict {
  if (!(cause instanceof Failure))
    return new Failure('store-unavailable', 'the store could not write the metrics', { cause })
  const isGone = cause.kind === 'unknown-catalogue' || cause.kind === 'unknown-dataset'
  return isGone ? 'gone' : cause
}

const path = '/datasets/{datasetId}/metrics'
const params = parameters.dataset

const readMetrics = repositoryEndpoint({
  method: 'get',
  path,
  operation: 'getDatasetsByDatasetIdMetrics',
  summary: 'Read the quality metrics of a dataset (W3C Data Quality Vocabulary)',
  auth: anyone,
  params,
  query: parameters.historic,
  answers: answers.graph,
  handle: ({ c, signal }, context) => {
    const { store, names } = context
    const { id, suffix } = suffixedId(c, 'datasetId')
    const graph = names.metrics(id)
    return sizedAnswer(c, graph, async (read) => {
      const lines = await store.read(graph, {}, signal)
      if (lines === undefined) {
        await findById(context, id, signal)
        throw unknownMetrics(id)
      }
      read(lines.length)
      const facts = { suffix, genidPrefix: names.genidPrefix, graph, name: `${id}-metrics` }
      return answerStoredGraph(c, lines, { ...facts, hash: hashOfLines(lines) })
    })
  },
})

/** PUT of metrics; it waits, as other writes do, until the document of the dataset has the scores. */
const replaceMetrics = repositoryEndpoint({
  method: 'put',
  path,
  operation: 'putDatasetsByDatasetIdMetrics',
  summary: 'Replace the quality metrics of a dataset',
  auth: mayWriteDataset,
  params,
  body: bodies.metrics,
  answers: answers.replacement,
  handle: async ({ c }, context) => {
    const { names } = context
    const { id: dataset } = await locateDataset(c, context)
    const write = async ({ body, precondition }: WriteRequest, signal: AbortSignal) => {
      const quads = await body.parse(names.metrics(dataset))
      const item = { dataset, quads, precondition }
      return resultOf((await writeMetrics(context, [item], signal))[0])
    }
    return respondToWrite(c, context, write, names.dataset(dataset))
  },
})

const deleteMetrics = repositoryEndpoint({
  method: 'delete',
  path,
  operation: 'deleteDatasetsByDatasetIdMetrics',
  summary: 'Delete the quality metrics of a dataset',
  auth: mayWriteDataset,
  params,
  answers: answers.removal,
  handle: async ({ c, signal }, context) => {
    const { store, names } = context
    const dataset = await locateDataset(c, context)
    const graph = names.metrics(dataset.id)
    const plan = async () => {
      const before = await store.read(graph, {}, signal)
      if (before === undefined) throw unknownMetrics(dataset.id)
      expectedState(c)(hashOfLines(before))
      return { result: undefined, changes: [{ graph, drop: true as const }] }
    }
    const { mark } = await changeDataset(context, dataset, plan, signal)
    if (!mark) throw new Error('a removal is a change')
    return answerDelete(c, context, { mark, catalogue: dataset.catalogue })
  },
})

/** Endpoints of the quality metrics of datasets. */
export const datasetMetricsEndpoints = [readMetrics, replaceMetrics, deleteMetrics]

const link = dqv('hasQualityMeasurement').value
const value = dqv('value').value
const time = prov('generatedAtTime').value
const boolean = xsd('boolean').value

/** Dataset of which only the metrics were written. */
type MetricsContent = {
  /** Id of the dataset's catalogue. */
  readonly catalogue: string
  /** IRI of the dataset. */
  readonly resource: string
  /** Stored graph of the dataset. */
  readonly lines: string
  /** Triples of its metrics. */
  readonly scores: readonly Quad[]
}

/** Makes the content for the index of a dataset of which only the metrics were written. */
export const metricsOnly = ({
  catalogue,
  resource,
  lines: text,
  scores,
}: MetricsContent): WrittenContent => ({
  catalogue,
  quads: () => fromLines(text),
  created: false,
  scores: scoresIn(scores, resource),
})

/**
 * Selects the measurements whose value may be a number, with the links of the dataset to them, which are all that its document
 * needs. Scores may have any numeric datatype.
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

const timeProperty = ` <${time}> `
const valueProperty = ` <${value}> `
const booleanEnd = `"^^<${boolean}> .`

/** Tells whether the predicate of an N-Triples line is `property`, in the form ` <iri> `. */
const hasProperty = (line: string, property: string) => prefixOf(line).endsWith(property)

/**
 * Compares two states of a graph: `times` = only times differ, or nothing; `numbers` = values that may be scores differ; `more` =
 * only other parts differ, which documents do not show.
 */
function differenceOf(before: string, after: string): 'times' | 'more' | 'numbers' {
  const [oldLines, newLines] = [before.split('\n'), after.split('\n')]
  const isSame = (line: string, at: number) => {
    const other = newLines[at] ?? ''
    return line === other || (hasProperty(line, timeProperty) && hasProperty(other, timeProperty))
  }
  if (oldLines.length === newLines.length && oldLines.every(isSame)) return 'times'
  const numberLines = (lines: readonly string[]) =>
    lines
      .filter((line) => hasProperty(line, valueProperty) && !line.endsWith(booleanEnd))
      .join('\n')
  return numberLines(oldLines) === numberLines(newLines) ? 'more' : 'numbers'
}

/** Returns the time when a graph was made, in milliseconds since 1970; 0 when unknown. */
function timeIn(lines: string, metrics: string): number {
  const start = `<${metrics}> <${time}> "`
  const at = lines.indexOf(start)
  const text = at < 0 ? '' : lines.slice(at + start.length, lines.indexOf('"', at + start.length))
  return Date.parse(text) || 0
}
