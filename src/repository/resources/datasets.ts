/** Endpoints of one dataset: created without an id; put, read and deleted by original id or by platform id; restored. */

import { Failure } from '../../errors.ts'
import type { AppContext } from '../../http/app.ts'
import { anyone, mayCallFor } from '../../http/endpoint.ts'
import { sizedAnswer } from '../../http/long-answers.ts'
import type { Format } from '../../rdf/media-types.ts'
import { storedRecord } from '../content/catalogue-record.ts'
import type { RepositoryContext, ResourceBody, WriteOutcome } from '../repository-context.ts'
import { removeMembers, restoreMember } from '../deleting/removal.ts'
import {
  isAliasedList,
  requireId,
  requireOriginalId,
  expectedState,
  locateDataset,
  mayWriteCatalogue,
  pathId,
  respondToWrite,
  suffixedId,
} from '../endpoints/requests.ts'
import { contract, repositoryEndpoint } from '../endpoints/contract.ts'
import { answerDelete, answerResource, answerWrite } from '../endpoints/responses.ts'
import { datasetLock } from '../writing/dataset-ids.ts'
import { itemOf, writeDatasets, type DatasetItem } from '../writing/write-datasets.ts'
import { findById, findByOrigins, unknownDataset } from '../writing/find-datasets.ts'
import { resultOf } from '../writing/write-batch.ts'

const { answers, bodies, parameters } = contract

/** Dataset that one request writes. */
type DatasetPut = Omit<DatasetItem, 'prepare' | 'digest'> & {
  readonly catalogue: string
  readonly body: ResourceBody
}

/**
 * Writes a dataset. Fails with `unknown-catalogue`, `newer-exists`, and as its id, body and precondition do; with `updateOnly`
 * also with `unknown-dataset`.
 */
export async function putDataset(
  context: RepositoryContext,
  { catalogue, ...item }: DatasetPut,
  signal: AbortSignal,
): Promise<WriteOutcome> {
  const batch = { catalogue, items: [itemOf(context, item)] }
  const [written] = await writeDatasets(context, batch, signal)
  return resultOf(written).outcome
}

const [collectionPath, originPath, datasetPath] = [
  '/catalogues/{catalogueId}/datasets',
  '/catalogues/{catalogueId}/datasets/origin',
  '/datasets/{datasetId}',
] as const

const createInCatalogue = repositoryEndpoint({
  method: 'post',
  path: collectionPath,
  operation: 'postCataloguesByCatalogueIdDatasets',
  summary: 'Create a dataset; its id at the origin is a random one',
  auth: mayWriteCatalogue,
  params: parameters.catalogue,
  query: parameters.status,
  body: bodies.dataset,
  answers: answers.creation,
  handle: ({ c, params: { catalogueId: catalogue }, query }, context) =>
    isDraft(query)
      ? context.draftDataset(c, context, { catalogue })
      : create(c, context, catalogue),
})

const createDataset = repositoryEndpoint({
  method: 'post',
  path: '/datasets',
  operation: 'postDatasets',
  summary: 'Create a dataset in a catalogue; its id at the origin is a random one',
  auth: mayCallFor((c) => c.req.query('catalogue')),
  query: parameters.targetCatalogue,
  body: bodies.dataset,
  answers: answers.creation,
  handle: ({ c, query }, context) => {
    const catalogue = requireId('catalogue', query.catalogue)
    return isDraft(query)
      ? context.draftDataset(c, context, { catalogue })
      : create(c, context, catalogue)
  },
})

// By the id at the origin, which harvesters use: they need not know the ids of the platform.

const readByOrigin = repositoryEndpoint({
  method: 'get',
  path: originPath,
  operation: 'getCataloguesByCatalogueIdDatasetsOrigin',
  summary: 'Read a dataset by its id at the origin',
  auth: anyone,
  params: parameters.catalogue,
  query: parameters.origin,
  answers: answers.graph,
  handle: async ({ c, params, query: { originalId } }, context) => {
    const catalogue = requireId('catalogueId', params.catalogueId)
    return answer(c, context, await idOf(c, context, { catalogue, originalId }))
  },
})

const putByOrigin = repositoryEndpoint({
  method: 'put',
  path: originPath,
  operation: 'putCataloguesByCatalogueIdDatasetsOrigin',
  summary: 'Create or replace a dataset by its id at the origin',
  auth: mayWriteCatalogue,
  params: parameters.catalogue,
  query: parameters.put,
  body: bodies.dataset,
  answers: answers.write,
  handle: ({ c, params: { catalogueId: catalogue }, query }, context) => {
    const { originalId, enforceUpdate, recordModified } = query
    if (isDraft(query)) return context.draftDataset(c, context, { catalogue, originalId })
    return write(c, context, { catalogue, originalId, enforceUpdate, recordModified })
  },
})

