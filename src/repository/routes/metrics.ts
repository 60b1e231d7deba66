/** The contract of the quality metrics of a dataset. */

import { createRoute } from '@hono/zod-openapi'
import * as answers from './parts/answers.ts'
import * as examples from './parts/examples.ts'
import * as parameters from './parts/parameters.ts'
import { bodyOf, security } from './parts/requests.ts'

const path = '/datasets/{datasetId}/metrics'

export const metricsRoutes = {
  metrics: createRoute({
    method: 'get',
    path,
    summary: 'Read the quality metrics of a dataset (W3C Data Quality Vocabulary)',
    request: { params: parameters.dataset, query: parameters.historic },
    responses: answers.graph,
  }),
  putMetrics: createRoute({
    method: 'put',
    path,
    summary: 'Replace the quality metrics of a dataset',
    security,
    request: { params: parameters.dataset, body: bodyOf(examples.metrics) },
    responses: answers.replacement,
  }),
  deleteMetrics: createRoute({
    method: 'delete',
    path,
    summary: 'Delete the quality metrics of a dataset',
    security,
    request: { params: parameters.dataset },
    responses: answers.removal,
  }),
}
