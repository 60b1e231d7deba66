/** Writes the metrics of many datasets at once, as those who measure whole catalogues have them. */

import type { Quad } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import type { Names } from '../../rdf/names.ts'
import { namedNode } from '../../rdf/terms.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import { markLine, systemChange } from '../../store/marks.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import type { Pause } from '../bulk/pauses.ts'
import type { WritingDeps } from '../deps.ts'
import { landEach, type Group } from '../writing/landing.ts'
import { datasetLock } from '../writing/locks.ts'
import { composed, measuredAlone, otherIn, timeOf } from './composing.ts'

/** Metrics as a PUT of them would send them; ids are the platform's. */
type MetricsOf = { readonly dataset: string; readonly quads: readonly Quad[] }

/** `unchanged`: the stored ones say the same and are younger than a week. `gone`: there is no such dataset. */
type MetricsVerdict = 'created' | 'updated' | 'unchanged' | 'gone' | Failure

/**
 * A verdict for each, in their order; one that fails harms no other. No dataset may stand among them twice. Rejects when the
 * signal fires before anything is written, and when the store cannot be asked.
 */
export type ManyMetrics = (
  many: readonly MetricsOf[],
  signal: AbortSignal,
) => Promise<readonly MetricsVerdict[]>

/** Metrics that are measured again and again say by their time that they still hold, but need not say so every night. */
const holdsMs = 7 * 86_400_000

const places = loadQuery('dataset-places')

type Place = { readonly catalogue: string; readonly originalId: string }

type ManyDeps = WritingDeps & { readonly pause: Pause }

export const manyMetrics =
  (deps: ManyDeps): ManyMetrics =>
  async (many, signal) => {
    const found = await placesOf(deps, many, signal)
    const locks = [...found.values()].map(({ catalogue, originalId }) =>
      datasetLock(catalogue, originalId),
    )
    const work = () => landed(deps, many, found, signal)
    return deps.locks.runAll(locks, work, signal)
  }

/** Of those that are there. */
async function placesOf(
  { store, names }: { readonly store: GraphStore; readonly names: Names },
  many: readonly MetricsOf[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Place>> {
  const pairs = many.map(({ dataset }) => [
    namedNode(names.dataset(dataset)),
    namedNode(names.record(dataset)),
  ])
  const found = new Map<string, Place>()
  for (const row of await store.select(bind(places, { dataset: pairs }), signal)) {
    const id = names.idOf('dataset', row['dataset']?.value ?? '')
    const catalogue = names.idOf('catalogue', row['catalogue']?.value ?? '')
    const originalId = row['originalId']?.value
    if (id === undefined || catalogue === undefined || originalId === undefined) continue
    found.set(id, { catalogue, originalId })
  }
  return found
}

type Planned = { readonly verdict: MetricsVerdict; readonly group?: Group }

async function landed(
  deps: ManyDeps,
  many: readonly MetricsOf[],
  found: ReadonlyMap<string, Place>,
  signal: AbortSignal,
): Promise<readonly MetricsVerdict[]> {
  const { store, names, deletions } = deps
  const catalogues = new Set([...found.values()].map(({ catalogue }) => catalogue))
  const watches = new Map([...catalogues].map((one) => [one, deletions.watch(one)]))
  const graphs = [...found.keys()].flatMap((id) => [names.dataset(id), names.metrics(id)])
  const stored = await store.readAll(graphs, {}, signal)
  const plans: Planned[] = []
  for (const one of many) {
    const place = found.get(one.dataset)
    plans.push(place ? await planned(deps, one, place, stored) : { verdict: 'gone' })
    await deps.pause()
  }
  // Asked in the same turn as the write: a cascade that starts now will see it and take it away.
  const isGone = ({ dataset }: MetricsOf) => {
    const place = found.get(dataset)
    return place !== undefined && watches.get(place.catalogue)?.() === true
  }
  const still = plans.map((plan, at): Planned => {
    const one = many[at]
    return one && isGone(one) ? { verdict: 'gone' } : plan
  })
  const groups = still.flatMap(({ group }) => group ?? [])
  const failures = groups.length > 0 ? await landEach(deps, groups) : []
  const failureOf = new Map(groups.map((group, at) => [group, failures[at]]))
  return still.map(({ verdict, group }) => {
    const failure = group && failureOf.get(group)
    return failure === undefined ? verdict : asFailure(failure)
  })
}

async function planned(
  deps: ManyDeps,
  { dataset, quads }: MetricsOf,
  { catalogue }: Place,
  stored: ReadonlyMap<string, string>,
): Promise<Planned> {
  const { names, versions } = deps
  const [graph, resource] = [names.metrics(dataset), names.dataset(dataset)]
  const [text, before] = [stored.get(resource), stored.get(graph)]
  if (text === undefined) return { verdict: 'gone' }
  try {
    const { content, said } = await composed(deps, dataset, text, quads)
    const other = before === undefined ? 'numbers' : otherIn(before, content)
    if (other === 'times' && holds(before ?? '', content, graph)) return { verdict: 'unchanged' }
    const change = { graph, content, before: before ?? '' }
    if (other !== 'numbers') return { verdict: 'updated', group: { changes: [change], marks: [] } }
    const mark = { resource, version: versions.next() }
    const fresh = measuredAlone({ catalogue, resource, text, said })
    const pending = systemChange({ add: [markLine('pending', mark)] })
    const group = { changes: [change, pending], marks: [{ ...mark, fresh }] }
    return { verdict: before === undefined ? 'created' : 'updated', group }
  } catch (error) {
    if (error instanceof Failure) return { verdict: error }
    throw error
  }
}

const holds = (before: string, after: string, metrics: string): boolean =>
  timeOf(after, metrics) - timeOf(before, metrics) < holdsMs

const asFailure = (error: unknown): Failure =>
  error instanceof Failure
    ? error
    : new Failure('store-unavailable', 'the store did not take the metrics', { cause: error })
