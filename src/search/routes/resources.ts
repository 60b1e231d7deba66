/** The contract of the types that a profile adds. */

import { createRoute, z } from '@hono/zod-openapi'
import type { ResourceType } from '../../profile/fields.ts'
import type { Reference } from '../contract/schemas.ts'
import { recordId } from './parameters.ts'
import { idsAnswer, stateAnswers } from './answers.ts'

export const resourceRoutes = (types: readonly ResourceType[], schema: Reference) => {
  const type = z.string().meta({ examples: types.map(({ id }) => id) })
  return {
    types: createRoute({
      method: 'get',
      path: '/resources',
      summary: 'Ids of the types that the profile adds',
      responses: idsAnswer,
    }),
    resources: createRoute({
      method: 'get',
      path: '/resources/{type}',
      summary: 'Ids of all resources of a type',
      request: { params: z.object({ type }) },
      responses: idsAnswer,
    }),
    resource: createRoute({
      method: 'get',
      path: '/resources/{type}/{id}',
      summary: 'One resource of a type',
      request: { params: z.object({ type, id: recordId }) },
      responses: stateAnswers('The resource', schema),
    }),
  }
}
