/** The contract of distributions. */

import { createRoute } from '@hono/zod-openapi'
import * as answers from './parts/answers.ts'
import * as examples from './parts/examples.ts'
import * as parameters from './parts/parameters.ts'
import { bodyOf, security } from './parts/requests.ts'

export const distributionRoutes = {
  postDistribution: createRoute({
    method: 'post',
    path: '/datasets/{datasetId}/distributions',
    summary: 'Add a distribution to a dataset',
    security,
    request: { params: parameters.dataset, body: bodyOf(examples.distribution) },
    responses: answers.creation,
  }),
  distribution: createRoute({
    method: 'get',
    path: '/distributions/{distributionId}',
    summary: 'Read a distribution with what it leads to inside its dataset',
    request: { params: parameters.distribution },
    responses: answers.graph,
  }),
  putDistribution: createRoute({
    method: 'put',
    path: '/distributions/{distributionId}',
    summary: 'Replace a distribution that exists; it keeps its IRI',
    security,
    request: { params: parameters.distribution, body: bodyOf(examples.distribution) },
    responses: answers.update,
  }),
  deleteDistribution: createRoute({
    method: 'delete',
    path: '/distributions/{distributionId}',
    summary: 'Delete a distribution and the link to it',
    security,
    request: { params: parameters.distribution },
    responses: answers.removal,
  }),
}
