/** The routes of datasets: by their platform id, by their id at the origin, and created without one. */

import { Failure } from '../../errors.ts'
import type { AppContext } from '../../http/app.ts'
import type { Format } from '../../rdf/media-types.ts'
import { storedRecord } from '../content/catalogue-record.ts'
import type { ResourceBody, WriteOutcome } from '../context.ts'
import { findByOrigins, unknownDataset } from '../writing/find-datasets.ts'
import { cameByAlias } from './aliases.ts'
import {
  repositoryBodies as bodies,
  postRoute,
  putRoute,
  readRoute,
  removeRoute,
} from './contract.ts'
import { repositoryParameters as parameters } from './parameters.ts'
import { answerDelete, answerResource, answerWrite } from './responses.ts'
import {
  writeAnswer,
  demandId,
  demandOriginalId,
  expectedState,
  respondToWrite,
  suffixedId,
  type RouteContext,
} from './route-context.ts'

const [created, origin, byId] = [
  '/catalogues/{catalogueId}/datasets',
  '/catalogues/{catalogueId}/datasets/origin',
  '/datasets/{datasetId}',
] as const

const postToCatalogue = postRoute(
  created,
  'Create a dataset; its id at the origin is a random one',
  { params: parameters.catalogue, query: parameters.status, body: bodies.dataset },
)

const post = postRoute(
  '/datasets',
  'Create a dataset in a catalogue; its id at the origin is a random one',
  { query: parameters.into, body: bodies.dataset },
)

const readByOrigin = readRoute(origin, 'Read a dataset by its id at the origin', {
  params: parameters.catalogue,
  query: parameters.origin,
})

const putByOrigin = putRoute(origin, 'Create or replace a dataset by its id at the origin', {
  params: parameters.catalogue,
  query: parameters.put,
  body: bodies.dataset,
})

const removeByOrigin = removeRoute(origin, 'Delete a dataset by its id at the origin', {
  params: parameters.catalogue,
  query: parameters.origin,
})

const readById = readRoute(byId, 'Read a dataset with its distributions and its record', {
  params: parameters.datasetOrOrigin,
  query: parameters.inCatalogue,
})

const putById = putRoute(byId, 'Replace a dataset that exists', {
  params: parameters.datasetOrOrigin,
  query: parameters.putInCatalogue,
  body: bodies.dataset,
})

const removeById = removeRoute(byId, 'Delete a dataset', {
  params: parameters.datasetOrOrigin,
  query: parameters.inCatalogue,
})

const restore = postRoute(
  '/datasets/{datasetId}/restore',
  'Restore a deleted dataset with its ids and its distributions',
  { params: parameters.dataset },
)

export function addDatasetRoutes(context: RouteContext): void {
  const { app, datasets, guard, locate, tombstones } = context
  const methods = ['PUT', 'DELETE']
  const inCatalogue = '/catalogues/:catalogueId/datasets'
  guard({ methods, path: `${inCatalogue}/origin`, permission: 'catalogue' })
  guard({ methods: ['POST'], path: inCatalogue, permission: 'catalogue' })
  guard({
    methods: ['POST'],
    path: '/datasets',
    permission: (c) => Promise.resolve(c.req.query('catalogue')),
  })
  guard({
    methods,
    path: '/datasets/:datasetId',
    permission: async (c) => {
      const catalogue = c.req.query('catalogue')
      if (catalogue !== undefined) return demandId('catalogue', catalogue)
      return (await locate.dataset(c)).catalogue
    },
  })
  guard({
    methods: ['POST'],
    path: '/datasets/:datasetId/restore',
    permission: async (c) => {
      const id = demandId('datasetId', c.req.param('datasetId') ?? '')
      return (tombstones.find('dataset', id) ?? (await locate.dataset(c))).catalogue
    },
  })
  app.openapi(postToCatalogue, (c) => create(c, context, c.req.valid('param').catalogueId))
  app.openapi(post, (c) =>
    create(c, context, demandId('catalogue', c.req.valid('query').catalogue)),
  )
  addOriginRoutes(context)
  addIdRoutes(context)
  app.openapi(restore, async (c) => {
    const restored = await datasets.restore(c.req.valid('param').datasetId, c.get('signal'))
    return answerWrite(c, restored, writeAnswer(context))
  })
}

