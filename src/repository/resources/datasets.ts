/** Datasets: put by their id at the origin or by their platform id, created without one, read, deleted, restored. */

import { Failure } from '../../errors.ts'
import type { AppContext } from '../../http/app.ts'
import { sizedAnswer } from '../../http/long-answers.ts'
import type { Format } from '../../rdf/media-types.ts'
import { storedRecord } from '../content/catalogue-record.ts'
import type { RepositoryContext, ResourceBody, WriteOutcome } from '../context.ts'
import { removeMembers, restoreMember } from '../deleting/removal.ts'
import {
  cameByAlias,
  demandId,
  demandOriginalId,
  expectedState,
  pathId,
  respondToWrite,
  suffixedId,
  type RouteContext,
} from '../routes/route-context.ts'
import { contract } from '../routes/contract.ts'
import { answerDelete, answerResource, answerWrite } from '../routes/responses.ts'
import { datasetLock } from '../writing/dataset-ids.ts'
import { itemOf, writeDatasets, type DatasetItem } from '../writing/dataset-writer.ts'
import { findById, findByOrigins, unknownDataset } from '../writing/find-datasets.ts'
import { resultOf } from '../writing/write-batch.ts'

const { bodies, postRoute, putRoute, readRoute, removeRoute, parameters } = contract

/** A dataset as one request sends it. */
type DatasetPut = Omit<DatasetItem, 'prepare' | 'digest'> & {
  readonly catalogue: string
  readonly body: ResourceBody
}

/** Fails with `unknown-catalogue`, `newer-exists`, and as the body does; with `updateOnly` also with `unknown-dataset`. */
async function putDataset(
  context: RepositoryContext,
  { catalogue, ...item }: DatasetPut,
  signal: AbortSignal,
): Promise<WriteOutcome> {
  const batch = { catalogue, items: [itemOf(context, item)] }
  const [written] = await writeDatasets(context, batch, signal)
  return resultOf(written).outcome
}

const [created, origin, byId, inCatalogue, datasetId] = [
  '/catalogues/{catalogueId}/datasets',
  '/catalogues/{catalogueId}/datasets/origin',
  '/datasets/{datasetId}',
  { params: parameters.catalogue },
  { params: parameters.datasetOrOrigin },
] as const

const postToCatalogue = postRoute(
  created,
  'Create a dataset; its id at the origin is a random one',
  { ...inCatalogue, query: parameters.status, body: bodies.dataset },
)
const post = postRoute(
  '/datasets',
  'Create a dataset in a catalogue; its id at the origin is a random one',
  { query: parameters.into, body: bodies.dataset },
)
const readByOrigin = readRoute(origin, 'Read a dataset by its id at the origin', {
  ...inCatalogue,
  query: parameters.origin,
})
const putByOrigin = putRoute(origin, 'Create or replace a dataset by its id at the origin', {
  ...inCatalogue,
  query: parameters.put,
  body: bodies.dataset,
})
const removeByOrigin = removeRoute(origin, 'Delete a dataset by its id at the origin', {
  ...inCatalogue,
  query: parameters.origin,
})
const readById = readRoute(byId, 'Read a dataset with its distributions and its record', {
  ...datasetId,
  query: parameters.inCatalogue,
})
const putById = putRoute(byId, 'Replace a dataset that exists', {
  ...datasetId,
  query: parameters.putInCatalogue,
  body: bodies.dataset,
})
const removeById = removeRoute(byId, 'Delete a dataset', {
  ...datasetId,
  query: parameters.inCatalogue,
})
const restore = postRoute(
  '/datasets/{datasetId}/restore',
  'Restore a deleted dataset with its ids and its distributions',
  { params: parameters.dataset },
)

/** The routes of datasets. */
export function addDatasetRoutes(context: RouteContext): void {
  const { app, guard, locateDataset, tombstones } = context
  guard('catalogue', putByOrigin, removeByOrigin, postToCatalogue)
  guard((c) => Promise.resolve(c.req.query('catalogue')), post)
  guard(
    async (c) => {
      const catalogue = c.req.query('catalogue')
      if (catalogue !== undefined) return demandId('catalogue', catalogue)
      return (await locateDataset(c)).catalogue
    },
    putById,
    removeById,
  )
  guard(async (c) => {
    const id = pathId(c, 'datasetId')
    return (tombstones.find('dataset', id) ?? (await locateDataset(c))).catalogue
  }, restore)
  app.openapi(postToCatalogue, (c) => create(c, context, c.req.valid('param').catalogueId))
  app.openapi(post, (c) =>
    create(c, context, demandId('catalogue', c.req.valid('query').catalogue)),
  )
  addOriginRoutes(context)
  addIdRoutes(context)
  app.openapi(restore, async (c) => {
    const id = c.req.valid('param').datasetId
    const restored = await restoreMember(context, { kind: 'dataset', id }, c.get('signal'))
    if (!restored) throw unknownDataset(id)
    return answerWrite(c, context, restored)
  })
}

