/** Turns a batch of marks into index changes: what is stored becomes a document, what is gone a removal. */

import { setImmediate } from 'node:timers/promises'
import type { Log } from '../../log.ts'
import type { Profile, ResourceType } from '../../profile/profile.ts'
import { fromLines } from '../../rdf/lines.ts'
import type { Names } from '../../rdf/names.ts'
import { spdx } from '../../rdf/namespaces.ts'
import { type Graph, graphOf } from '../../rdf/read.ts'
import { namedNode } from '../../rdf/terms.ts'
import type { IndexChange, SearchIndex } from '../../search-index/search-index.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import type { Built } from '../building/assemble.ts'
import type { DocumentBuilder } from '../building/document.ts'
import type { ConceptCache } from '../concept-cache.ts'
import type { Pending } from '../queue.ts'
import { scoreLines } from '../mappings/metrics.ts'
import type { CatalogueContexts } from './catalogue-contexts.ts'
import type { StoredConcepts } from './stored-concepts.ts'

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

// Turns marks on resources of the profile's own types into index changes.

const factsQuery = loadQuery('resource-facts')

type Facts = { readonly hash?: string; readonly catalogue?: string }

type Wanted = Pending & { readonly id: string; readonly type: ResourceType }

/** The changes for resources of declared types. What the profile does not declare any more is in no index. */
export async function resourceChanges(
  deps: GatherDeps,
  batch: readonly Pending[],
  signal: AbortSignal,
): Promise<IndexChange[]> {
  const wanted = batch.flatMap((pending): Wanted[] => {
    const named = deps.names.typedIdOf(pending.resource)
    const type = deps.profile.resources.find(({ id }) => id === named?.type)
    return named && type ? [{ ...pending, id: named.id, type }] : []
  })
  if (wanted.length === 0) return []
  const iris = wanted.map(({ resource }) => resource)
  const [texts, facts] = await Promise.all([
    deps.store.readAll(iris, {}, signal),
    factsOf(deps, iris, signal),
  ])
  const gathered = []
  for (const one of wanted) {
    const text = texts.get(one.resource)
    const { hash = '', catalogue } = facts.get(one.resource) ?? {}
    const context = catalogue === undefined ? undefined : await deps.contexts.get(catalogue, signal)
    const graph = text === undefined ? undefined : graphOf(fromLines(text))
    gathered.push({ ...one, graph, hash, context })
  }
  const graphs = gathered.flatMap(({ graph, context }): (Graph | undefined)[] => [
    graph,
    context?.graph,
  ])
  await deps.stored.prepare(graphs, signal)
  return gathered.map(({ id, type, resource, version, graph, hash, context }): IndexChange => {
    const isHomeless = type.inCatalogue && (!context || context.hidden)
    if (!graph || isHomeless) return { remove: { index: `resource_${type.id}`, id, version } }
    const input = { id, iri: resource, version, hash, graph }
    return deps.told(
      deps.builder.resource(type, context ? { ...input, catalogue: context } : input),
    )
  })
}

async function factsOf(
  { store, names }: GatherDeps,
  iris: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Facts>> {
  const resource = iris.map((iri) => namedNode(iri))
  const facts = new Map<string, Facts>()
  for (const row of await store.select(bind(factsQuery, { resource }), signal)) {
    const { resource: about, property, value } = row
    if (!about || !value) continue
    const name = property?.value.split('#').at(-1)
    const catalogue = names.idOf('catalogue', value.value)
    const known = facts.get(about.value) ?? {}
    if (name === 'hash') facts.set(about.value, { ...known, hash: value.value })
    else if (name === 'catalogue' && catalogue !== undefined)
      facts.set(about.value, { ...known, catalogue })
  }
  return facts
}

// The hash that a dataset's catalogue record carries.

/** SHA-256 in hex of what was sent; `''` when a direct writer left the record without one. */
function storedHash(graph: Graph, names: Names, id: string): string {
  const [checksum] = graph.objects(names.record(id), spdx('checksum'))
  const [value] = checksum ? graph.objects(checksum, spdx('checksumValue')) : []
  return value?.value ?? ''
}

// Lets requests have their turn between the records of a batch.

/** Waits for others whenever so much was done; a small piece of work costs nothing. */
type Turns = (triples: number) => Promise<void>

/** Triples that are read and mapped in a few milliseconds. */
const most = 600

export function turns(): Turns {
  let done = 0
  return async (triples) => {
    done += triples
    if (done < most) return
    done = 0
    await setImmediate()
  }
}
