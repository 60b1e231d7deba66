/** Turns a batch of marks into index changes: what is stored becomes a document, what is gone a removal. */

import type { IndexChange, SearchIndex } from '../../search-index/search-index.ts'
import type { Log } from '../../log.ts'
import type { Profile } from '../../profile/fields.ts'
import { fromLines } from '../../rdf/lines.ts'
import type { Names } from '../../rdf/names.ts'
import { graphOf, type Graph } from '../../rdf/read.ts'
import { namedNode } from '../../rdf/terms.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import type { ConceptCache } from '../concepts.ts'
import type { Built, DocumentBuilder } from '../document.ts'
import type { Pending } from '../loop/queue.ts'
import { scoreLines } from '../mappings/value/score-lines.ts'
import type { CatalogueContexts } from './catalogue-contexts.ts'
import type { StoredConcepts } from './stored-concepts.ts'
import { storedHash } from './stored-hash.ts'
import { turns } from './turns.ts'

const cataloguesOf = loadQuery('dataset-catalogues')

export type GatherDeps = {
  readonly store: GraphStore
  readonly index: SearchIndex
  readonly builder: DocumentBuilder
  readonly contexts: CatalogueContexts
  readonly names: Names
  readonly profile: Profile
  readonly concepts: ConceptCache
  readonly stored: StoredConcepts
  readonly log: Log
  /** The change that puts a document into the index; notes what was left out of it. */
  readonly told: (built: Built) => IndexChange
}

/** Parsing a graph takes so much less than mapping it. */
const readingShare = 4

/** The changes for datasets; what their writer did not hand over is read in one message, with the catalogues beside it. */
export async function datasetChanges(
  deps: GatherDeps,
  batch: readonly Pending[],
  signal: AbortSignal,
): Promise<IndexChange[]> {
  const { names } = deps
  const found = await read(deps, batch, signal)
  const turn = turns()
  const gathered = []
  for (const { resource, version, fresh } of batch) {
    const id = names.idOf('dataset', resource) ?? ''
    const graph = fresh ? graphOf(fresh.quads()) : found.graph(resource)
    const catalogue = fresh ? fresh.catalogue : found.catalogue(resource)
    const context = catalogue === undefined ? undefined : await deps.contexts.get(catalogue, signal)
    gathered.push({ id, resource, version, graph, context, fresh })
    if (!fresh) await turn((graph?.size ?? 0) / readingShare)
  }
  await deps.stored.prepare(
    gathered.flatMap(({ graph, context }) => [graph, context?.graph]),
    signal,
  )
  const changes: IndexChange[] = []
  for (const { id, resource, version, graph, context, fresh } of gathered) {
    if (!graph || !context || context.hidden) {
      changes.push({ remove: { index: 'dataset', id, version } })
      continue
    }
    const metrics = fresh?.scores ? graphOf(fresh.scores) : found.scores(resource)
    const hash = storedHash(graph, names, id)
    const input = { id, iri: resource, version, hash, graph, catalogue: context }
    changes.push(deps.told(deps.builder.dataset(metrics ? { ...input, metrics } : input)))
    await turn(graph.size)
  }
  return changes
}

async function read(deps: GatherDeps, batch: readonly Pending[], signal: AbortSignal) {
  const { store, names } = deps
  const unknown = batch.filter(({ fresh }) => !fresh)
  const measured = batch.filter(({ fresh }) => !fresh?.created && !fresh?.scores)
  const graphs = [
    ...unknown.map(({ resource }) => resource),
    ...measured.map(({ resource }) => metricsOf(names, resource)),
  ]
  const [texts, catalogues] = await Promise.all([
    graphs.length === 0 ? new Map<string, string>() : store.readAll(graphs, {}, signal),
    catalogueIds(deps, unknown, signal),
  ])
  const parsed = (text: string | undefined): Graph | undefined =>
    text === undefined ? undefined : graphOf(fromLines(text))
  return {
    catalogue: (dataset: string) => catalogues.get(dataset),
    graph: (dataset: string) => parsed(texts.get(dataset)),
    scores: (dataset: string) => {
      const text = texts.get(metricsOf(names, dataset))
      return text === undefined ? undefined : parsed(scoreLines(text, dataset))
    },
  }
}

const metricsOf = (names: Names, dataset: string) =>
  names.metrics(names.idOf('dataset', dataset) ?? '')

async function catalogueIds(
  deps: GatherDeps,
  batch: readonly Pending[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  if (batch.length === 0) return new Map()
  const dataset = batch.map((one) => namedNode(one.resource))
  const rows = await deps.store.select(bind(cataloguesOf, { dataset }), signal)
  return new Map(
    rows.flatMap((row) => {
      const id = deps.names.idOf('catalogue', row['catalogue']?.value ?? '')
      return row['dataset'] && id !== undefined ? [[row['dataset'].value, id] as const] : []
    }),
  )
}

/** The changes for catalogues; their contexts are read anew, so that datasets of later batches see them. */
export async function catalogueChanges(
  deps: GatherDeps,
  batch: readonly Pending[],
  signal: AbortSignal,
): Promise<IndexChange[]> {
  const changes: IndexChange[] = []
  for (const { resource, version } of batch) {
    const id = deps.names.idOf('catalogue', resource) ?? ''
    deps.contexts.forget(id)
    const context = await deps.contexts.get(id, signal)
    await deps.stored.prepare([context?.graph], signal)
    if (!context || context.hidden) changes.push({ remove: { index: 'catalogue', id, version } })
    else changes.push(deps.told(deps.builder.catalogue({ ...context, iri: resource, version })))
  }
  return changes
}
