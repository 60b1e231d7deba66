/**
 * Lists of catalogues, datasets, vocabularies and distributions with their endpoints, the list of resources of a declared type,
 * and dumps of whole catalogues.
 */

import type { Term } from '@rdfjs/types'
import type { AppContext } from '../../http/app.ts'
import { anyone } from '../../http/endpoint.ts'
import { longAnswer, sizedAnswer } from '../../http/long-answers.ts'
import { isId } from '../../rdf/ids.ts'
import { readLines, toLines } from '../../rdf/lines.ts'
import { formats, splitSuffix } from '../../rdf/media-types.ts'
import type { Names } from '../../rdf/names.ts'
import { dct } from '../../rdf/namespaces.ts'
import { type Graph, graphOf, literalOf } from '../../rdf/read.ts'
import { unskolemise, unskolemiseLines } from '../../rdf/skolem.ts'
import { literal, namedNode } from '../../rdf/terms.ts'
import type { Part } from '../../rdf/writing/document.ts'
import { bind, loadQuery, type Query } from '../../store/queries.ts'
import type { RepositoryContext } from '../repository-context.ts'
import { requireCatalogue, linkLines } from '../deleting/members.ts'
import { describeDistribution, linkedDistributions } from './distributions.ts'
import { contract, repositoryEndpoint } from '../endpoints/contract.ts'
import { answerDocument } from '../endpoints/responses.ts'
import { requireId, pathId } from '../endpoints/requests.ts'
import { mapAhead } from '../writing/bulk-write.ts'
import { originalIdsOf, rowsInBatches, unknownDataset } from '../writing/find-datasets.ts'
import { listNames } from '../writing/id-lists.ts'
import { answerList, idBatches, type ResourceList } from './list-answer.ts'

const { answers, parameters } = contract

const cataloguesQuery = loadQuery('catalogue-ids')
const datasetsQuery = loadQuery('dataset-ids')
const membersQuery = loadQuery('member-ids')
const vocabulariesQuery = loadQuery('vocabulary-ids')
const resourcesQuery = loadQuery('resource-ids')
const resourceMembersQuery = loadQuery('resource-member-ids')
const schemesQuery = loadQuery('vocabulary-schemes')

/** A query for ids with its parameters bound by name. */
type IdQuery = { readonly query: Query; readonly values: Readonly<Record<string, Term>> }

/** Reads ids; a row has several, separated by spaces. It takes no signal, because other requests may wait for the same list. */
async function readIds({ store }: RepositoryContext, { query, values }: IdQuery) {
  const rows = await store.select(bind(query, values))
  return rows.flatMap((row) => row['ids']?.value.split(' ') ?? []).filter(isId)
}

/** Returns the existing graphs, without links and with blank nodes. */
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

/** Query for the ids of a list, and the IRIs that they belong to. */
type GraphListing = IdQuery & {
  readonly path: string
  /** Name of the list in the cache; absent = not cached. */
  readonly name?: string
  readonly iriOf: (id: string) => string
}

/** Makes a list of resources whose graphs are named by their IRIs, and whose original ids are their ids. */
const graphList = (context: RepositoryContext, listing: GraphListing): ResourceList => {
  const { path, name, iriOf } = listing
  const read = () => readIds(context, listing)
  return {
    path,
    ids: async () => (name === undefined ? (await read()).sort() : context.idLists.of(name, read)),
    uriRefs: async (ids) => ids.map(iriOf),
    originalIds: async (ids) => ids,
    parts: (ids, signal) => describedGraphs(context, ids.map(iriOf), signal),
  }
}

/** Makes a list fail with `unknown-catalogue` when it is empty, or a long answer ends, and its catalogue does not exist. */
const listIn = (context: RepositoryContext, id: string, list: ResourceList): ResourceList => ({
  ...list,
  ids: async (signal) => {
    const ids = await list.ids(signal)
    if (ids.length === 0) await requireCatalogue(context, id, signal)
    return ids
  },
  requireOwner: (signal) => requireCatalogue(context, id, signal),
})

const catalogueList = (context: RepositoryContext): ResourceList => {
  const { catalogue: iriOf } = context.names
  const values = { prefix: literal(iriOf('')) }
  const listing = { path: '/catalogues', name: listNames.catalogues, query: cataloguesQuery }
  return graphList(context, { ...listing, values, iriOf })
}

/** Makes the list of the datasets of all catalogues; their original ids are not unique. */
function datasetList(context: RepositoryContext): ResourceList {
  const { dataset: iriOf, catalogue } = context.names
  const values = { prefix: literal(iriOf('')), catalogues: literal(catalogue('')) }
  const listing = { path: '/datasets', name: listNames.datasets, query: datasetsQuery }
  return { ...graphList(context, { ...listing, values, iriOf }), originalIds: undefined }
}

