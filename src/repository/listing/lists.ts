/** Lists of resources (catalogues, datasets, vocabularies, distributions, resources of declared types), and dumps of catalogues. */

import type { Quad, Term } from '@rdfjs/types'
import { isId } from '../../rdf/ids.ts'
import { toLines } from '../../rdf/lines.ts'
import type { Names } from '../../rdf/names.ts'
import { dct } from '../../rdf/namespaces.ts'
import { graphOf, literalOf } from '../../rdf/read.ts'
import { unskolemise, unskolemiseLines } from '../../rdf/skolem.ts'
import { literal, namedNode } from '../../rdf/terms.ts'
import type { Part } from '../../rdf/writing/document.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import type { RepositoryContext } from '../context.ts'
import { demandCatalogue, linkLines } from '../deleting/members.ts'
import { describeDistribution, linkedDistributions } from '../resources/distributions.ts'
import { originalIdsOf, rowsOf } from '../writing/find-datasets.ts'
import { workAhead } from '../writing/bulk-write.ts'
import { listNames } from './id-lists.ts'

const queries = {
  catalogues: loadQuery('catalogue-ids'),
  datasets: loadQuery('dataset-ids'),
  members: loadQuery('member-ids'),
  vocabularies: loadQuery('vocabulary-ids'),
  resources: loadQuery('resource-ids'),
  resourceMembers: loadQuery('resource-member-ids'),
}
const schemesQuery = loadQuery('vocabulary-schemes')

/** What each id is in the answer. Resources that are gone since the ids were read have no value. */
type Values<T> = (ids: readonly string[], signal: AbortSignal) => Promise<readonly T[]>

export type ResourceList = {
  /** Path of the list below the service: `/catalogues/water/datasets`. */
  readonly path: string
  /** Parameters that belong to the list and not to its pages: `{ catalogue: 'water' }`. */
  readonly within?: Readonly<Record<string, string>>
  /** All ids. Fails when what the list belongs to does not exist. */
  readonly ids: (signal: AbortSignal) => Promise<readonly string[]>
  /** To be asked at the end of a long answer: fails when what the list belongs to has gone meanwhile, and its members with it. */
  readonly demand?: (signal: AbortSignal) => Promise<void>
  readonly uriRefs: Values<string>
  /** Absent where original ids are not unique. */
  readonly originalIds?: Values<string>
  /** Whether original ids come all at once to whoever asks for no page of them. */
  readonly allOriginalIds?: boolean
  /** The resources themselves, blank nodes and all, in the order of the ids. */
  readonly described: Values<Part>
  /** Resources that are described together; 100 when absent. */
  readonly batchSize?: number
}

/** All ids of a list in batches; what comes or goes meanwhile moves no other. */
export async function* idBatches(
  list: Pick<ResourceList, 'ids'>,
  size: number,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  const ids = [...(await list.ids(signal))]
  for (let at = 0; at < ids.length; at += size) yield ids.slice(at, at + size)
}

/** Those of the graphs that there are, without their links, blank nodes as blank nodes. */
async function describedGraphs(
  { store, names }: RepositoryContext,
  graphs: readonly string[],
  signal: AbortSignal,
): Promise<Part[]> {
  const texts = await store.readAll(graphs, { links: false }, signal)
  return graphs.flatMap((graph) => {
    const text = texts.get(graph)
    if (text === undefined) return []
    return { graph, lines: unskolemiseLines(text, { prefix: names.genidPrefix }) }
  })
}

/** The ids that a query packs into its rows; it is given nobody's signal, because others may wait for the same list. */
async function readIds(
  { store }: RepositoryContext,
  query: keyof typeof queries,
  values: Readonly<Record<string, Term>>,
): Promise<string[]> {
  const rows = await store.select(bind(queries[query], values))
  return rows.flatMap((row) => row['ids']?.value.split(' ') ?? []).filter(isId)
}

/** Of catalogues, whose original ids are their ids. */
export function catalogueList(context: RepositoryContext): ResourceList {
  const { names, idLists } = context
  const prefix = literal(names.catalogue(''))
  return {
    path: '/catalogues',
    ids: () => idLists.of(listNames.catalogues, () => readIds(context, 'catalogues', { prefix })),
    uriRefs: async (chosen) => chosen.map(names.catalogue),
    originalIds: async (chosen) => chosen,
    described: (chosen, signal) => describedGraphs(context, chosen.map(names.catalogue), signal),
  }
}

/** Of the datasets of all catalogues. */
export function datasetList(context: RepositoryContext): ResourceList {
  const { names, idLists } = context
  const values = {
    prefix: literal(names.dataset('')),
    catalogues: literal(names.catalogue('')),
  }
  return {
    path: '/datasets',
    ids: () => idLists.of(listNames.datasets, () => readIds(context, 'datasets', values)),
    uriRefs: async (chosen) => chosen.map(names.dataset),
    described: (chosen, signal) => describedGraphs(context, chosen.map(names.dataset), signal),
  }
}

