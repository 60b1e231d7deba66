/** The routes of distributions: a part of their dataset, whose catalogue decides on permission. */

import { unknownDistribution } from '../distributions.ts'
import {
  repositoryAnswers as answers,
  repositoryBodies as bodies,
  postRoute,
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

const path = '/distributions/{distributionId}'

const post = postRoute('/datasets/{datasetId}/distributions', 'Add a distribution to a dataset', {
  params: parameters.dataset,
  body: bodies.distribution,
})

const read = readRoute(path, 'Read a distribution with what it leads to inside its dataset', {
  params: parameters.distribution,
})

const put = putRoute(
  path,
  'Replace a distribution that exists; it keeps its IRI',
  { params: parameters.distribution, body: bodies.distribution },
  { responses: answers.update },
)

const remove = removeRoute(path, 'Delete a distribution and the link to it', {
  params: parameters.distribution,
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
