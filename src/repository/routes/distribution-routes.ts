/** The routes of distributions: a part of their dataset, whose catalogue decides on permission. */

import { createRoute } from '@hono/zod-openapi'
import { unknownDistribution } from '../distributions.ts'
import {
  keyRequired,
  repositoryAnswers as answers,
  repositoryBodies as bodies,
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

const path = '/distributions/{distributionId}'

const post = createRoute({
  method: 'post',
  path: '/datasets/{datasetId}/distributions',
  summary: 'Add a distribution to a dataset',
  ...keyRequired,
  request: { params: parameters.dataset, body: bodies.distribution },
  responses: answers.creation,
})

const read = createRoute({
  method: 'get',
  path,
  summary: 'Read a distribution with what it leads to inside its dataset',
  request: { params: parameters.distribution },
  responses: answers.graph,
})

const put = createRoute({
  method: 'put',
  path,
  summary: 'Replace a distribution that exists; it keeps its IRI',
  ...keyRequired,
  request: { params: parameters.distribution, body: bodies.distribution },
  responses: answers.update,
})

const remove = createRoute({
  method: 'delete',
  path,
  summary: 'Delete a distribution and the link to it',
  ...keyRequired,
  request: { params: parameters.distribution },
  responses: answers.removal,
})

export function addDistributionRoutes(context: RouteContext): void {
  const { app, distributions, guard, locate, names } = context
  const { genidPrefix } = names
  guard({
    methods: ['POST'],
    path: '/datasets/:datasetId/distributions',
    permission: async (c) => (await locate.dataset(c)).catalogue,
  })
  guard({
    methods: ['PUT', 'DELETE'],
    path: '/distributions/:distributionId',
    permission: async (c) => (await locate.distribution(c)).dataset.catalogue,
  })

  app.openapi(read, async (c) => {
    const { id, suffix } = suffixedId(c, 'distributionId')
    const [dataset] = await distributions.datasetsOf(id, c.get('signal'))
    const found = dataset && (await distributions.read(dataset, id, c.get('signal')))
    if (!found) throw unknownDistribution(id)
    const graph = names.dataset(dataset)
    const Link = `<${names.distribution(id)}>; rel="canonical", <${graph}>; rel="up"`
    const options = { suffix, graph, genidPrefix, name: id, hash: found.hash, headers: { Link } }
    return answerStoredGraph(c, found.lines, options)
  })
  // A distribution is searchable when its dataset is.
  app.openapi(post, async (c) => {
    const dataset = await locate.dataset(c)
    return respondToWrite(
      c,
      context,
      (request, signal) => distributions.create({ dataset, ...request }, signal),
      names.dataset(dataset.id),
    )
  })
  app.openapi(put, async (c) => {
    const { id, dataset } = await locate.distribution(c)
    return respondToWrite(
      c,
      context,
      (request, signal) => distributions.replace({ id, dataset, ...request }, signal),
      names.dataset(dataset.id),
    )
  })
  app.openapi(remove, async (c) => {
    const { id, dataset } = await locate.distribution(c)
    const request = { id, dataset, precondition: expectedState(c) }
    const mark = await distributions.remove(request, c.get('signal'))
    return answerDelete(c, { mark, catalogue: dataset.catalogue }, writeAnswer(context))
  })
}