/** The routes by the id at the origin, which harvesters use: they need not know the platform's ids. */
function addOriginRoutes(context: RouteContext): void {
  const { app } = context
  app.openapi(readByOrigin, async (c) => {
    const catalogue = demandId('catalogueId', c.req.valid('param').catalogueId)
    const { originalId } = c.req.valid('query')
    return answer(c, context, await idOf(c, context, { catalogue, originalId }))
  })
  app.openapi(putByOrigin, (c) => {
    const { originalId, ...how } = c.req.valid('query')
    return write(c, context, { catalogue: c.req.valid('param').catalogueId, originalId, ...how })
  })
  app.openapi(removeByOrigin, async (c) => {
    const catalogue = c.req.valid('param').catalogueId
    const { originalId } = c.req.valid('query')
    return remove(c, context, await idOf(c, context, { catalogue, originalId }), catalogue)
  })
}

/** With the deprecated parameter `catalogue` the id of the path is the one at the origin. */
function addIdRoutes(context: RouteContext): void {
  const { app, locateDataset } = context
  const named = (c: AppContext, catalogue: string): OriginName => ({
    catalogue: demandId('catalogue', catalogue),
    originalId: demandOriginalId('datasetId', c.req.param('datasetId') ?? ''),
  })
  app.openapi(readById, async (c) => {
    const { catalogue } = c.req.valid('query')
    if (catalogue !== undefined)
      return answer(c, context, await idOf(c, context, named(c, catalogue)))
    const { id, suffix } = suffixedId(c, 'datasetId')
    return answer(c, context, id, suffix)
  })
  app.openapi(putById, async (c) => {
    const { catalogue, ...how } = c.req.valid('query')
    if (catalogue !== undefined) return write(c, context, { ...named(c, catalogue), ...how })
    return write(c, context, { ...(await locateDataset(c)), ...how, updateOnly: true })
  })
  app.openapi(removeById, async (c) => {
    const { catalogue } = c.req.valid('query')
    if (catalogue !== undefined)
      return remove(c, context, await idOf(c, context, named(c, catalogue)), catalogue)
    const located = await locateDataset(c)
    return remove(c, context, located.id, located.catalogue)
  })
}

type OriginName = { readonly catalogue: string; readonly originalId: string }

/** The platform id of a dataset by its id at the origin; fails with `unknown-dataset` and `unknown-catalogue`. */
async function idOf(
  c: AppContext,
  context: RouteContext,
  { catalogue, originalId }: OriginName,
): Promise<string> {
  const sought = [{ originalId, candidate: '-' }]
  const [found] = await findByOrigins(context, catalogue, sought, c.get('signal'))
  if (!found?.record) throw unknownDataset(originalId)
  return found.record.id
}

type WriteQuery = OriginName & {
  readonly enforceUpdate?: boolean
  readonly recordModified?: string | undefined
  readonly updateOnly?: boolean
}

/** PUT by either id. */
function write(c: AppContext, context: RouteContext, query: WriteQuery): Promise<Response> {
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

/** Under a random id at the origin, or under the one that an alias prefers if it is free. */
function create(c: AppContext, context: RouteContext, catalogue: string): Promise<Response> {
  const preferred = cameByAlias(c.req.url) ? c.req.query('resourceId') : undefined
  if (preferred !== undefined) demandOriginalId('resourceId', preferred)
  return respondToWrite(c, context, async ({ body, precondition }, signal) => {
    const under = (originalId: string): Promise<WriteOutcome> => {
      const isNew = (hash: string | undefined) => {
        if (hash !== undefined) throw alreadyThere(originalId)
        precondition(hash)
      }
      return putDataset(context, { catalogue, originalId, body, precondition: isNew }, signal)
    }
    if (preferred === undefined) return under(context.uuid())
    return under(preferred).catch((error: unknown) => {
      if (error instanceof Failure && error.kind === 'already-exists') return under(context.uuid())
      throw error
    })
  })
}

// A POST creates: an id that is taken is no update.
const alreadyThere = (originalId: string) =>
  new Failure('already-exists', `the catalogue has a dataset "${originalId}" already`)

/** What is removed can be restored for as long as its tombstone lives. */
async function remove(
  c: AppContext,
  context: RouteContext,
  id: string,
  home: string,
): Promise<Response> {
  const signal = c.get('signal')
  const { catalogue, originalId } = await findById(context, id, signal)
  const work = async () => {
    const { hash } = await findById(context, id, signal)
    expectedState(c)(hash)
    const member = { kind: 'dataset', id, catalogue, originalId } as const
    const [removed] = await removeMembers(context, [member], { at: context.now() }, signal)
    return resultOf(removed)
  }
  const mark = await context.locks.run([datasetLock(originalId)], work, signal)
  return answerDelete(c, context, { mark, catalogue: home })
}

/** The graph of a dataset as one write left it, with links to its record and its catalogue. */
async function answer(
  c: AppContext,
  context: RouteContext,
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
