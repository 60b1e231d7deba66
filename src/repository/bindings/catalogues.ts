/** Binds the routes of catalogues. */

import { answerWrite, answering } from '../answering/answers.ts'
import { receivedBody } from '../answering/received.ts'
import { answerResource } from '../answering/resource.ts'
import { modifiedOf } from '../content/record.ts'
import { answerRemoval } from '../answering/removal.ts'
import type { Bound } from '../bound.ts'
import { unknownCatalogue } from '../writing/find-dataset.ts'
import { demandId } from '../answering/guard.ts'
import { routes } from '../routes.ts'
import { subjectQuads } from '../../rdf/lines.ts'
import { splitSuffix } from '../../rdf/media-types.ts'

export function bindCatalogues(bound: Bound): void {
  bound.guard({
    methods: ['PUT', 'DELETE'],
    paths: ['/catalogues/:catalogueId'],
    permission: 'catalogue',
  })
  const { app, catalogues, names, limits, expected } = bound
  const records = answering(bound, limits)

  app.openapi(routes.catalogue, async (c) => {
    const { id, format: suffix } = splitSuffix(c.req.valid('param').catalogueId)
    const found = await catalogues.read(demandId('catalogueId', id), c.get('signal'))
    if (!found) throw unknownCatalogue(id)
    const iri = names.catalogue(id)
    const facts = {
      id,
      iri,
      graph: iri,
      path: `/catalogues/${id}`,
      modified: modifiedOf(subjectQuads(found.lines, iri), iri),
    }
    return answerResource(c, { ...facts, ...found }, bound, suffix)
  })
  app.openapi(routes.putCatalogue, async (c) => {
    const id = c.req.valid('param').catalogueId
    const body = await receivedBody(c, limits)
    const outcome = await catalogues.put({ id, body, precondition: expected(c) }, c.get('signal'))
    return answerWrite(c, outcome, records)
  })
  app.openapi(routes.deleteCatalogue, async (c) => {
    const id = c.req.valid('param').catalogueId
    const removal = await catalogues.remove(id, expected(c), c.get('signal'))
    return answerRemoval(c, removal, records)
  })
}
