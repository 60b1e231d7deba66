/** The contract of catalogues. */

import { createRoute } from '@hono/zod-openapi'
import * as answers from './answers.ts'
import * as parameters from './parameters.ts'
import { body, security } from './requests.ts'

export const catalogueRoutes = {
  catalogues: createRoute({
    method: 'get',
    path: '/catalogues',
    summary: 'List catalogues',
    request: { query: parameters.list },
    responses: answers.list,
  }),
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
    request: { params: parameters.catalogue, body },
    responses: answers.write,
  }),
  deleteCatalogue: createRoute({
    method: 'delete',
    path: '/catalogues/{catalogueId}',
    summary: 'Delete a catalogue and all its datasets',
    security,
    request: { params: parameters.catalogue },
    responses: answers.removal,
  }),
}
