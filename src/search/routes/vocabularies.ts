/** The contract of vocabularies and their concepts. */

import { createRoute, z } from '@hono/zod-openapi'
import type { AnswerSchemas } from '../contract/schemas.ts'
import { idsAnswer, stateAnswers } from './answers.ts'
import { recordId, requiredQuery } from './parameters.ts'

export const vocabularyRoutes = (schemas: AnswerSchemas) => ({
  vocabularies: createRoute({
    method: 'get',
    path: '/vocabularies',
    summary: 'Ids of all indexed vocabularies',
    responses: idsAnswer,
  }),
  vocabulary: createRoute({
    method: 'get',
    path: '/vocabularies/{id}',
    summary: 'One vocabulary with all its concepts, ascending by id',
    request: { params: z.object({ id: recordId }) },
    responses: stateAnswers('The concepts', schemas.vocabulary),
  }),
  vocable: createRoute({
    method: 'get',
    path: '/vocabularies/{vocabulary}/vocable',
    summary: 'The concept with an IRI',
    parameters: [requiredQuery('resource', 'IRI of the concept')],
    request: { params: z.object({ vocabulary: recordId }) },
    responses: stateAnswers('The concept', schemas.concept),
  }),
  concept: createRoute({
    method: 'get',
    path: '/vocabularies/{vocabulary}/{id}',
    summary: 'One concept',
    request: { params: z.object({ vocabulary: recordId, id: z.string() }) },
    responses: stateAnswers('The concept', schemas.concept),
  }),
})