/** Makes the query for the datasets that a catalogue links. */
const membersOf = ({ dataset, catalogue }: Names, id: string): IdQuery => ({
  query: membersQuery,
  values: { prefix: literal(dataset('')), catalogue: namedNode(catalogue(id)) },
})

/** Returns the ids of the datasets that a catalogue links, without the cache. */
export const memberIds = async (context: RepositoryContext, id: string): Promise<string[]> =>
  [...new Set(await readIds(context, membersOf(context.names, id)))].sort()

/** Returns the ids of all datasets, without the cache. */
export const allDatasetIds = async (context: RepositoryContext): Promise<string[]> => {
  const { dataset, catalogue } = context.names
  const values = { prefix: literal(dataset('')), catalogues: literal(catalogue('')) }
  return [...new Set(await readIds(context, { query: datasetsQuery, values }))].sort()
}

/** Makes the list of the datasets of one catalogue. */
function memberList(context: RepositoryContext, id: string): ResourceList {
  const { names } = context
  const path = `/catalogues/${id}/datasets`
  const listing = { path, name: listNames.members(id), iriOf: names.dataset }
  return listIn(context, id, {
    ...graphList(context, { ...listing, ...membersOf(names, id) }),
    originalIds: async (ids, signal) => {
      const origins = await originalIdsOf(context, ids, signal)
      return ids.flatMap((dataset) => origins.get(dataset) ?? [])
    },
    allOriginalIds: true,
  })
}

/** Makes the list of vocabularies; their values of type `uriRefs` are the IRIs of their concept schemes. */
function vocabularyList(context: RepositoryContext): ResourceList {
  const { vocabulary: iriOf } = context.names
  const schemes: ResourceList['uriRefs'] = async (ids, signal) => {
    const query = (batch: readonly string[]) =>
      bind(schemesQuery, { vocabulary: batch.map((id) => namedNode(iriOf(id))) })
    const rows = await rowsInBatches(context, query, ids, signal)
    const schemeByIri = new Map(
      rows.map((row) => [row['vocabulary']?.value, row['scheme']?.value ?? '']),
    )
    return ids.flatMap((id) => schemeByIri.get(iriOf(id)) ?? [])
  }
  const values = { prefix: literal(iriOf('')) }
  const listing = { path: '/vocabularies', name: listNames.vocabularies, query: vocabulariesQuery }
  return {
    ...graphList(context, { ...listing, values, iriOf }),
    uriRefs: schemes,
    parts: async (ids, signal) => describedGraphs(context, await schemes(ids, signal), signal),
    // A vocabulary may be larger than a hundred datasets.
    batchSize: 1,
  }
}

/** Makes the list of the resources of a declared type, of all catalogues or of one. */
export function declaredList(
  context: RepositoryContext,
  type: string,
  catalogue?: string,
): ResourceList {
  const { names } = context
  const iriOf = (id: string) => names.resource(type, id)
  const values = { type: literal(type), prefix: literal(iriOf('')) }
  const listing = { path: `/customresources/${type}`, iriOf }
  if (catalogue === undefined) {
    const name = listNames.resources(type)
    return graphList(context, { ...listing, name, query: resourcesQuery, values })
  }
  const memberValues = { ...values, catalogue: namedNode(names.catalogue(catalogue)) }
  const list = graphList(context, { ...listing, query: resourceMembersQuery, values: memberValues })
  return listIn(context, catalogue, { ...list, within: { catalogId: catalogue } })
}

/** Makes the list of the distributions of a dataset, from its graph. */
function distributionList(
  { names }: RepositoryContext,
  dataset: string,
  graph: Graph,
): ResourceList {
  const { genidPrefix: prefix, distribution: iriOf } = names
  const distributionIris = linkedDistributions(graph, names.dataset(dataset))
  return {
    path: `/datasets/${dataset}/distributions`,
    ids: async () => distributionIris.flatMap((iri) => names.idOf('distribution', iri) ?? []),
    uriRefs: async (ids) => ids.map(iriOf),
    originalIds: async (ids) =>
      ids.flatMap((id) => literalOf(graph, iriOf(id), dct('identifier'))?.value ?? []),
    parts: async (ids) =>
      ids.map(iriOf).map((iri) => ({
        graph: iri,
        lines: toLines(unskolemise(describeDistribution(graph, iri, names), { prefix })),
      })),
  }
}

/** Datasets that are read, written and sent together: a dump holds two such batches in memory. */
const batchSize = 100

/**
 * Yields a whole catalogue in batches: its own graph, then datasets with the links to them. Fails when there is no such
 * catalogue, or it is deleted meanwhile. Datasets created meanwhile may be missing; deleted ones are left out with their links.
 */
