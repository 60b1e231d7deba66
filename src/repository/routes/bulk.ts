/** The contract of the bulk write. */

import { createRoute, z, type RouteConfig } from '@hono/zod-openapi'
import * as answers from './parts/answers.ts'
import * as examples from './parts/examples.ts'
import * as parameters from './parts/parameters.ts'
import { bodyOf, security } from './parts/requests.ts'

const verdict = z
  .looseObject({
    originalId: z.string().optional(),
    id: z.string().optional(),
    status: z.int(),
    problem: z.looseObject({ type: z.string(), title: z.string(), status: z.int() }).optional(),
  })
  .openapi('BulkVerdict')

const written: RouteConfig['responses'] = {
  200: {
    description: 'What became of each dataset',
    content: {
      'application/json': { schema: z.array(verdict) },
      'application/x-ndjson': { schema: z.string() },
    },
  },
  ...answers.refused,
}

export const bulkRoutes = {
  putBulk: createRoute({
    method: 'put',
    path: '/catalogues/{catalogueId}/datasets/bulk',
    summary: 'Create or replace many datasets, each by itself',
    description:
      'Every dataset of the body is one item: the graph that describes it in formats with named graphs, else all that can be ' +
      'reached from it. The answer has one object per item, in the order of the body, with the status that the PUT of the single ' +
      'dataset would have answered. The index is not waited for.',
    security,
    request: {
      params: parameters.catalogue,
      query: parameters.bulk,
      body: bodyOf(examples.dataset),
    },
    responses: written,
  }),
}
