/** Contract of the CKAN calls: the parameters, from a query string or a JSON body, and the answers. */

import { type RouteConfig, z } from '@hono/zod-openapi'
import { Failure, shown } from '../../errors.ts'
import { isJsonObject, boundedJson } from '../../text/json.ts'
import { jsonType } from '../search-answers.ts'
import { parseBox } from '../../vocabularies/geometry-text.ts'

/** Values by name: text of a query string, or any JSON of a body; empty values and `null` are absent. */
export type RawParameters = Readonly<Record<string, unknown>>

// Parsers of each kind of parameter; their metadata appears in the OpenAPI document.

const text = z
  .union([z.string(), z.number(), z.boolean()], 'must be a text')
  .transform((value) => String(value).trim())

const optionalText = (description: string) =>
  text.optional().meta({ description, schema: { type: 'string' } })

const integerAtLeast = (minimum: number, defaultValue: number, description: string) =>
  text
    .refine(
      (digits) => /^-?\d{1,15}$/.test(digits) && Number(digits) >= minimum,
      `must be a whole number of at least ${minimum}`,
    )
    .transform(Number)
    .default(defaultValue)
    .meta({ description, schema: { type: 'integer', minimum } })

const flag = (description: string, defaultValue = true) =>
  text
    .transform((word) => word.toLowerCase())
    .pipe(
      z.stringbool({
        truthy: ['true', '1'],
        falsy: ['false', '0'],
        error: 'must be true or false',
      }),
    )
    .default(defaultValue)
    .meta({ description, schema: { type: 'boolean' } })

/** Maximum number of names in a list parameter. */
const maxNames = 100

/** Parses a list, a JSON list as text, or names separated by commas. */
const names = (description: string) =>
  z
    .union([z.array(text), text.transform(namesOf)], 'must be a JSON list of names')
    .refine((names) => names.length <= maxNames, `may name at most ${maxNames}`)
    .default([])
    .meta({ description, schema: { type: 'string' } })

const maxFilters = 20

/** Parses a list, a JSON list as text, or one filter query. */
const filters = (description: string) =>
  z
    .union(
      [
        z.array(text),
        text.transform((value) => (value.startsWith('[') ? textsOf(value, 'fq_list') : [value])),
      ],
      'must be a JSON list of filter queries',
    )
    .refine((filters) => filters.length <= maxFilters, `may have at most ${maxFilters}`)
    .default([])
    .meta({ description, schema: { type: 'string' } })

const namesOf = (text: string): readonly string[] =>
  text.startsWith('[') ? textsOf(text, 'facet.field') : text.split(',').map((name) => name.trim())

function textsOf(text: string, parameter: string): readonly string[] {
  const detail = `${parameter} must be a JSON list of ${parameter === 'fq_list' ? 'filter queries' : 'names'}`
  const result = z.array(z.string()).safeParse(jsonOf(text, detail))
  if (result.success) return result.data
  throw new Failure('malformed-json', detail)
}

const searchFacet = z.object({
  title: z.string(),
  items: z.array(z.object({ name: z.string(), display_name: z.string(), count: z.int() })),
})

const id = (what: string) =>
  text.meta({ description: `${what}; required`, schema: { type: 'string' } })

const listSchema = z.array(z.unknown())
const noParameters = z.object({})

/** Parameters of the lists of organizations and groups. */
const listParameters = z.object({
  all_fields: flag('true: objects in the place of names', false),
  sort: optionalText('name, title or package_count, with asc or desc; default name asc'),
  limit: integerAtLeast(0, 1000, 'Entries, at most and by default 1000'),
  offset: integerAtLeast(0, 0, 'Entries to pass over'),
})

const showParameters = (what: string) =>
  z.object({ id: id(what), include_datasets: flag('true: its first 1000 packages', false) })