async function* dumpOf(
  context: RepositoryContext,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<readonly Part[]> {
  const { names } = context
  const catalogue = names.catalogue(id)
  const members = memberList(context, id)
  await requireCatalogue(context, id, signal)
  yield await describedGraphs(context, [catalogue], signal)
  const batches = mapAhead(idBatches(members, batchSize, signal), (ids) =>
    members.parts(ids, signal),
  )
  for await (const datasets of batches) {
    const links = datasets.flatMap(({ graph = '' }) => {
      const dataset = names.idOf('dataset', graph)
      return dataset === undefined ? [] : linkLines(names, { catalogue: id, id: dataset })
    })
    if (links.length > 0) yield [{ graph: catalogue, lines: `${links.join('\n')}\n` }, ...datasets]
  }
  await requireCatalogue(context, id, signal)
}

const listCatalogues = repositoryEndpoint({
  method: 'get',
  path: '/catalogues',
  operation: 'getCatalogues',
  summary: 'List catalogues',
  auth: anyone,
  query: parameters.list,
  answers: answers.list,
  handle: ({ c, query }, context) => answerList(c, context, catalogueList(context), query),
})

const listMembers = repositoryEndpoint({
  method: 'get',
  path: '/catalogues/{catalogueId}/datasets',
  operation: 'getCataloguesByCatalogueIdDatasets',
  summary: 'List the datasets of a catalogue',
  auth: anyone,
  params: parameters.catalogue,
  query: parameters.datasets,
  answers: answers.list,
  handle: ({ c, query }, context) =>
    answerList(c, context, memberList(context, pathId(c, 'catalogueId')), query),
})

const listDatasets = repositoryEndpoint({
  method: 'get',
  path: '/datasets',
  operation: 'getDatasets',
  summary: 'List datasets',
  auth: anyone,
  query: parameters.datasetList,
  answers: answers.list,
  handle: ({ c, query: { catalogue, ...paging } }, context) => {
    if (catalogue === undefined) return answerList(c, context, datasetList(context), paging)
    const members = memberList(context, requireId('catalogue', catalogue))
    return answerList(c, context, { ...members, path: '/datasets', within: { catalogue } }, paging)
  },
})

const listDistributions = repositoryEndpoint({
  method: 'get',
  path: '/datasets/{datasetId}/distributions',
  operation: 'getDatasetsByDatasetIdDistributions',
  summary: 'List the distributions of a dataset',
  auth: anyone,
  params: parameters.dataset,
  query: parameters.list,
  answers: answers.list,
  handle: ({ c, query, signal }, context) => {
    const { store, names } = context
    const id = pathId(c, 'datasetId')
    return sizedAnswer(c, names.dataset(id), async (read) => {
      const lines = await store.read(names.dataset(id), {}, signal)
      if (lines === undefined) throw unknownDataset(id)
      read(lines.length)
      const list = distributionList(context, id, graphOf(await readLines(lines)))
      return answerList(c, context, list, query)
    })
  },
})

const listVocabularies = repositoryEndpoint({
  method: 'get',
  path: '/vocabularies',
  operation: 'getVocabularies',
  summary: 'List vocabularies',
  auth: anyone,
  query: parameters.list,
  answers: answers.list,
  handle: ({ c, query }, context) => answerList(c, context, vocabularyList(context), query),
})

const dump = {
  method: 'get',
  path: '/catalogues/{catalogueId}/dump',
  operation: 'getCataloguesByCatalogueIdDump',
  summary: 'Read a whole catalogue as one document',
  description:
    'The catalogue, its datasets with their distributions and records, and the links between them; `dump.nq`, `dump.ttl` and so on beat Accept. The import takes it back. RDF/XML leaves out what XML cannot express (control characters, properties without an XML name); comments hold it as N-Triples.',
  auth: anyone,
  params: parameters.catalogue,
  answers: answers.dump,
  handle: ({ c, signal }: { c: AppContext; signal: AbortSignal }, context: RepositoryContext) => {
    const id = pathId(c, 'catalogueId')
    const { format: suffix } = splitSuffix(c.req.path)
    const parts = dumpOf(context, id, signal)
    return longAnswer(c, () =>
      answerDocument(c, context, parts, { suffix, name: id, keepsGraphs: true }),
    )
  },
} as const

/** Endpoints `dump.nq`, `dump.ttl` and so on; the router needs a separate path for each suffix. */
const dumpsByFormat = Object.values(formats).map(({ suffix }) =>
  repositoryEndpoint({ ...dump, path: `${dump.path}.${suffix}`, isHidden: true }),
)

/** Endpoints of lists, and of dumps of whole catalogues. */
export const resourceListEndpoints = [
  listCatalogues,
  listMembers,
  listDatasets,
  listDistributions,
  listVocabularies,
  repositoryEndpoint(dump),
  ...dumpsByFormat,
]
