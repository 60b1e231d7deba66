/** Binds the routes of quality metrics. */

import { splitSuffix } from '../../rdf/media-types.ts'
import { answerDelete, answerGraph, answerWrite, answeringFor } from '../answering/answers.ts'
import { receivedBody } from '../answering/received.ts'
import { demandId } from '../answering/guard.ts'
import type { Bound } from '../bound.ts'
import { unknownMetrics } from '../metrics/quality-metrics.ts'
import { routes } from '../routes.ts'
import { findById } from '../writing/find-dataset.ts'

export function bindMetrics(bound: Bound): void {
  const { app, locate, limits, metrics, names, store, expected } = bound
  bound.guard({
    methods: ['PUT', 'DELETE'],
    paths: ['/datasets/:datasetId/metrics'],
    permission: async (c) => (await locate.dataset(c)).catalogue,
  })
  /** The scores are searchable when the document of the dataset has them. */
  const record = (dataset: string) => answeringFor(names.dataset(dataset), bound, limits)

  app.openapi(routes.metrics, async (c) => {
    const { id: plain, format: suffix } = splitSuffix(c.req.valid('param').datasetId)
    const id = demandId('datasetId', plain)
    const found = await metrics.read(id, c.get('signal'))
    if (!found) {
      await findById(store, names, id, c.get('signal'))
      throw unknownMetrics(id)
    }
    return answerGraph(c, found.lines, {
      suffix,
      hash: found.hash,
      genidPrefix: names.genidPrefix,
      graph: names.metrics(id),
      name: `${id}-metrics`,
    })
  })
  app.openapi(routes.putMetrics, async (c) => {
    const dataset = await locate.dataset(c)
    const body = await receivedBody(c, limits)
    const request = { dataset, body, precondition: expected(c) }
    const outcome = await metrics.put(request, c.get('signal'))
    return answerWrite(c, outcome, record(dataset.id))
  })
  app.openapi(routes.deleteMetrics, async (c) => {
    const dataset = await locate.dataset(c)
    const mark = await metrics.remove({ dataset, precondition: expected(c) }, c.get('signal'))
    return answerDelete(c, mark, record(dataset.id), dataset.catalogue)
  })
}
