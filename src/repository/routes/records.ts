/** The contract of catalogue records, and of asking for one more projection. */

import { createRoute } from '@hono/zod-openapi'
import * as answers from './parts/answers.ts'
import * as parameters from './parts/parameters.ts'
import { security } from './parts/requests.ts'

const index = (method: 'get' | 'post') =>
  createRoute({
    method,
    path: '/datasets/{datasetId}/index',
    summary: 'Have the dataset indexed again',
    security,
    request: { params: parameters.dataset },
    responses: answers.acceptance,
  })

export const recordRoutes = {
  datasetRecord: createRoute({
    method: 'get',
    path: '/datasets/{datasetId}/record',
    summary: 'Read the catalogue record of a dataset',
    request: { params: parameters.dataset },
    responses: answers.graph,
  }),
  record: createRoute({
    method: 'get',
    path: '/records/{datasetId}',
    summary: 'Read a catalogue record by the id of its dataset',
    request: { params: parameters.dataset },
    responses: answers.graph,
  }),
  postIndex: index('post'),
  getIndex: index('get'),
}
