/** Binds the routes of distributions. */

import { splitSuffix } from '../../rdf/media-types.ts'
import { answerDelete, answerGraph, answerWrite, answeringFor } from '../answering/answers.ts'
import { receivedBody } from '../answering/received.ts'
import { demandId } from '../answering/guard.ts'
import type { Bound } from '../bound.ts'
import { unknownDistribution } from '../distributions/distributions.ts'
import { routes } from '../routes.ts'

export function bindDistributions(bound: Bound): void {
  const { locate } = bound
  bound.guard({
    methods: ['POST'],
    paths: ['/datasets/:datasetId/distributions'],
    permission: async (c) => (await locate.dataset(c)).catalogue,
  })
  bound.guard({
    methods: ['PUT', 'DELETE'],
    paths: ['/distributions/:distributionId'],
    permission: async (c) => (await locate.distribution(c)).dataset.catalogue,
  })
  bindReads(bound)
  bindWrites(bound)
}

function bindReads({ app, distributions, names }: Bound): void {
  app.openapi(routes.distribution, async (c) => {
    const { id: plain, format: suffix } = splitSuffix(c.req.valid('param').distributionId)
    const id = demandId('distributionId', plain)
    const [dataset] = await distributions.datasetsOf(id, c.get('signal'))
    const found = dataset && (await distributions.read(dataset, id, c.get('signal')))
    if (!found) throw unknownDistribution(id)
    const iri = names.distribution(id)
    return answerGraph(c, found.lines, {
      suffix,
      hash: found.hash,
      genidPrefix: names.genidPrefix,
      graph: names.dataset(dataset),
      name: id,
      headers: { Link: `<${iri}>; rel="canonical", <${names.dataset(dataset)}>; rel="up"` },
    })
  })
}

function bindWrites(bound: Bound): void {
  const { app, distributions, limits, locate, expected, names } = bound
  /** A distribution is searchable when its dataset is. */
  const record = (dataset: string) => answeringFor(names.dataset(dataset), bound, limits)

  app.openapi(routes.postDistribution, async (c) => {
    const dataset = await locate.dataset(c)
    const body = await receivedBody(c, limits)
    const request = { dataset, body, precondition: expected(c) }
    const outcome = await distributions.create(request, c.get('signal'))
    return answerWrite(c, outcome, record(dataset.id))
  })
  app.openapi(routes.putDistribution, async (c) => {
    const { id, dataset } = await locate.distribution(c)
    const body = await receivedBody(c, limits)
    const request = { id, dataset, body, precondition: expected(c) }
    const outcome = await distributions.replace(request, c.get('signal'))
    return answerWrite(c, outcome, record(dataset.id))
  })
  app.openapi(routes.deleteDistribution, async (c) => {
    const { id, dataset } = await locate.distribution(c)
    const request = { id, dataset, precondition: expected(c) }
    const mark = await distributions.remove(request, c.get('signal'))
    return answerDelete(c, mark, record(dataset.id), dataset.catalogue)
  })
}
