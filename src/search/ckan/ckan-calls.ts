/** The parameters of the CKAN calls, from a query string or from a JSON body. */

import { isJsonObject } from '../../text/json.ts'
import { createRoute, type RouteConfig, z } from '@hono/zod-openapi'
import { Failure, shown } from '../../errors.ts'
import { jsonType } from '../search-answers.ts'

/** Name → text of a query string, or any JSON of a body; what is empty or `null` is absent. */
export type GivenParameters = Readonly<Record<string, unknown>>

const text = z
  .union([z.string(), z.number(), z.boolean()], 'must be a text')
  .transform((one) => String(one).trim())

const whole = (least: number, standard: number) =>
  text
    .refine(
      (one) => /^-?\d{1,15}$/.test(one) && Number(one) >= least,
      `must be a whole number of at least ${least}`,
    )
    .transform(Number)
    .default(standard)

const flag = text
  .transform((one) => one.toLowerCase())
  .pipe(
    z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'], error: 'must be true or false' }),
  )

const mostNames = 100

/** A list, a JSON list as text, or names separated by commas. */
const names = z
  .union([z.array(text), text.transform(namesOf)], 'must be a JSON list of names')
  .refine((all) => all.length <= mostNames, `may name at most ${mostNames}`)

export const searchCall = z.object({
  q: text.optional(),
  fq: text.optional(),
  rows: whole(0, 10),
  start: whole(0, 0),
  sort: text.optional(),
  facet: flag.default(true),
  'facet.field': names.default([]),
  'facet.limit': whole(-1, 50),
  'facet.mincount': whole(0, 1),
})

export const listCall = z.object({
  limit: whole(0, Number.MAX_SAFE_INTEGER),
  offset: whole(0, 0),
})

export const showCall = z.object({ id: text })

/** The first of several values of a name counts. */
export function givenByQuery(query: URLSearchParams): GivenParameters {
  const given = new Map<string, string>()
  for (const [name, value] of query) if (!given.has(name)) given.set(name, value)
  return present([...given])
}

/** Nothing at all is an object without members. Throws `malformed-json`. */
export function givenByBody(body: string): GivenParameters {
  if (body.trim() === '') return {}
  const value = jsonOf(body, 'the body must be a JSON object')
  if (isJsonObject(value)) return present(Object.entries(value))
  throw new Failure('malformed-json', 'the body must be a JSON object')
}

/** Throws `invalid-parameter` naming every parameter that is not valid. */
export function callOf<T>(schema: z.ZodType<T>, given: GivenParameters): T {
  const result = schema.safeParse(given)
  if (result.success) return result.data
  const errors = result.error.issues.map(({ path, message }) => {
    const parameter = String(path[0])
    const isThere = Object.hasOwn(given, parameter)
    const detail = isThere
      ? `${parameter} ${message}, got ${shown(given[parameter])}`
      : `${parameter} is missing`
    return { parameter, detail }
  })
  throw new Failure('invalid-parameter', errors.map(({ detail }) => detail).join('; '), { errors })
}

const present = (entries: readonly (readonly [string, unknown])[]): GivenParameters =>
  Object.fromEntries(
    entries.filter(
      ([, value]) => value !== null && !(typeof value === 'string' && value.trim() === ''),
    ),
  )

function namesOf(text: string): readonly string[] {
  if (!text.startsWith('[')) return text.split(',').map((name) => name.trim())
  const value = jsonOf(text, 'facet.field must be a JSON list of names')
  const isNames = (one: unknown): one is string[] =>
    Array.isArray(one) && one.every((name) => typeof name === 'string')
  if (isNames(value)) return value
  throw new Failure('malformed-json', 'facet.field must be a JSON list of names')
}

function jsonOf(text: string, detail: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Failure('malformed-json', detail, { cause })
  }
}

// The contract of the CKAN calls.

const textSchema = { type: 'string' } as const
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
    parameters: { id: { description: 'Id or IRI of the dataset; required', schema: textSchema } },
    result: z.looseObject({}),
  },
  package_search: {
    summary: 'Search datasets',
    parameters: {
      q: { description: 'Query as of /search; *:* = all', schema: textSchema },
      fq: {
        description: 'Filter: organization:a tags:"b c" metadata_modified:[2024-01-01 TO *]',
        schema: textSchema,
      },
      rows: { description: 'Packages, default 10, at most 1000', schema: count },
      start: { description: 'Packages to pass over; past 10000 there are none', schema: count },
      sort: { description: 'Such as metadata_modified desc, or score desc', schema: textSchema },
      facet: { description: 'false: no facets', schema: { type: 'boolean' } },
      'facet.field': { description: 'JSON list: ["organization","tags"]', schema: textSchema },
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

export type CkanAction = keyof typeof actions

/** The path that the public system has, and the one that clients of CKAN put behind an address. */
export const ckanPrefixes = ['/ckan', '/ckan/api/3/action'] as const

const failure = (description: string) => ({
  description,
  content: {
    [jsonType]: {
      schema: z.object({
        success: z.literal(false),
        error: z.looseObject({ __type: z.string(), message: z.string() }),
      }),
    },
  },
})

function responsesOf(action: CkanAction): RouteConfig['responses'] {
  const { result } = actions[action]
  const schema = z.object({ help: z.string(), success: z.literal(true), result })
  return {
    200: { description: 'The result', content: { [jsonType]: { schema } } },
    404: failure('There is no such dataset'),
    409: failure('The call is not valid'),
    default: failure('Whatever else went wrong'),
  }
}

const listed = (action: CkanAction): readonly [string, Parameter][] =>
  Object.entries(actions[action].parameters)

export const getRoute = (action: CkanAction, prefix: string) =>
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

export function postRoute(action: CkanAction, prefix: string) {
  const properties = Object.fromEntries(
    listed(action).map(([name, { description, schema }]) => [name, { ...schema, description }]),
  )
  return createRoute({
    method: 'post',
    path: `${prefix}/${action}`,
    summary: `CKAN: ${actions[action].summary}, called by JSON`,
    // No zod schema: what is wrong with a call is told in the words of CKAN.
    request: { body: { content: { [jsonType]: { schema: { type: 'object', properties } } } } },
    responses: responsesOf(action),
  })
}
