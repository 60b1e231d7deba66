/** Binds the routes of catalogues. */

import { answerDelete, answerGraph, answerWrite, receivedBody } from '../answering/answers.ts'
import type { Bound } from '../bound.ts'
import { unknownCatalogue } from '../writing/find-dataset.ts'
import { demandId } from '../answering/guard.ts'
import { routes } from '../routes.ts'
import { splitSuffix } from '../../rdf/media-types.ts'

export function bindCatalogues(bound: Bound): void {
  bound.guard({
    methods: ['PUT', 'DELETE'],
    paths: ['/catalogues/:catalogueId'],
    permission: 'catalogue',
  })
  const { app, catalogues, lists, names, limits, settled, expected } = bound
  const answering = { settled, awaits: bound.awaits, waitMs: limits.waitMs }

  app.openapi(routes.catalogues, async (c) =>
    c.json(await lists.catalogues(c.req.valid('query'), c.get('signal'))),
  )
  app.openapi(routes.catalogue, async (c) => {
    const { id, format: suffix } = splitSuffix(c.req.valid('param').catalogueId)
    const found = await catalogues.read(demandId('catalogueId', id), c.get('signal'))
    if (!found) throw unknownCatalogue(id)
    const { quads, hash } = found
    const { genidPrefix } = names
    return answerGraph(c, quads, {
      suffix,
      hash,
      genidPrefix,
      graph: names.catalogue(id),
      name: id,
    })
  })
  app.openapi(routes.putCatalogue, async (c) => {
    const id = c.req.valid('param').catalogueId
    const body = await receivedBody(c, { limit: limits.bodyBytes, ratio: limits.bodyRatio })
    const outcome = await catalogues.put({ id, body, precondition: expected(c) }, c.get('signal'))
    return answerWrite(c, outcome, answering)
  })
  app.openapi(routes.deleteCatalogue, async (c) => {
    // A cascade over a large catalogue takes its time; an interrupted one goes on with the next DELETE.
    c.get('deadline').extend(limits.longRequestMs)
    const id = c.req.valid('param').catalogueId
    return answerDelete(c, await catalogues.remove(id, expected(c), c.get('signal')), answering)
  })
}