const deleteByOrigin = repositoryEndpoint({
  method: 'delete',
  path: originPath,
  operation: 'deleteCataloguesByCatalogueIdDatasetsOrigin',
  summary: 'Delete a dataset by its id at the origin',
  auth: mayWriteCatalogue,
  params: parameters.catalogue,
  query: parameters.origin,
  answers: answers.removal,
  handle: async ({ c, params: { catalogueId: catalogue }, query: { originalId } }, context) =>
    remove(c, context, await idOf(c, context, { catalogue, originalId }), catalogue),
})

// With the deprecated parameter `catalogue` the id of the path is the one at the origin.

/** Permission for the catalogue that the parameter names, else that of the dataset of the path. */
const mayWriteDatasetInCatalogue = mayCallFor(async (c, context: RepositoryContext) => {
  const catalogue = c.req.query('catalogue')
  if (catalogue !== undefined) return requireId('catalogue', catalogue)
  return (await locateDataset(c, context)).catalogue
})

/** Returns the original id in the path and its catalogue. */
const originFromPath = (c: AppContext, catalogue: string): DatasetOrigin => ({
  catalogue: requireId('catalogue', catalogue),
  originalId: requireOriginalId('datasetId', c.req.param('datasetId') ?? ''),
})

const readDataset = repositoryEndpoint({
  method: 'get',
  path: datasetPath,
  operation: 'getDatasetsByDatasetId',
  summary: 'Read a dataset with its distributions and its record',
  auth: anyone,
  params: parameters.datasetOrOrigin,
  query: parameters.inCatalogue,
  answers: answers.graph,
  handle: async ({ c, query: { catalogue } }, context) => {
    if (catalogue !== undefined)
      return answer(c, context, await idOf(c, context, originFromPath(c, catalogue)))
    const { id, suffix } = suffixedId(c, 'datasetId')
    return answer(c, context, id, suffix)
  },
})

const replaceDataset = repositoryEndpoint({
  method: 'put',
  path: datasetPath,
  operation: 'putDatasetsByDatasetId',
  summary: 'Replace a dataset that exists',
  auth: mayWriteDatasetInCatalogue,
  params: parameters.datasetOrOrigin,
  query: parameters.putInCatalogue,
  body: bodies.dataset,
  answers: answers.write,
  handle: async ({ c, params, query }, context) => {
    const { catalogue, enforceUpdate, recordModified } = query
    const options = { enforceUpdate, recordModified }
    if (isDraft(query)) {
      const inCatalogue = catalogue === undefined ? {} : { catalogue }
      return context.draftDataset(c, context, { originalId: params.datasetId, ...inCatalogue })
    }
    if (catalogue !== undefined)
      return write(c, context, { ...originFromPath(c, catalogue), ...options })
    return write(c, context, { ...(await locateDataset(c, context)), ...options, updateOnly: true })
  },
})

const deleteDataset = repositoryEndpoint({
  method: 'delete',
  path: datasetPath,
  operation: 'deleteDatasetsByDatasetId',
  summary: 'Delete a dataset',
  auth: mayWriteDatasetInCatalogue,
  params: parameters.datasetOrOrigin,
  query: parameters.inCatalogue,
  answers: answers.removal,
  handle: async ({ c, query: { catalogue } }, context) => {
    if (catalogue !== undefined)
      return remove(c, context, await idOf(c, context, originFromPath(c, catalogue)), catalogue)
    const located = await locateDataset(c, context)
    return remove(c, context, located.id, located.catalogue)
  },
})

const restoreDataset = repositoryEndpoint({
  method: 'post',
  path: `${datasetPath}/restore`,
  operation: 'postDatasetsByDatasetIdRestore',
  summary: 'Restore a deleted dataset with its ids and its distributions',
  auth: mayCallFor(async (c, context: RepositoryContext) => {
    const id = pathId(c, 'datasetId')
    const tombstone = context.tombstones.find('dataset', id)
    return (tombstone ?? (await locateDataset(c, context))).catalogue
  }),
  params: parameters.dataset,
  answers: answers.creation,
  handle: async ({ c, params: { datasetId: id }, signal }, context) => {
    const restored = await restoreMember(context, { kind: 'dataset', id }, signal)
    if (!restored) throw unknownDataset(id)
    return answerWrite(c, context, restored)
  },
})

