/** Binds the list of what was deleted, and the ways back. */

import { answerWrite, answering } from '../answering/answers.ts'
import { demandId, demandPermission } from '../answering/guard.ts'
import { answerReturn } from '../answering/removal.ts'
import type { Bound } from '../bound.ts'
import { truthfulPage } from '../deleting/keeping/doubts.ts'
import { routes } from '../routes.ts'

export function bindTombstones(bound: Bound): void {
  const { app, catalogues, datasets, keys, limits, locate, tombstones } = bound
  const records = answering(bound, limits)
  const [methods, restore] = [['POST'], '/datasets/:datasetId/restore']
  bound.guard({ methods: ['GET'], paths: ['/tombstones'], permission: 'later' })
  bound.guard({ methods, paths: ['/catalogues/:catalogueId/restore'], permission: 'catalogue' })
  bound.guard({
    methods,
    paths: [restore],
    permission: async (c) => {
      const id = demandId('datasetId', c.req.param('datasetId') ?? '')
      return (tombstones.find('dataset', id) ?? (await locate.dataset(c))).catalogue
    },
  })

  app.openapi(routes.tombstones, async (c) => {
    const { catalogue, ...page } = c.req.valid('query')
    demandPermission(
      c,
      keys,
      catalogue === undefined ? catalogue : demandId('catalogue', catalogue),
    )
    const found = await truthfulPage(bound, { catalogue, ...page }, c.get('signal'))
    return c.json([...found])
  })
  app.openapi(routes.restoreDataset, async (c) => {
    const { datasetId } = c.req.valid('param')
    return answerWrite(c, await datasets.restore(datasetId, c.get('signal')), records)
  })
  app.openapi(routes.restoreCatalogue, async (c) => {
    const { catalogueId } = c.req.valid('param')
    return answerReturn(c, await catalogues.restore(catalogueId, c.get('signal')), records)
  })
}
