/** The contract of searching. */

import { createRoute } from '@hono/zod-openapi'
import type { AnswerSchemas } from '../contract/schemas.ts'
import { answers, json, stateAnswers } from './answers.ts'
import { queryParameters, requiredQuery } from './parameters.ts'

const example = {
  q: 'water',
  filters: ['dataset'],
  facets: { country: ['it', 'es'] },
  searchParams: { minDate: '2023-01-01T00:00:00Z', scoring: { min: 221 } },
  sort: ['modified desc'],
  includes: ['id', 'title'],
}

const searchBody = { $ref: '#/components/schemas/SearchBody' }

export const searchRoutes = (schemas: AnswerSchemas) => ({
  search: createRoute({
    method: 'get',
    path: '/search',
    summary: 'Search datasets, catalogues, vocabularies and resources of other types',
    parameters: queryParameters(),
    responses: stateAnswers('Hits, exact count and facets', schemas.search),
  }),
  searchByBody: createRoute({
    method: 'post',
    path: '/search',
    summary: 'The same search with its parameters as JSON; those of the address are ignored',
    request: { body: { required: true, content: { [json]: { schema: searchBody, example } } } },
    responses: answers('Hits, exact count and facets', schemas.search),
  }),
  scroll: createRoute({
    method: 'get',
    path: '/scroll',
    summary: 'The next page of a search with scroll=true; empty at the end',
    parameters: [requiredQuery('scrollId', 'result.scrollId of the page before')],
    responses: answers('Hits and exact count', schemas.search),
  }),
})