/** Actions with their parameters: in the query string for GET, members of a JSON object for POST. */
export const actions = {
  package_list: {
    summary: 'Ids of all datasets, ascending',
    parameters: z.object({
      limit: integerAtLeast(0, Number.MAX_SAFE_INTEGER, 'Number of ids, default all'),
      offset: integerAtLeast(0, 0, 'Ids to pass over'),
    }),
    result: z.array(z.string()),
  },
  package_show: {
    summary: 'One dataset as a package',
    parameters: z.object({
      id: id('Id or IRI of the dataset'),
    }),
    result: z.looseObject({}),
  },
  package_search: {
    summary: 'Search datasets',
    parameters: z.object({
      q: optionalText('Query as of /search; *:* = all'),
      fq: optionalText('Filter: organization:a tags:"b c" metadata_modified:[2024-01-01 TO *]'),
      fq_list: filters('Further filters: a JSON list, or the parameter several times'),
      ext_bbox: text
        .transform(parseBox)
        .refine((box) => box !== undefined, 'must be west,south,east,north')
        .meta({ description: 'Box that the area of a dataset meets: west,south,east,north' })
        .optional(),
      rows: integerAtLeast(0, 10, 'Packages, default 10, at most 1000'),
      start: integerAtLeast(0, 0, 'Packages to pass over; past 10000 there are none'),
      sort: optionalText('Such as metadata_modified desc, or score desc'),
      facet: flag('false: no facets'),
      'facet.field': names('JSON list: ["organization","tags"]'),
      'facet.limit': integerAtLeast(-1, 50, 'Values of a facet, default 50; -1 = all up to 1000'),
      'facet.mincount': integerAtLeast(0, 1, 'Least packages of a value, default 1'),
    }),
    result: z.object({
      count: z.int(),
      sort: z.string(),
      facets: z.record(z.string(), z.record(z.string(), z.int())),
      search_facets: z.record(z.string(), searchFacet),
      results: z.array(z.looseObject({})),
    }),
  },
  organization_list: { summary: 'Catalogues', parameters: listParameters, result: listSchema },
  organization_show: {
    summary: 'A catalogue',
    parameters: showParameters('Id of the catalogue'),
    result: z.looseObject({}),
  },
  group_list: {
    summary: 'Themes that datasets have',
    parameters: listParameters,
    result: listSchema,
  },
  group_show: {
    summary: 'A theme',
    parameters: showParameters('Id of the theme'),
    result: z.looseObject({}),
  },
  tag_list: {
    summary: 'Keywords that datasets have, at most 10000',
    parameters: z.object({
      query: optionalText('Part of the keyword'),
      all_fields: flag('true: objects in the place of names', false),
    }),
    result: listSchema,
  },
  license_list: {
    summary: 'Licences that datasets have',
    parameters: noParameters,
    result: listSchema,
  },
  resource_show: {
    summary: 'A distribution as a resource',
    parameters: z.object({ id: id('Id of the distribution') }),
    result: z.looseObject({}),
  },
  status_show: {
    summary: 'What answers here',
    parameters: noParameters,
    result: z.looseObject({}),
  },
  site_read: {
    summary: 'Whether the site may be read',
    parameters: noParameters,
    result: z.boolean(),
  },
  help_show: {
    summary: 'What an action does',
    parameters: z.object({ name: id('Name of the action') }),
    result: z.string(),
  },
  current_package_list_with_resources: {
    summary: 'Datasets as packages, the latest change first',
    parameters: z.object({
      limit: integerAtLeast(0, 100, 'Packages, default 100, at most 1000'),
      offset: integerAtLeast(0, 0, 'Packages to pass over; past 10000 there are none'),
    }),
    result: listSchema,
  },
  package_autocomplete: {
    summary: 'Datasets whose titles have words that begin like those of q',
    parameters: z.object({
      q: id('Beginnings of words'),
      limit: integerAtLeast(0, 10, 'Packages, default 10, at most 100'),
    }),
    result: listSchema,
  },
} as const

/** Name of an action. */
export type CkanAction = keyof typeof actions
/** Parsed parameters of an action, with defaults. */
export type CkanCall<Action extends CkanAction> = z.output<(typeof actions)[Action]['parameters']>

