/** The contract of the CKAN calls. */

import { createRoute, z, type RouteConfig } from '@hono/zod-openapi'
import { json } from '../routes/answers.ts'

const text = { type: 'string' } as const
const count = { type: 'integer', minimum: 0 } as const

type Parameter = { readonly description: string; readonly schema: object }

const searchFacet = z.object({
  title: z.string(),
  items: z.array(z.object({ name: z.string(), display_name: z.string(), count: z.int() })),
})

/** The actions with their parameters; by GET in the query string, by POST as members of a JSON object. */
export const actions = {
  package_list: {
    summary: 'Ids of all datasets, ascending',
    parameters: {
      limit: { description: 'Number of ids, default all', schema: count },
      offset: { description: 'Ids to pass over', schema: count },
    },
    result: z.array(z.string()),
  },
  package_show: {
    summary: 'One dataset as a package',
    parameters: { id: { description: 'Id or IRI of the dataset; required', schema: text } },
    result: z.looseObject({}),
  },
  package_search: {
    summary: 'Search datasets',
    parameters: {
      q: { description: 'Query as of /search; *:* = all', schema: text },
      fq: {
        description: 'Filter: organization:a tags:"b c" metadata_modified:[2024-01-01 TO *]',
        schema: text,
      },
      rows: { description: 'Packages, default 10, at most 1000', schema: count },
      start: { description: 'Packages to pass over; past 10000 there are none', schema: count },
      sort: { description: 'Such as metadata_modified desc, or score desc', schema: text },
      facet: { description: 'false: no facets', schema: { type: 'boolean' } },
      'facet.field': { description: 'JSON list: ["organization","tags"]', schema: text },
      'facet.limit': {
        description: 'Values of a facet, default 50; -1 = all up to 1000',
        schema: { type: 'integer', minimum: -1 },
      },
      'facet.mincount': { description: 'Least packages of a value, default 1', schema: count },
    },
    result: z.object({
      count: z.int(),
      sort: z.string(),
      facets: z.record(z.string(), z.record(z.string(), z.int())),
      search_facets: z.record(z.string(), searchFacet),
      results: z.array(z.looseObject({})),
    }),
  },
} as const satisfies Readonly<
  Record<
    string,
    {
      readonly summary: string
      readonly parameters: Readonly<Record<string, Parameter>>
      readonly result: z.ZodType
    }
  >
>

export type Action = keyof typeof actions

/** The path that the public system has, and the one that clients of CKAN put behind an address. */
export const prefixes = ['/ckan', '/ckan/api/3/action'] as const

const failure = (description: string) => ({
  description,
  content: {
    [json]: {
      schema: z.object({
        success: z.literal(false),
        error: z.looseObject({ __type: z.string(), message: z.string() }),
      }),
    },
  },
})

function responsesOf(action: Action): RouteConfig['responses'] {
  const { result } = actions[action]
  const schema = z.object({ help: z.string(), success: z.literal(true), result })
  return {
    200: { description: 'The result', content: { [json]: { schema } } },
    404: failure('There is no such dataset'),
    409: failure('The call is not valid'),
    default: failure('Whatever else went wrong'),
  }
}

const listed = (action: Action): readonly [string, Parameter][] =>
  Object.entries(actions[action].parameters)

export const getRoute = (action: Action, prefix: string) =>
  createRoute({
    method: 'get',
    path: `${prefix}/${action}`,
    summary: `CKAN: ${actions[action].summary}`,
    parameters: listed(action).map(([name, { description, schema }]) => ({
      name,
      in: 'query' as const,
      required: action === 'package_show',
      description,
      schema,
    })),
    responses: responsesOf(action),
  })

export function postRoute(action: Action, prefix: string) {
  const properties = Object.fromEntries(
    listed(action).map(([name, { description, schema }]) => [name, { ...schema, description }]),
  )
  return createRoute({
    method: 'post',
    path: `${prefix}/${action}`,
    summary: `CKAN: ${actions[action].summary}, called by JSON`,
    // No zod schema: what is wrong with a call is told in the words of CKAN.
    request: { body: { content: { [json]: { schema: { type: 'object', properties } } } } },
    responses: responsesOf(action),
  })
}
