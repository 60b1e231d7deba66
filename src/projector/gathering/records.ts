/** Turns a batch of marks into index changes: what is stored becomes a document, what is gone a removal. */

import type { IndexChange, SearchIndex } from '../../indices/search-index.ts'
import type { Log } from '../../log.ts'
import { fromLines } from '../../rdf/lines.ts'
import type { Names } from '../../rdf/names.ts'
import { graphOf } from '../../rdf/read.ts'
import { namedNode } from '../../rdf/terms.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import type { CatalogueContexts } from './catalogue-contexts.ts'
import type { Built, DocumentBuilder } from '../document.ts'
import type { Pending } from '../loop/queue.ts'
import { storedHash } from './stored-hash.ts'

const cataloguesOf = loadQuery('dataset-catalogues')

export type GatherDeps = {
  readonly store: GraphStore
  readonly index: SearchIndex
  readonly builder: DocumentBuilder
  readonly contexts: CatalogueContexts
  readonly names: Names
  readonly log: Log
}

/** The changes for datasets, read in one message, with their catalogues beside them. */
export async function datasetChanges(
  deps: GatherDeps,
  batch: readonly Pending[],
  signal: AbortSignal,
): Promise<IndexChange[]> {
  const { store, names } = deps
  if (batch.length === 0) return []
  const [graphs, catalogues] = await Promise.all([
    store.readAll(
      [...batch.map((one) => one.resource), ...batch.map((one) => metricsOf(names, one.resource))],
      {},
      signal,
    ),
    catalogueIds(deps, batch, signal),
  ])
  const changes: IndexChange[] = []
  for (const { resource, version } of batch) {
    const id = names.idOf('dataset', resource) ?? ''
    const text = graphs.get(resource)
    const catalogue = catalogues.get(resource)
    const context = catalogue === undefined ? undefined : await deps.contexts.get(catalogue, signal)
    if (text === undefined || !context) {
      changes.push({ remove: { index: 'dataset', id, version } })
      continue
    }
    const graph = graphOf(fromLines(text))
    const metrics = graphs.get(metricsOf(names, resource))
    const input = {
      id,
      iri: resource,
      version,
      hash: storedHash(graph, names, id),
      graph,
      catalogue: context,
    }
    const built = deps.builder.dataset(
      metrics === undefined ? input : { ...input, metrics: graphOf(fromLines(metrics)) },
    )
    changes.push(told(deps, built))
  }
  return changes
}

const metricsOf = (names: Names, dataset: string) =>
  names.metrics(names.idOf('dataset', dataset) ?? '')

async function catalogueIds(
  deps: GatherDeps,
  batch: readonly Pending[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
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
    if (!context) changes.push({ remove: { index: 'catalogue', id, version } })
    else changes.push(told(deps, deps.builder.catalogue({ ...context, iri: resource, version })))
  }
  return changes
}

/** Reports what was left out; the record is indexed all the same. */
export function told(deps: Pick<GatherDeps, 'log'>, built: Built): IndexChange {
  if (built.reports.length > 0) {
    const { index, id } = built.document
    deps.log.debug({ index, id, leftOut: built.reports.slice(0, 50) }, 'record.leftOut')
  }
  return { put: built.document }
}