/** Of the datasets of one catalogue; its ids fail as `demand` does when there is none. */
export function memberList(context: RepositoryContext, id: string): ResourceList {
  const { names, idLists } = context
  const values = {
    prefix: literal(names.dataset('')),
    catalogue: namedNode(names.catalogue(id)),
  }
  return {
    ...datasetList(context),
    path: `/catalogues/${id}/datasets`,
    ids: async (signal) => {
      const read = () => readIds(context, 'members', values)
      const found = await idLists.of(listNames.members(id), read)
      if (found.length === 0) await demandCatalogue(context, id, signal)
      return found
    },
    demand: (signal) => demandCatalogue(context, id, signal),
    originalIds: async (chosen, signal) => {
      const origins = await originalIdsOf(context, chosen, signal)
      return chosen.flatMap((dataset) => origins.get(dataset) ?? [])
    },
    allOriginalIds: true,
  }
}

/** Of vocabularies: what they are referred to by is their concept scheme. */
export function vocabularyList(context: RepositoryContext): ResourceList {
  const { names, idLists } = context
  const prefix = literal(names.vocabulary(''))
  const schemes: ResourceList['uriRefs'] = async (chosen, signal) => {
    const query = (batch: readonly string[]) =>
      bind(schemesQuery, { vocabulary: batch.map((id) => namedNode(names.vocabulary(id))) })
    const rows = await rowsOf(context, query, chosen, signal)
    const found = new Map(
      rows.map(({ vocabulary, scheme }) => [vocabulary?.value, scheme?.value ?? '']),
    )
    return chosen.flatMap((id) => found.get(names.vocabulary(id)) ?? [])
  }
  return {
    path: '/vocabularies',
    ids: () =>
      idLists.of(listNames.vocabularies, () => readIds(context, 'vocabularies', { prefix })),
    uriRefs: schemes,
    originalIds: async (chosen) => chosen,
    described: async (chosen, signal) =>
      describedGraphs(context, await schemes(chosen, signal), signal),
    // One of them may be larger than a hundred datasets.
    batchSize: 1,
  }
}

/** Of the resources of a declared type, of all catalogues or of one; then its ids fail with `unknown-catalogue`. */
export function declaredList(
  context: RepositoryContext,
  type: string,
  catalogue?: string,
): ResourceList {
  const { names, idLists } = context
  const values = { type: literal(type), prefix: literal(names.resource(type, '')) }
  const iriOf = (id: string) => names.resource(type, id)
  const all: ResourceList = {
    path: `/customresources/${type}`,
    ids: () => idLists.of(listNames.resources(type), () => readIds(context, 'resources', values)),
    uriRefs: async (chosen) => chosen.map(iriOf),
    originalIds: async (chosen) => chosen,
    described: (chosen, signal) => describedGraphs(context, chosen.map(iriOf), signal),
  }
  if (catalogue === undefined) return all
  return {
    ...all,
    within: { catalogId: catalogue },
    ids: async (signal) => {
      const within = { ...values, catalogue: namedNode(names.catalogue(catalogue)) }
      const found = (await readIds(context, 'resourceMembers', within)).sort()
      if (found.length === 0) await demandCatalogue(context, catalogue, signal)
      return found
    },
    demand: (signal) => demandCatalogue(context, catalogue, signal),
  }
}

/** Of the distributions of one dataset: everything about them is in `quads`, its graph as it is stored. */
export function distributionList(
  dataset: string,
  quads: readonly Quad[],
  names: Names,
): ResourceList {
  const graph = graphOf(quads)
  const { genidPrefix: prefix } = names
  const linked = linkedDistributions(graph, names.dataset(dataset))
  const ids = linked.flatMap((iri) => names.idOf('distribution', iri) ?? [])
  const identifierOf = (id: string) =>
    literalOf(graph, names.distribution(id), dct('identifier'))?.value
  return {
    path: `/datasets/${dataset}/distributions`,
    ids: async () => ids,
    uriRefs: async (chosen) => chosen.map(names.distribution),
    originalIds: async (chosen) => chosen.flatMap((id) => identifierOf(id) ?? []),
    described: async (chosen) =>
      chosen.map((id) => {
        const iri = names.distribution(id)
        return {
          graph: iri,
          lines: toLines(unskolemise(describeDistribution(graph, iri, names), { prefix })),
        }
      }),
  }
}

// A whole catalogue, batch by batch: its own graph, then its datasets, each as one write left it.

/** Datasets that are read, written and sent together: a dump holds two such batches in memory. */
const batchSize = 100

/**
 * Fails when there is no such catalogue, also when it goes while it is written. Datasets that come meanwhile may be missing,
 * those that go are left out together with the links to them.
 */
export async function* dumpOf(
  context: RepositoryContext,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<readonly Part[]> {
  const { names } = context
  const catalogue = names.catalogue(id)
  const members = memberList(context, id)
  await demandCatalogue(context, id, signal)
  yield await describedGraphs(context, [catalogue], signal)
  const batches = workAhead(idBatches(members, batchSize, signal), (ids) =>
    members.described(ids, signal),
  )
  for await (const datasets of batches) {
    const links = datasets.flatMap(({ graph = '' }) => {
      const dataset = names.idOf('dataset', graph)
      return dataset === undefined ? [] : linkLines(names, { catalogue: id, id: dataset })
    })
    if (links.length > 0) yield [{ graph: catalogue, lines: `${links.join('\n')}\n` }, ...datasets]
  }
  await demandCatalogue(context, id, signal)
}
