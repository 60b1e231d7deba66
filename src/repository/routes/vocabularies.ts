/** The contract of vocabularies. */

import { createRoute } from '@hono/zod-openapi'
import * as answers from './parts/answers.ts'
import * as examples from './parts/examples.ts'
import * as parameters from './parts/parameters.ts'
import { bodyOf, security } from './parts/requests.ts'

export const vocabularyRoutes = {
  vocabulary: createRoute({
    method: 'get',
    path: '/vocabularies/{vocabularyId}',
    summary: 'Read a vocabulary',
    request: { params: parameters.vocabulary },
    responses: answers.graph,
  }),
  putVocabulary: createRoute({
    method: 'put',
    path: '/vocabularies/{vocabularyId}',
    summary: 'Create or replace a vocabulary',
    security,
    request: { params: parameters.vocabulary, body: bodyOf(examples.vocabulary) },
    responses: answers.write,
  }),
  deleteVocabulary: createRoute({
    method: 'delete',
    path: '/vocabularies/{vocabularyId}',
    summary: 'Delete a vocabulary',
    security,
    request: { params: parameters.vocabulary },
    responses: answers.removal,
  }),
}