/** Reads a query string. The first value of a repeated name is used; for `fq_list` all. */
export function parametersOfQuery(query: URLSearchParams): RawParameters {
  const lists = query.getAll('fq_list')
  return withoutEmpty([
    ...[...query].reverse(),
    ...(lists.length > 1 ? [['fq_list', lists] as const] : []),
  ])
}

/** Reads a body; an empty one is an empty object. Throws `malformed-json`. */
export function parametersOfJson(body: string): RawParameters {
  const detail = 'the body must be a JSON object'
  const value = body.trim() === '' ? {} : jsonOf(body, detail)
  if (isJsonObject(value)) return withoutEmpty(Object.entries(value))
  throw new Failure('malformed-json', detail)
}

const withoutEmpty = (entries: readonly (readonly [string, unknown])[]): RawParameters =>
  Object.fromEntries(
    Object.entries(Object.fromEntries(entries)).filter(
      ([, value]) => value !== null && !(typeof value === 'string' && value.trim() === ''),
    ),
  )

function jsonOf(text: string, detail: string): unknown {
  try {
    return boundedJson(text)
  } catch (cause) {
    throw new Failure('malformed-json', detail, { cause })
  }
}

/** Parses parameters. Throws `invalid-parameter` that names every invalid parameter. */
export function parseCall<T>(schema: z.ZodType<T>, raw: RawParameters): T {
  const result = schema.safeParse(raw)
  if (result.success) return result.data
  const errors = result.error.issues.map(({ path, message }) => {
    const parameter = String(path[0])
    const isPresent = Object.hasOwn(raw, parameter)
    const problem = isPresent ? `${message}, got ${shown(raw[parameter])}` : 'is missing'
    return { parameter, detail: `${parameter} ${problem}` }
  })
  throw new Failure('invalid-parameter', errors.map(({ detail }) => detail).join('; '), { errors })
}

/** Paths of the public system; the OpenAPI document describes these and no aliases. */
export const ckanPaths = ['/ckan', '/ckan/api/3/action'] as const

/** Paths of the calls at the root of the platform. */
export const ckanMounts = ['/ckan', '/api/3/action', '/api/action'] as const

/** Paths that clients of CKAN append to the address of a portal, in this service and at the root of the platform. */
export const ckanAliases = ['/ckan/api/action', '/api/3/action', '/api/action'] as const

function answersOf(action: CkanAction): RouteConfig['responses'] {
  const { result } = actions[action]
  const ignored = z.array(z.string()).optional()
  const schema = z.object({ help: z.string(), success: z.literal(true), ignored, result })
  const error = z.looseObject({ __type: z.string(), message: z.string() })
  const failedSchema = z.object({ success: z.literal(false), error })
  const failure = (description: string) => ({
    description,
    content: { [jsonType]: { schema: failedSchema } },
  })
  return {
    200: { description: 'The result', content: { [jsonType]: { schema } } },
    404: failure('There is nothing of that name'),
    409: failure('The call is not valid'),
    default: failure('Whatever else went wrong'),
  }
}

/**
 * Makes the contract of an action without method and path. Parameters have no zod schemas, because errors are answered in the form
 * of CKAN.
 */
export function ckanContract(action: CkanAction) {
  const { summary, parameters } = actions[action]
  const shape: Readonly<Record<string, z.ZodType>> = parameters.shape
  const parameterList = Object.entries(shape).map(([name, type]) => {
    const { description = '', schema } = type.meta() ?? {}
    const required = description.endsWith('; required')
    return { name, description, required, schema: Object(schema) }
  })
  const properties = Object.fromEntries(
    parameterList.map(({ name, description, schema }) => [name, { ...schema, description }]),
  )
  return {
    summary: `CKAN: ${summary}`,
    parameters: parameterList.map((parameter) => ({ ...parameter, in: 'query' as const })),
    body: { content: { [jsonType]: { schema: { type: 'object' as const, properties } } } },
    answers: answersOf(action),
  }
}