function addOriginRoutes(context: RouteContext): void {
  const { app } = context
  app.openapi(readByOrigin, async (c) => {
    const catalogue = demandId('catalogueId', c.req.valid('param').catalogueId)
    const id = await idOf(c, context, { catalogue, originalId: c.req.valid('query').originalId })
    return answer(c, context, id)
  })
  app.openapi(putByOrigin, (c) => {
    const { originalId, ...how } = c.req.valid('query')
    return write(c, context, { catalogue: c.req.valid('param').catalogueId, originalId, ...how })
  })
  app.openapi(removeByOrigin, async (c) => {
    const catalogue = c.req.valid('param').catalogueId
    const { originalId } = c.req.valid('query')
    const id = await idOf(c, context, { catalogue, originalId })
    return remove(c, context, { id, catalogue })
  })
}

/** With the deprecated parameter `catalogue` the id of the path is the one at the origin. */
function addIdRoutes(context: RouteContext): void {
  const { app, locate } = context
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
    return write(c, context, { ...(await locate.dataset(c)), ...how, updateOnly: true })
  })
  app.openapi(removeById, async (c) => {
    const { catalogue } = c.req.valid('query')
    if (catalogue === undefined) return remove(c, context, await locate.dataset(c))
    const name = named(c, catalogue)
    return remove(c, context, { id: await idOf(c, context, name), catalogue: name.catalogue })
  })
}

type OriginName = { readonly catalogue: string; readonly originalId: string }

async function idOf(c: AppContext, context: RouteContext, name: OriginName): Promise<string> {
  const { catalogue, originalId } = name
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
    context.datasets.put({ ...item, ...request }, signal),
  )
}

/** Under a random id at the origin, or under the one that an alias prefers if it is free. */
function create(c: AppContext, context: RouteContext, catalogue: string): Promise<Response> {
  const preferred = cameByAlias(c.req.url) ? c.req.query('resourceId') : undefined
  if (preferred !== undefined) demandOriginalId('resourceId', preferred)
  const under = (originalId: string, body: ResourceBody): Promise<WriteOutcome> => {
    const precondition = (hash: string | undefined) => {
      if (hash !== undefined) throw alreadyThere(originalId)
      expectedState(c)(hash)
    }
    return context.datasets.put({ catalogue, originalId, body, precondition }, c.get('signal'))
  }
  return respondToWrite(c, context, async ({ body }) => {
    if (preferred === undefined) return under(context.uuid(), body)
    return under(preferred, body).catch((error: unknown) => {
      if (error instanceof Failure && error.kind === 'already-exists')
        return under(context.uuid(), body)
      throw error
    })
  })
}

const alreadyThere = (originalId: string) =>
  new Failure('already-exists', `the catalogue has a dataset "${originalId}" already`)

async function remove(
  c: AppContext,
  context: RouteContext,
  { id, catalogue }: { readonly id: string; readonly catalogue: string },
): Promise<Response> {
  const mark = await context.datasets.remove(id, expectedState(c), c.get('signal'))
  return answerDelete(c, { mark, catalogue }, writeAnswer(context))
}

async function answer(
  c: AppContext,
  { datasets, idLists, names }: RouteContext,
  id: string,
  suffix?: Format,
): Promise<Response> {
  const text = datasets.read(id, c.get('signal'))
  const [lines, catalogue] = await Promise.all([text, idLists.catalogueOf(id)])
  if (lines === undefined) throw unknownDataset(id)
  const [iri, record] = [names.dataset(id), names.record(id)]
  const collection = catalogue === undefined ? undefined : names.catalogue(catalogue)
  const links = { describedby: record, collection }
  const facts = { id, iri, graph: iri, path: `/datasets/${id}`, ...storedRecord(lines, record) }
  return answerResource(c, { ...facts, lines, links }, names, suffix)
}