/** Endpoints of datasets. */
export const datasetResourceEndpoints = [
  createInCatalogue,
  createDataset,
  readByOrigin,
  putByOrigin,
  deleteByOrigin,
  readDataset,
  replaceDataset,
  deleteDataset,
  restoreDataset,
]

/** Whether a write is to be kept as a draft. */
const isDraft = ({ publicationStatus }: { readonly publicationStatus?: string | undefined }) =>
  publicationStatus === 'draft'

type DatasetOrigin = { readonly catalogue: string; readonly originalId: string }

/** Returns the platform id of a dataset by its id at the origin; fails with `unknown-dataset` and `unknown-catalogue`. */
async function idOf(
  c: AppContext,
  context: RepositoryContext,
  { catalogue, originalId }: DatasetOrigin,
): Promise<string> {
  // Nothing is created here, so any candidate will do.
  const queries = [{ originalId, candidate: '-' }]
  const [origin] = await findByOrigins(context, catalogue, queries, c.get('signal'))
  if (!origin?.record) throw unknownDataset(originalId)
  return origin.record.id
}

type WriteQuery = DatasetOrigin & {
  readonly enforceUpdate?: boolean
  readonly recordModified?: string
  readonly updateOnly?: boolean
}

/** Answers a PUT of a dataset, by either id. */
function write(c: AppContext, context: RepositoryContext, query: WriteQuery): Promise<Response> {
  const { catalogue, originalId, enforceUpdate = false, recordModified, updateOnly = false } = query
  const item = {
    catalogue,
    originalId,
    enforceUpdate,
    updateOnly,
    ...(recordModified !== undefined && { recordModified: Date.parse(recordModified) }),
  }
  return respondToWrite(c, context, (request, signal) =>
    putDataset(context, { ...item, ...request }, signal),
  )
}

/** Creates a dataset under a random id at the origin, or under the one that an alias proposes if it is free. */
function create(c: AppContext, context: RepositoryContext, catalogue: string): Promise<Response> {
  const preferred = isAliasedList(c.req.url) ? c.req.query('resourceId') : undefined
  if (preferred !== undefined) requireOriginalId('resourceId', preferred)
  return respondToWrite(c, context, async ({ body, precondition }, signal) => {
    const putUnder = (originalId: string): Promise<WriteOutcome> => {
      const isNew = (hash: string | undefined) => {
        if (hash !== undefined) throw datasetExists(originalId)
        precondition(hash)
      }
      return putDataset(context, { catalogue, originalId, body, precondition: isNew }, signal)
    }
    if (preferred === undefined) return putUnder(context.uuid())
    return putUnder(preferred).catch((error: unknown) => {
      if (error instanceof Failure && error.kind === 'already-exists')
        return putUnder(context.uuid())
      throw error
    })
  })
}

// POST only creates: an existing id is a conflict.
const datasetExists = (originalId: string) =>
  new Failure('already-exists', `the catalogue has a dataset "${originalId}" already`)

/** Deletes a dataset, which can be restored as long as its tombstone exists. `Index-Status` is that of `catalogueOfRequest`. */
async function remove(
  c: AppContext,
  context: RepositoryContext,
  id: string,
  catalogueOfRequest: string,
): Promise<Response> {
  const signal = c.get('signal')
  const { catalogue, originalId } = await findById(context, id, signal)
  const work = async () => {
    const { hash } = await findById(context, id, signal)
    expectedState(c)(hash)
    const member = { kind: 'dataset', id, catalogue, originalId } as const
    const [result] = await removeMembers(context, [member], { at: context.now() }, signal)
    return resultOf(result)
  }
  const mark = await context.locks.run([datasetLock(originalId)], work, signal)
  return answerDelete(c, context, { mark, catalogue: catalogueOfRequest })
}

/** Answers the graph of a dataset, with links to its record and its catalogue. */
async function answer(
  c: AppContext,
  context: RepositoryContext,
  id: string,
  suffix?: Format,
): Promise<Response> {
  const { store, idLists, names } = context
  const [iri, record] = [names.dataset(id), names.record(id)]
  return sizedAnswer(c, iri, async (read) => {
    const text = store.read(iri, {}, c.get('signal'))
    const [lines, catalogue] = await Promise.all([text, idLists.catalogueOf(id)])
    if (lines === undefined) throw unknownDataset(id)
    read(lines.length)
    const collection = catalogue === undefined ? undefined : names.catalogue(catalogue)
    const links = { describedby: record, collection }
    const facts = { id, iri, path: `/datasets/${id}`, ...storedRecord(lines, record) }
    return answerResource(c, context, { ...facts, lines, links }, suffix)
  })
}
