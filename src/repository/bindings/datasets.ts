/** Binds the routes of datasets. */

import type { Quad } from '@rdfjs/types'
import type { AppContext } from '../../http/app.ts'
import type { Format } from '../../rdf/media-types.ts'
import { splitSuffix } from '../../rdf/media-types.ts'
import { answerDelete, answerGraph, answerWrite, receivedBody } from '../answering/answers.ts'
import type { Bound } from '../bound.ts'
import { storedRecord } from '../content/record.ts'
import { findById, findByOrigin, unknownDataset } from '../writing/find-dataset.ts'
import { demandId, demandPermission } from '../answering/guard.ts'
import { routes } from '../routes.ts'

export function bindDatasets(bound: Bound): void {
  const methods = ['PUT', 'DELETE']
  const origin = '/catalogues/:catalogueId/datasets/origin'
  bound.guard({ methods, paths: [origin], permission: 'catalogue' })
  bound.guard({ methods, paths: ['/datasets/:datasetId'], permission: 'later' })
  bindLists(bound)
  bindOrigin(bound)
  bindById(bound)
}

function bindLists({ app, lists, catalogues }: Bound): void {
  app.openapi(routes.datasets, async (c) => {
    const { catalogue, ...page } = c.req.valid('query')
    if (catalogue !== undefined)
      await catalogues.demand(demandId('catalogue', catalogue), c.get('signal'))
    return c.json(await lists.datasets(catalogue, page, c.get('signal')))
  })
  app.openapi(routes.catalogueDatasets, async (c) => {
    const id = demandId('catalogueId', c.req.valid('param').catalogueId)
    await catalogues.demand(id, c.get('signal'))
    return c.json(await lists.datasets(id, c.req.valid('query'), c.get('signal')))
  })
}

function bindOrigin(bound: Bound): void {
  const { app, datasets, limits, expected } = bound
  const answering = { settled: bound.settled, awaits: bound.awaits, waitMs: limits.waitMs }

  const idOf = async (c: AppContext, catalogue: string, originalId: string): Promise<string> => {
    const sought = { catalogue: demandId('catalogueId', catalogue), originalId, candidate: '-' }
    const { record } = await findByOrigin(bound.store, bound.names, sought, c.get('signal'))
    if (!record) throw unknownDataset(originalId)
    return record.id
  }

  app.openapi(routes.origin, async (c) => {
    const { catalogueId } = c.req.valid('param')
    const id = await idOf(c, catalogueId, c.req.valid('query').originalId)
    return answer(c, bound, id)
  })
  app.openapi(routes.putOrigin, async (c) => {
    const { originalId, enforceUpdate, recordModified } = c.req.valid('query')
    const body = await receivedBody(c, { limit: limits.bodyBytes, ratio: limits.bodyRatio })
    const request = {
      catalogue: c.req.valid('param').catalogueId,
      originalId,
      enforceUpdate,
      body,
      precondition: expected(c),
      ...(recordModified !== undefined && { recordModified: Date.parse(recordModified) }),
    }
    return answerWrite(c, await datasets.put(request, c.get('signal')), answering)
  })
  app.openapi(routes.deleteOrigin, async (c) => {
    const id = await idOf(c, c.req.valid('param').catalogueId, c.req.valid('query').originalId)
    return answerDelete(c, await datasets.remove(id, expected(c), c.get('signal')), answering)
  })
}

function bindById(bound: Bound): void {
  const { app, datasets, limits, expected, keys, store, names } = bound
  const answering = { settled: bound.settled, awaits: bound.awaits, waitMs: limits.waitMs }

  const permitted = async (c: AppContext, id: string) => {
    const located = await findById(store, names, demandId('datasetId', id), c.get('signal'))
    demandPermission(c, keys, located.catalogue)
    return located
  }

  app.openapi(routes.dataset, (c) => {
    const { id, format } = splitSuffix(c.req.valid('param').datasetId)
    return answer(c, bound, demandId('datasetId', id), format)
  })
  app.openapi(routes.putDataset, async (c) => {
    const { catalogue, originalId } = await permitted(c, c.req.valid('param').datasetId)
    const body = await receivedBody(c, { limit: limits.bodyBytes, ratio: limits.bodyRatio })
    const request = { catalogue, originalId, body, precondition: expected(c), updateOnly: true }
    return answerWrite(c, await datasets.put(request, c.get('signal')), answering)
  })
  app.openapi(routes.deleteDataset, async (c) => {
    const { id } = await permitted(c, c.req.valid('param').datasetId)
    return answerDelete(c, await datasets.remove(id, expected(c), c.get('signal')), answering)
  })
}

async function answer(c: AppContext, bound: Bound, id: string, suffix?: Format): Promise<Response> {
  const quads = await bound.datasets.read(id, c.get('signal'))
  if (!quads) throw unknownDataset(id)
  return answerGraph(c, quads, { suffix, ...described(quads, bound, id) })
}

function described(quads: readonly Quad[], { names }: Bound, id: string) {
  const { hash, modified } = storedRecord(quads, names.record(id))
  const link = `<${names.dataset(id)}>; rel="canonical", <${names.record(id)}>; rel="describedby"`
  return {
    genidPrefix: names.genidPrefix,
    graph: names.dataset(id),
    name: id,
    headers: { Link: link },
    ...(hash !== undefined && { hash }),
    ...(modified && { modified }),
  }
}
