/** Binds the routes of datasets. */

import type { AppContext } from '../../http/app.ts'
import type { Format } from '../../rdf/media-types.ts'
import { splitSuffix } from '../../rdf/media-types.ts'
import { answerDelete, answerWrite, answering } from '../answering/answers.ts'
import { receivedBody } from '../answering/received.ts'
import { answerResource } from '../answering/resource.ts'
import type { Bound } from '../bound.ts'
import { bindPosts } from './dataset-posts.ts'
import { storedRecord } from '../content/record.ts'
import { findByOrigin, unknownDataset } from '../writing/find-dataset.ts'
import { demandId, demandOriginalId } from '../answering/guard.ts'
import { routes } from '../routes.ts'

export function bindDatasets(bound: Bound): void {
  const methods = ['PUT', 'DELETE']
  const origin = '/catalogues/:catalogueId/datasets/origin'
  bound.guard({ methods, paths: [origin], permission: 'catalogue' })
  bound.guard({
    methods,
    paths: ['/datasets/:datasetId'],
    permission: async (c) => {
      const catalogue = c.req.query('catalogue')
      if (catalogue !== undefined) return demandId('catalogue', catalogue)
      return (await bound.locate.dataset(c)).catalogue
    },
  })
  bindPosts(bound)
  bindOrigin(bound)
  bindById(bound)
}

function bindOrigin(bound: Bound): void {
  const { app } = bound
  app.openapi(routes.origin, async (c) => {
    const catalogue = demandId('catalogueId', c.req.valid('param').catalogueId)
    const id = await idOf(c, bound, { catalogue, originalId: c.req.valid('query').originalId })
    return answer(c, bound, id)
  })
  app.openapi(routes.putOrigin, (c) => {
    const { originalId, ...how } = c.req.valid('query')
    return put(c, bound, { catalogue: c.req.valid('param').catalogueId, originalId, ...how })
  })
  app.openapi(routes.deleteOrigin, async (c) => {
    const catalogue = c.req.valid('param').catalogueId
    return removeNamed(c, bound, { catalogue, originalId: c.req.valid('query').originalId })
  })
}

/** With the deprecated parameter `catalogue` the id of the path is the one at the origin. */
function bindById(bound: Bound): void {
  const { app, locate } = bound
  const named = (c: AppContext, catalogue: string): Named => ({
    catalogue: demandId('catalogue', catalogue),
    originalId: demandOriginalId('datasetId', c.req.param('datasetId') ?? ''),
  })

  app.openapi(routes.dataset, async (c) => {
    const { catalogue } = c.req.valid('query')
    if (catalogue !== undefined) return answer(c, bound, await idOf(c, bound, named(c, catalogue)))
    const { id, format } = splitSuffix(c.req.valid('param').datasetId)
    return answer(c, bound, demandId('datasetId', id), format)
  })
  app.openapi(routes.putDataset, async (c) => {
    const { catalogue, ...how } = c.req.valid('query')
    if (catalogue !== undefined) return put(c, bound, { ...named(c, catalogue), ...how })
    return put(c, bound, { ...(await locate.dataset(c)), ...how, updateOnly: true })
  })
  app.openapi(routes.deleteDataset, async (c) => {
    const { catalogue } = c.req.valid('query')
    if (catalogue === undefined) return remove(c, bound, await locate.dataset(c))
    return removeNamed(c, bound, named(c, catalogue))
  })
}

type Named = { readonly catalogue: string; readonly originalId: string }

type Asked = Named & {
  readonly enforceUpdate?: boolean
  readonly recordModified?: string | undefined
  readonly updateOnly?: boolean
}

async function idOf(c: AppContext, { store, names }: Bound, named: Named): Promise<string> {
  const { record } = await findByOrigin(store, names, { ...named, candidate: '-' }, c.get('signal'))
  if (!record) throw unknownDataset(named.originalId)
  return record.id
}

async function put(c: AppContext, bound: Bound, asked: Asked): Promise<Response> {
  const { datasets, limits, expected } = bound
  const { catalogue, originalId, enforceUpdate = false, recordModified, updateOnly = false } = asked
  const body = await receivedBody(c, limits)
  const request = {
    catalogue,
    originalId,
    enforceUpdate,
    updateOnly,
    body,
    precondition: expected(c),
    ...(recordModified !== undefined && { recordModified: Date.parse(recordModified) }),
  }
  return answerWrite(
    c,
    await datasets.put(request, c.get('signal')),
    answering(bound, bound.limits),
  )
}

const removeNamed = async (c: AppContext, bound: Bound, named: Named): Promise<Response> =>
  remove(c, bound, { id: await idOf(c, bound, named), catalogue: named.catalogue })

async function remove(
  c: AppContext,
  bound: Bound,
  { id, catalogue }: { readonly id: string; readonly catalogue: string },
): Promise<Response> {
  const mark = await bound.datasets.remove(id, bound.expected(c), c.get('signal'))
  return answerDelete(c, mark, answering(bound, bound.limits), catalogue)
}

async function answer(c: AppContext, bound: Bound, id: string, suffix?: Format): Promise<Response> {
  const { datasets, kept, names } = bound
  const signal = c.get('signal')
  const [lines, catalogue] = await Promise.all([datasets.read(id, signal), kept.homes.of(id)])
  if (lines === undefined) throw unknownDataset(id)
  const record = names.record(id)
  const links = {
    describedby: record,
    collection: catalogue === undefined ? undefined : names.catalogue(catalogue),
  }
  const iri = names.dataset(id)
  const facts = { id, iri, graph: iri, path: `/datasets/${id}`, ...storedRecord(lines, record) }
  return answerResource(c, { ...facts, lines, links }, bound, suffix)
}
