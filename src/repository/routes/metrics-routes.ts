/** The routes of the quality metrics of a dataset. */

import { unknownMetrics } from '../dataset-metrics.ts'
import { findById } from '../writing/find-datasets.ts'
import {
  repositoryAnswers as answers,
  repositoryBodies as bodies,
  putRoute,
  readRoute,
  removeRoute,
} from './contract.ts'
import { repositoryParameters as parameters } from './parameters.ts'
import { answerDelete, answerStoredGraph } from './responses.ts'
import {
  writeAnswer,
  expectedState,
  respondToWrite,
  suffixedId,
  type RouteContext,
} from './route-context.ts'

const path = '/datasets/{datasetId}/metrics'

const read = readRoute(
  path,
  'Read the quality metrics of a dataset (W3C Data Quality Vocabulary)',
  { params: parameters.dataset, query: parameters.historic },
)

const put = putRoute(
  path,
  'Replace the quality metrics of a dataset',
  { params: parameters.dataset, body: bodies.metrics },
  { responses: answers.replacement },
)

const remove = removeRoute(path, 'Delete the quality metrics of a dataset', {
  params: parameters.dataset,
})

export function addMetricsRoutes(context: RouteContext): void {
  const { app, guard, locate, metrics, names } = context
  guard({
    methods: ['PUT', 'DELETE'],
    path: '/datasets/:datasetId/metrics',
    permission: async (c) => (await locate.dataset(c)).catalogue,
  })

  app.openapi(read, async (c) => {
    const { id, suffix } = suffixedId(c, 'datasetId')
    const found = await metrics.read(id, c.get('signal'))
    if (!found) {
      await findById(context, id, c.get('signal'))
      throw unknownMetrics(id)
    }
    const { genidPrefix } = names
    const facts = { suffix, genidPrefix, graph: names.metrics(id), name: `${id}-metrics` }
    return answerStoredGraph(c, found.lines, { ...facts, hash: found.hash })
  })
  // The scores are searchable when the document of the dataset has them.
  app.openapi(put, async (c) => {
    const dataset = await locate.dataset(c)
    return respondToWrite(
      c,
      context,
      (request, signal) => metrics.put({ dataset, ...request }, signal),
      names.dataset(dataset.id),
    )
  })
  app.openapi(remove, async (c) => {
    const dataset = await locate.dataset(c)
    const mark = await metrics.remove({ dataset, precondition: expectedState(c) }, c.get('signal'))
    return answerDelete(c, { mark, catalogue: dataset.catalogue }, writeAnswer(context))
  })
}
