/** Measurements of datasets out of their metrics graphs: counts by one query, and only what stands in lists by reading the graph. */

import { namedNode } from '../../../rdf/terms.ts'
import { bind, loadQuery } from '../../../store/queries.ts'
import { dimensions, indicatorOf, isReachable, type Dimension } from '../../words/indicators.ts'
import { localName, sh } from '../../words/terms.ts'
import type { FoundDataset } from '../counting/dataset.ts'
import type { Counted } from '../counting/tally.ts'
import type { Source } from './catalogues.ts'
import { listedOf } from './listed.ts'
import type { Turn } from './turns.ts'

const query = loadQuery('metrics/measurement-counts')

type Found = NonNullable<FoundDataset['measured']>

/** Measurements and results in the graphs that are read at once. */
const nodesAtOnce = 500

/** The measured datasets of a page by id; those that were not measured are no keys. */
export async function measuredDatasets(
  { store, names }: Source,
  ids: readonly string[],
  turn: Turn,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Found>> {
  const graphs = new Map(ids.map((id) => [names.metrics(id), id]))
  const values = { graph: [...graphs.keys()].map((graph) => namedNode(graph)) }
  const found = new Map<string, Found>()
  const listed: Sized[] = []
  for (const row of await store.select(bind(query, values), signal)) {
    const id = graphs.get(row['graph']?.value ?? '')
    const lines = linesOf(row['counts']?.value ?? '')
    if (id === undefined || lines.length === 0) continue
    found.set(id, { ...figuresOf(lines), urls: [], violations: [] })
    if (lines.some(isListed))
      listed.push({ id, nodes: lines.reduce((sum, { count }) => sum + count, 0) })
  }
  for (const some of bounded(listed)) {
    const texts = await store.readAll(some.map(names.metrics), {}, signal)
    for (const id of some) {
      const [figures, text] = [found.get(id), texts.get(names.metrics(id))]
      if (!figures || text === undefined) continue
      found.set(id, { ...figures, ...(await listedOf(text, names, id, turn)) })
      await turn()
    }
  }
  return found
}

type Line = { readonly metric: string; readonly text: string; readonly count: number }

/** Lines of a metric, a value and a count; values that hold white space are none of ours. */
function linesOf(counts: string): readonly Line[] {
  return counts.split('\n').flatMap((line) => {
    const [, iri = '', text = '', count] = /^(\S+) (\S*) (\d+)$/.exec(line) ?? []
    return count === undefined ? [] : [{ metric: metricOf(iri), text, count: Number(count) }]
  })
}

const result = sh('result').value
/** Metrics are recognised by their local name; the results of a validation are none. */
const metricOf = (iri: string) => (iri === result ? result : localName(iri))

function isListed({ metric, text }: Line): boolean {
  return metric === result || (indicatorOf(metric)?.type === 'status' && !isReachable(Number(text)))
}

function figuresOf(lines: readonly Line[]): Omit<Found, 'urls' | 'violations'> {
  const scores = new Map<string, number>()
  const counted: Counted[] = []
  for (const { metric, text, count } of lines) {
    const indicator = indicatorOf(metric)
    const value = indicator?.type === 'boolean' ? truthOf(text) : numberOf(text)
    if (value === undefined) continue
    if (indicator) counted.push({ metric, value, count })
    else if (typeof value === 'number') scores.set(metric, value)
  }
  const scored = (name: string) => scores.get(name) ?? null
  const pointsOf = (dimension: Dimension) => [dimension, scored(`${dimension}Scoring`)] as const
  return {
    score: scored('scoring'),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each dimension is given
    points: Object.fromEntries(dimensions.map(pointsOf)) as Found['points'],
    distributions: distributionsIn(counted),
    counted,
  }
}

/** Every distribution has one measurement of each of its boolean metrics. */
function distributionsIn(counted: readonly Counted[]): number {
  const counts = new Map<string, number>()
  for (const { metric, value, count } of counted)
    if (typeof value === 'boolean' && indicatorOf(metric)?.level === 'distribution')
      counts.set(metric, (counts.get(metric) ?? 0) + count)
  return Math.max(0, ...counts.values())
}

/** Any boolean or numeric datatype. */
function truthOf(text: string): boolean | undefined {
  const word = text.toLowerCase()
  if (word === 'true' || numberOf(text) === 1) return true
  return word === 'false' || numberOf(text) === 0 ? false : undefined
}

function numberOf(text: string): number | undefined {
  const number = text === '' ? Number.NaN : Number(text)
  return Number.isFinite(number) ? number : undefined
}

type Sized = { readonly id: string; readonly nodes: number }

/** Ids in groups of a bounded size; one that is larger stands alone. */
function* bounded(all: readonly Sized[]): Generator<readonly string[]> {
  let [group, size] = [new Array<string>(), 0]
  for (const { id, nodes } of all) {
    if (group.length > 0 && size + nodes > nodesAtOnce) {
      yield group
      group = []
      size = 0
    }
    group.push(id)
    size += nodes
  }
  if (group.length > 0) yield group
}
