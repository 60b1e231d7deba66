/** The contract of the public SPARQL endpoint (SPARQL 1.1 Protocol, query operation). */

import { createRoute, z, type RouteConfig } from '@hono/zod-openapi'
import { problem } from '../../http/contract/problem.ts'

const text = { schema: { type: 'string' as const } }

const responses: RouteConfig['responses'] = {
  200: {
    description: 'Solutions, a boolean, or a graph; without a query the service description',
    headers: {
      'Results-Cut': {
        description:
          '"true" when rows or triples are missing because the answer met a limit (sparqlRows, sparqlBytes). SPARQL results in JSON and XML then link to #results-cut, Turtle begins with a comment',
        schema: { type: 'string', enum: ['true'] },
      },
    },
    content: {
      'application/sparql-results+json': text,
      'application/sparql-results+xml': text,
      'text/csv': text,
      'text/tab-separated-values': text,
      'text/turtle': text,
      'application/n-triples': text,
      'application/rdf+xml': text,
    },
  },
  400: problem('Not a query that may run here: a syntax error, an update, SERVICE or LOAD'),
  406: problem('None of the accepted media types can be served'),
  413: problem('The query needs more memory than it may have'),
  429: problem('Too many queries at once'),
  503: problem('The query took too long, or the endpoint is being made ready'),
}

const list = z.union([z.string(), z.array(z.string())]).optional()

export const queryByGet = createRoute({
  method: 'get',
  path: '/',
  summary: 'Query the published graphs',
  request: {
    query: z.object({
      query: z.string().optional().openapi({ description: 'SELECT, ASK, CONSTRUCT or DESCRIBE' }),
      'default-graph-uri': list,
      'named-graph-uri': list,
    }),
  },
  responses,
})

export const queryByPost = createRoute({
  method: 'post',
  path: '/',
  summary: 'Query the published graphs with a query that is too long for an address',
  request: {
    body: {
      required: true,
      content: {
        'application/x-www-form-urlencoded': { schema: { type: 'object' as const } },
        'application/sparql-query': text,
      },
    },
  },
  responses,
})
