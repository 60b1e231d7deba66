/** The contract of catalogues. */

import { createRoute, type RouteConfig } from '@hono/zod-openapi'
import * as answers from './parts/answers.ts'
import * as examples from './parts/examples.ts'
import * as parameters from './parts/parameters.ts'
import { bodyOf, security } from './parts/requests.ts'

/** No zod here: the binding answers with or without a body. */
const remaining = {
  type: 'object' as const,
  properties: { remaining: { type: 'integer' as const } },
  required: ['remaining'],
}

const removal: RouteConfig['responses'] = {
  ...answers.removal,
  202: {
    description: 'The catalogue is gone; some of its datasets are still to be removed',
    content: { 'application/json': { schema: remaining } },
  },
}

export const catalogueRoutes = {
  catalogue: createRoute({
    method: 'get',
    path: '/catalogues/{catalogueId}',
    summary: 'Read a catalogue without its links',
    request: { params: parameters.catalogue },
    responses: answers.graph,
  }),
  putCatalogue: createRoute({
    method: 'put',
    path: '/catalogues/{catalogueId}',
    summary: 'Create or replace a catalogue',
    security,
    request: { params: parameters.catalogue, body: bodyOf(examples.catalogue) },
    responses: answers.write,
  }),
  deleteCatalogue: createRoute({
    method: 'delete',
    path: '/catalogues/{catalogueId}',
    summary: 'Delete a catalogue and all its datasets',
    security,
    request: { params: parameters.catalogue },
    responses: removal,
  }),
}
