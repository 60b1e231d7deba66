/** The contract of the search service as data: paths, parameters, answers. */

import { createRoute, z, type RouteConfig } from '@hono/zod-openapi'
import { searchParameters } from './request/parameters.ts'

const json = 'application/json'
const record = z.looseObject({ id: z.string(), resource: z.string().optional() })

const facet = z.object({
  id: z.string(),
  title: z.string(),
  items: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      count: z.int(),
      from: z.number().optional(),
      to: z.number().optional(),
    }),
  ),
})

const envelope = z.object({
  result: z.object({
    index: z.string().optional().meta({ description: 'When exactly one index was named' }),
    count: z.int().meta({ description: 'Exact number of all hits' }),
    facets: z.array(facet).optional().meta({ description: 'When indices were named' }),
    results: z.array(z.looseObject({})).optional(),
  }),
})

const problem = {
  description: 'Problem (RFC 9457)',
  content: {
    'application/problem+json': {
      schema: z.looseObject({
        type: z.string(),
        title: z.string(),
        status: z.int(),
        detail: z.string().optional(),
        instance: z.string(),
        errors: z.array(z.looseObject({ detail: z.string() })).optional(),
      }),
    },
  },
}

const answers = (description: string, schema: z.ZodType): RouteConfig['responses'] => ({
  200: { description, content: { [json]: { schema } } },
  default: problem,
})

/** A record carries an entity tag, so that a client may ask whether it changed. */
const recordAnswers = (description: string): RouteConfig['responses'] => ({
  ...answers(description, z.object({ result: record })),
  304: { description: 'Not changed since the state named in If-None-Match' },
})

type QueryParameter = {
  readonly name: string
  readonly in: 'query'
  readonly required: boolean
  readonly description: string
  readonly schema: object
  readonly deprecated?: boolean
  readonly style?: 'form'
  readonly explode?: boolean
}

/** Derived from the schema that reads them; lists are separated by commas. */
function queryParameters(): QueryParameter[] {
  const { properties = {} } = z.toJSONSchema(searchParameters, { io: 'input' })
  const named = Object.entries(properties).flatMap(([name, property]): QueryParameter[] => {
    if (typeof property === 'boolean') return []
    const { description = '', deprecated = false, ...schema } = property
    const form = schema.type === 'array' ? { style: 'form' as const, explode: false } : {}
    return [{ name, in: 'query', required: false, description, deprecated, schema, ...form }]
  })
  const boost = {
    name: 'boost.{field}',
    in: 'query' as const,
    required: false,
    description: 'Weight of a field in the ranking, default 1: boost.title=5',
    schema: { type: 'number', minimum: 0 },
  }
  return [...named, boost]
}

const requiredQuery = (name: string, description: string): QueryParameter => ({
  name,
  in: 'query',
  required: true,
  description,
  schema: { type: 'string' },
})

const ids = z.array(z.string())
const byId = { params: z.object({ id: z.string() }) }

export const searchRoute = createRoute({
  method: 'get',
  path: '/search',
  summary: 'Search datasets, catalogues and vocabularies',
  parameters: queryParameters(),
  responses: answers('Hits, exact count and facets', envelope),
})

export const datasetsRoute = createRoute({
  method: 'get',
  path: '/datasets',
  summary: 'Ids of all datasets of a catalogue',
  parameters: [requiredQuery('catalogue', 'Catalogue id')],
  responses: answers('Ids, ascending', ids),
})

export const datasetRoute = createRoute({
  method: 'get',
  path: '/datasets/{id}',
  summary: 'One dataset with its whole catalogue',
  request: byId,
  responses: recordAnswers('The dataset'),
})

export const cataloguesRoute = createRoute({
  method: 'get',
  path: '/catalogues',
  summary: 'Ids of all catalogues',
  responses: answers('Ids, ascending', ids),
})

export const catalogueRoute = createRoute({
  method: 'get',
  path: '/catalogues/{id}',
  summary: 'One catalogue with the number of its datasets',
  request: byId,
  responses: recordAnswers('The catalogue'),
})

export const vocabulariesRoute = createRoute({
  method: 'get',
  path: '/vocabularies',
  summary: 'Ids of all indexed vocabularies',
  responses: answers('Ids, ascending', ids),
})

export const vocabularyRoute = createRoute({
  method: 'get',
  path: '/vocabularies/{id}',
  summary: 'One vocabulary with all its concepts',
  request: byId,
  responses: answers(
    'The concepts',
    z.object({
      result: z.object({ id: z.string(), count: z.int(), results: z.array(record) }),
    }),
  ),
})

export const vocableRoute = createRoute({
  method: 'get',
  path: '/vocabularies/{vocabulary}/vocable',
  summary: 'The concept with an IRI',
  parameters: [requiredQuery('resource', 'IRI of the concept')],
  request: { params: z.object({ vocabulary: z.string() }) },
  responses: recordAnswers('The concept'),
})

export const conceptRoute = createRoute({
  method: 'get',
  path: '/vocabularies/{vocabulary}/{id}',
  summary: 'One concept',
  request: { params: z.object({ vocabulary: z.string(), id: z.string() }) },
  responses: recordAnswers('The concept'),
})

const profileAnswers: RouteConfig['responses'] = {
  200: {
    description: 'The profile; its shapes for clients that prefer Turtle',
    content: { [json]: { schema: z.looseObject({}) }, 'text/turtle': { schema: z.string() } },
  },
  default: problem,
}

export const profileRoute = createRoute({
  method: 'get',
  path: '/profile',
  summary: 'The active profile',
  responses: profileAnswers,
})

const shapesAnswers: RouteConfig['responses'] = {
  200: { description: 'SHACL shapes', content: { 'text/turtle': { schema: z.string() } } },
  default: problem,
}

export const shapesRoute = createRoute({
  method: 'get',
  path: '/profile.ttl',
  summary: 'The shapes of the active profile',
  responses: shapesAnswers,
})

export const healthRoute = createRoute({
  method: 'get',
  path: '/health',
  summary: 'Whether the search engine answers, and how many documents it has',
  responses: answers(
    'State',
    z.object({ status: z.string(), documents: z.record(z.string(), z.int()) }),
  ),
})
