/** The routes of catalogues. */

import { type RouteConfig } from '@hono/zod-openapi'
import { subjectQuads } from '../../rdf/lines.ts'
import { modifiedDate } from '../content/catalogue-record.ts'
import { unknownCatalogue } from '../writing/find-datasets.ts'
import {
  repositoryAnswers as answers,
  repositoryBodies as bodies,
  postRoute,
  putRoute,
  readRoute,
  removeRoute,
} from './contract.ts'
import { repositoryParameters as parameters } from './parameters.ts'
import { answerCatalogueRemoval, answerCatalogueRestore, answerResource } from './responses.ts'
import {
  writeAnswer,
  expectedState,
  respondToWrite,
  suffixedId,
  type RouteContext,
} from './route-context.ts'

/** No zod here: the handler answers with or without a body. */
const remaining = {
  type: 'object' as const,
  properties: { remaining: { type: 'integer' as const } },
  required: ['remaining'],
}

const removal: RouteConfig['responses'] = {
  ...answers.removal,
  202: {
    description: 'The catalogue is gone; some of its datasets are still to be removed',
    content: { 'application/json': { schema: remaining } },
  },
}

const read = readRoute('/catalogues/{catalogueId}', 'Read a catalogue without its links', {
  params: parameters.catalogue,
})

const put = putRoute('/catalogues/{catalogueId}', 'Create or replace a catalogue', {
  params: parameters.catalogue,
  body: bodies.catalogue,
})

const remove = removeRoute(
  '/catalogues/{catalogueId}',
  'Delete a catalogue and all its datasets',
  { params: parameters.catalogue },
  { responses: removal },
)

const restore = postRoute(
  '/catalogues/{catalogueId}/restore',
  'Restore a deleted catalogue and the datasets that were deleted with it',
  { params: parameters.catalogue },
)

export function addCatalogueRoutes(context: RouteContext): void {
  const { app, catalogues, names, guard } = context
  const path = '/catalogues/:catalogueId'
  guard({ methods: ['PUT', 'DELETE'], path, permission: 'catalogue' })
  guard({ methods: ['POST'], path: `${path}/restore`, permission: 'catalogue' })

  app.openapi(read, async (c) => {
    const { id, suffix } = suffixedId(c, 'catalogueId')
    const found = await catalogues.read(id, c.get('signal'))
    if (!found) throw unknownCatalogue(id)
    const iri = names.catalogue(id)
    const modified = modifiedDate(subjectQuads(found.lines, iri), iri)
    const resource = { id, iri, graph: iri, path: `/catalogues/${id}`, modified, ...found }
    return answerResource(c, resource, names, suffix)
  })
  app.openapi(put, (c) => {
    const id = c.req.valid('param').catalogueId
    return respondToWrite(c, context, (request, signal) =>
      catalogues.put({ id, ...request }, signal),
    )
  })
  app.openapi(remove, async (c) => {
    const id = c.req.valid('param').catalogueId
    const removed = await catalogues.remove(id, expectedState(c), c.get('signal'))
    return answerCatalogueRemoval(c, removed, writeAnswer(context))
  })
  app.openapi(restore, async (c) => {
    const restored = await catalogues.restore(c.req.valid('param').catalogueId, c.get('signal'))
    return answerCatalogueRestore(c, restored, writeAnswer(context))
  })
}
