/** The contract of records by id and of their ids. */

import { createRoute, z } from '@hono/zod-openapi'
import type { AnswerSchemas } from '../contract/schemas.ts'
import { idsAnswer, stateAnswers } from './answers.ts'
import { recordId, requiredQuery } from './parameters.ts'

const byId = { params: z.object({ id: recordId }) }

/** The answers are what the profile makes of records. */
export const recordRoutes = (schemas: AnswerSchemas) => ({
  datasets: createRoute({
    method: 'get',
    path: '/datasets',
    summary: 'Ids of all datasets of a catalogue',
    parameters: [requiredQuery('catalogue', 'Catalogue id')],
    responses: idsAnswer,
  }),
  dataset: createRoute({
    method: 'get',
    path: '/datasets/{id}',
    summary: 'One dataset with its whole catalogue',
    request: byId,
    responses: stateAnswers('The dataset', schemas.dataset),
  }),
  catalogues: createRoute({
    method: 'get',
    path: '/catalogues',
    summary: 'Ids of all catalogues',
    responses: idsAnswer,
  }),
  catalogue: createRoute({
    method: 'get',
    path: '/catalogues/{id}',
    summary: 'One catalogue with the number of its datasets',
    request: byId,
    responses: stateAnswers('The catalogue', schemas.catalogue),
  }),
})
