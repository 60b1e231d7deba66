/** Binds the routes of lists. */

import { fromLines } from '../../rdf/lines.ts'
import { demandId } from '../answering/guard.ts'
import type { Bound } from '../bound.ts'
import { answerList } from '../listing/answer-list.ts'
import { distributionList } from '../listing/distribution-list.ts'
import { routes } from '../routes.ts'
import { unknownDataset } from '../writing/find-dataset.ts'

export function bindLists(bound: Bound): void {
  const { app, lists, datasets, names } = bound

  app.openapi(routes.catalogues, (c) =>
    answerList(c, lists.catalogues, c.req.valid('query'), bound),
  )
  app.openapi(routes.vocabularies, (c) =>
    answerList(c, lists.vocabularies, c.req.valid('query'), bound),
  )
  app.openapi(routes.datasets, (c) => {
    const { catalogue, ...query } = c.req.valid('query')
    if (catalogue === undefined) return answerList(c, lists.datasets, query, bound)
    const members = lists.members(demandId('catalogue', catalogue))
    return answerList(c, { ...members, path: '/datasets', within: { catalogue } }, query, bound)
  })
  app.openapi(routes.catalogueDatasets, (c) => {
    const id = demandId('catalogueId', c.req.valid('param').catalogueId)
    return answerList(c, lists.members(id), c.req.valid('query'), bound)
  })
  app.openapi(routes.datasetDistributions, async (c) => {
    const id = demandId('datasetId', c.req.valid('param').datasetId)
    const lines = await datasets.read(id, c.get('signal'))
    if (lines === undefined) throw unknownDataset(id)
    return answerList(c, distributionList(id, fromLines(lines), names), c.req.valid('query'), bound)
  })
}
