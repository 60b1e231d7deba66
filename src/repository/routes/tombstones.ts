/** The contract of what was deleted: a list of it, and the ways back. */

import { createRoute, z } from '@hono/zod-openapi'
import * as answers from './parts/answers.ts'
import * as parameters from './parts/parameters.ts'
import { security } from './parts/requests.ts'

const tombstone = z
  .object({
    kind: z.enum(['dataset', 'catalogue', 'resource']),
    id: z.string(),
    originalId: z.string().optional(),
    catalogue: z.string(),
    deletedAt: z.iso.datetime(),
    restorableUntil: z.iso.datetime(),
  })
  .openapi('Tombstone')

export const tombstoneRoutes = {
  tombstones: createRoute({
    method: 'get',
    path: '/tombstones',
    summary: 'List what was deleted and can be restored, newest first',
    security,
    request: { query: parameters.tombstones },
    responses: {
      200: {
        description: 'Deleted datasets, catalogues and resources of declared types',
        content: { 'application/json': { schema: z.array(tombstone) } },
      },
      ...answers.refused,
    },
  }),
  restoreDataset: createRoute({
    method: 'post',
    path: '/datasets/{datasetId}/restore',
    summary: 'Restore a deleted dataset with its ids and its distributions',
    security,
    request: { params: parameters.dataset },
    responses: answers.creation,
  }),
  restoreCatalogue: createRoute({
    method: 'post',
    path: '/catalogues/{catalogueId}/restore',
    summary: 'Restore a deleted catalogue and the datasets that were deleted with it',
    security,
    request: { params: parameters.catalogue },
    responses: answers.creation,
  }),
}
