/** Search parameters: types, ranges, descriptions, and their form in a query string. */

import { z } from 'zod'
import { type Complaint, Failure, shown } from '../../errors.ts'
import { defaultLimits, type Limits } from '../../http/limits.ts'
import { type Fields, isJsonObject, boundedJson } from '../../text/json.ts'
import { nearest } from '../../text/nearest.ts'
import { spanOf } from '../query/instants.ts'

/** Scalar values of facets as texts. */
const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String)
const noValues = z.null().transform((): string[] => [])
const groups = z.record(
  z.string(),
  z.union([z.array(scalar), scalar.transform((value) => [value]), noValues]),
)

/**
 * Parses `{"country":["it","es"],"is_hvd":true}`: values by facet id, none when the facet is not restricted. Throws
 * `malformed-json`.
 */
const facetValues = z
  .string()
  .transform((text, context) => {
    const result = groups.safeParse(facetsObject(text))
    if (result.success) return result.data
    const path = result.error.issues[0]?.path.join('.') ?? ''
    const message = `must hold arrays of texts, numbers or booleans (see ${path})`
    context.issues.push({ code: 'custom', message, input: text })
    return z.NEVER
  })
  .meta({
    type: 'string',
    description: 'JSON object from facet id to wanted values: {"country":["it","es"]}',
  })
  .optional()

function facetsObject(text: string): Fields {
  let detail = 'facets must be a JSON object such as {"country":["it"]}'
  let cause: unknown
  try {
    const value: unknown = boundedJson(text)
    if (isJsonObject(value)) return value
  } catch (error) {
    detail = 'facets must be valid JSON such as {"country":["it"]}'
    cause = error
  }
  throw new Failure('malformed-json', detail, { errors: [{ parameter: 'facets', detail }], cause })
}

/** Parses `AND` or `OR` in any case. */
const operator = (description: string) =>
  z
    .string()
    .toUpperCase()
    .pipe(z.enum(['AND', 'OR'], 'must be AND or OR'))
    .meta({ type: 'string', enum: ['AND', 'OR'], description })
    .optional()

const dateTypes = ['issued', 'modified', 'temporal'] as const
/** Date of a record that `minDate` and `maxDate` apply to. */
export type DateType = (typeof dateTypes)[number]

const flag = (description: string) =>
  z
    .stringbool({
      truthy: ['true', '1'],
      falsy: ['false', '0'],
      error: 'must be true, false, 1 or 0',
    })
    .meta({ type: 'boolean', description })
    .optional()

const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?$/

const number = (description: string, minimum = -Infinity, maximum = Infinity) =>
  z
    .string()
    .refine((text) => decimal.test(text), { error: 'must be a number', abort: true })
    .transform(Number)
    .refine(
      (value) => value >= minimum && value <= maximum,
      maximum < Infinity ? `must be ${minimum}..${maximum}` : `must be at least ${minimum}`,
    )
    .meta({
      type: 'number',
      description,
      ...(minimum > -Infinity && { minimum }),
      ...(maximum < Infinity && { maximum }),
    })
    .optional()

const integer = (description: string, maximum = Number.MAX_SAFE_INTEGER) => {
  const range = maximum < Number.MAX_SAFE_INTEGER ? `0..${maximum}` : 'an integer of at least 0'
  return z
    .string()
    .refine((text) => /^\d{1,16}$/.test(text) && Number(text) <= maximum, `must be ${range}`)
    .transform(Number)
    .meta({ type: 'integer', minimum: 0, maximum, description })
    .optional()
}

const list = (description: string) => z.array(z.string()).meta({ description }).optional()

const text = (description: string) => z.string().meta({ description }).optional()

const date = (description: string) =>
  z
    .string()
    .transform(spanOf)
    .refine((span) => span !== undefined, 'must be an ISO 8601 date or date-time')
    .meta({ type: 'string', format: 'date-time', description })
    .optional()

/** Schema for parsing and for the OpenAPI document, with the names of the contract. */
export const searchParameters = z.object({
  q: text('Query: words (a space is OR), AND, OR, NOT, parentheses, "phrases", wildcards ? and *'),
  filters: list(
    'Indices to search: dataset, catalogue, vocabulary, resource_<type>, resource for all other types; default all',
  ),
  filter: list('Alias of filters'),
  vocabulary: list('With filters=vocabulary: ids of the vocabularies to search'),
  resource: list('With filters=resource: ids of the types to search'),
  page: integer('Zero-based page; past the window of 10000 hits the results are empty'),
  limit: integer('Hits per page, default 10; 0 = count and facets only', 1000),
  sort: list('Sort keys, each `field asc` or `field desc`, or `relevance`; the first is primary'),
  fields: list('Fields in which words are looked for, each with an optional weight: title^2'),
  includes: list('Fields of the hits to return, dotted paths included; default all'),
  showScore: flag('Adds its score to each hit'),
  aggregation: flag('false: no facets; default true'),
  aggregationAllFields: flag('false: only the facets of aggregationFields; default true'),
  aggregationFields: list('Ids of the facets to count when aggregationAllFields is false'),
  globalAggregation: flag('Facet counts over all records of the indices, independent of the query'),
  facets: facetValues,
  facetOperator: operator('How the values of one facet combine; default OR'),
  facetGroupOperator: operator('How different facets combine; default AND'),
  superCatalogue: text('Deprecated: value of the facet superCatalog').meta({ deprecated: true }),
  filterDistributions: flag(
    'true: datasets keep only the distributions that the facets of distributions ask for',
  ),
  minDate: date('Earliest date, inclusive'),
  maxDate: date('Latest date, inclusive'),
  dateType: z
    .enum(dateTypes, 'must be issued, modified or temporal')
    .meta({ description: 'The date that minDate and maxDate limit; default issued' })
    .optional(),
  minScoring: number('Lowest quality score, inclusive'),
  maxScoring: number('Highest quality score, inclusive'),
  countryData: flag('true: only records of countries'),
  dataServices: flag('true: only records with a data service'),
  bboxMinLon: number(
    'West of the box; greater than its east where it goes over the date line',
    -180,
    180,
  ),
  bboxMaxLon: number('East of the box; up to 360 where it goes over the date line', -180, 360),
  bboxMinLat: number('South of the box', -90, 90),
  bboxMaxLat: number('North of the box', -90, 90),
  scroll: flag('true: the first page of a snapshot of all hits, and scrollId for the next ones'),
  searchAfter: flag('true: the first page of a snapshot, and sort and pitId for the next ones'),
  searchAfterSort: list('result.sort of the page before, with pitId'),
  pitId: text('result.pitId of the page before, with searchAfterSort'),
  autocomplete: flag('true: every word of q begins a word of a title or label'),
  countOnly: flag('Answers the count alone'),
  highlight: list('title, description: adds `_highlight` with the offsets of the words of q'),
  facetSelf: flag('false: the counts of a facet ignore the values that are chosen in it'),
  facetSize: integer('Items per facet, at most', 500),
  suggestions: flag('true: with fewer than three hits, other queries with what each would find'),
  words: z
    .enum(['any', 'most', 'all'], 'must be any, most or all')
    .meta({
      description:
        'Words of q that a hit has: any (default), most of those that are rare, or all but stop words; only for q without operators',
    })
    .optional(),
  completions: flag(
    'true: with autocomplete, completions of the last word, and values of facets whose labels begin like q',
  ),
  places: flag('true: places that q names, each as a facet value with the hits it leaves'),
  related: flag(
    'true: the nearest known words in place of words that no record has (result.instead), records that are close in meaning (result.related); a ? after a word is punctuation, too',
  ),
  explain: flag(
    'true: adds `_why` to each hit: its words of q, their forms and fields, and its closeness in meaning',
  ),
  strict: flag('true: names that are no parameters are refused; else they are in result.ignored'),
  locale: z
    .string()
    .regex(/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$/, 'must be a language such as de')
    .transform((tag) => tag.split('-', 1)[0]?.toLowerCase())
    .meta({
      type: 'string',
      description:
        'Language in which words are marked, and values of facets and of single records named',
    })
    .optional(),
})

type NamedParameters = z.output<typeof searchParameters>

/** Parsed parameters within their ranges; combinations are checked later. */
export type Parameters = NamedParameters & {
  /** Weights by field, from `boost.<field>`. */
  readonly boosts: Readonly<Record<string, number>>
  /** Unknown names, as far as an answer lists them. */
  readonly ignored: readonly string[]
}

/** Maximum number of listed names, and characters of one. */
const [mostIgnored, longestIgnored] = [20, 60]

/** Returns the unknown names; in strict mode throws `invalid-parameter` with a similar known name for each. */
function ignoredOf(unknown: ReadonlySet<string>, isStrict = false): readonly string[] {
  const names = [...unknown].slice(0, mostIgnored).map((name) => name.slice(0, longestIgnored))
  if (isStrict)
    refuse(
      names.map((parameter) => {
        const suggestion = nearest(parameter, Object.keys(searchParameters.shape))
        const hint = suggestion === undefined ? '' : `; did you mean ${suggestion}?`
        return { parameter, detail: `${shown(parameter)} is no parameter of the search${hint}` }
      }),
    )
  return names
}

/** Tells whether a parameter has several values. */
export const isList = (name: string): boolean => {
  const shape: Readonly<Record<string, z.ZodOptional>> = searchParameters.shape
  return Object.hasOwn(shape, name) && shape[name]?.unwrap() instanceof z.ZodArray
}

/** Prefix of parameters with the weight of a field: `boost.title=5`. */
export const boostPrefix = 'boost.'
const weights = z.record(z.string(), number('', 0).unwrap())

/** Splits a list that is separated by commas. */
const listEntries = (value: string): string[] =>
  value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')

/**
 * Parses a query string. Empty values are absent, unknown names are listed in `ignored`, lists are separated by commas, repeated
 * or in bracket form (`includes[]=`). Throws as `valuesOf`.
 */
export function parametersOf(query: URLSearchParams, limits?: ParameterLimits): Parameters {
  const values = new Map<string, string | readonly string[]>()
  const boosts = new Map<string, string>()
  const unknown = new Set<string>()
  for (const [key, value] of query) {
    const name = key.endsWith('[]') ? key.slice(0, -2) : key
    if (value.trim() === '') continue
    if (isList(name)) {
      const entries = [values.get(name) ?? [], listEntries(value)].flat()
      if (entries.length > 0) values.set(name, entries)
    } else if (name.startsWith(boostPrefix))
      boosts.set(name.slice(boostPrefix.length), value.trim())
    else if (!Object.hasOwn(searchParameters.shape, name)) unknown.add(name)
    else if (!values.has(name)) values.set(name, value.trim())
  }
  const parameters = valuesOf(Object.fromEntries(values), limits)
  const ignored = ignoredOf(unknown, parameters.strict)
  return {
    ...parameters,
    ignored,
    boosts: parseValues(weights, Object.fromEntries(boosts), boostPrefix),
  }
}

/** Limits of one request. */
export type ParameterLimits = Pick<Limits, 'facetsBytes' | 'facetValues' | 'listItems'>

/**
 * Validates values. Throws `invalid-parameter` that names every parameter that is invalid or exceeds a limit, or
 * `malformed-json`.
 */
function valuesOf(
  values: Readonly<Record<string, string | readonly string[]>>,
  { facetsBytes, facetValues, listItems }: ParameterLimits = defaultLimits,
): NamedParameters {
  const tooMany = (parameter: string, maximum: string): Complaint => ({
    parameter,
    detail: `${parameter} may have at most ${maximum}`,
  })
  refuse(
    Object.entries(values).flatMap(([parameter, value]) => {
      if (typeof value !== 'string' && value.length > listItems)
        return [tooMany(parameter, `${listItems} values (limit listItems)`)]
      return parameter === 'facets' && Buffer.byteLength(String(value)) > facetsBytes
        ? [tooMany(parameter, `${facetsBytes} bytes (limit facetsBytes)`)]
        : []
    }),
  )
  const parameters = parseValues(searchParameters, values, '')
  const tooLong = Object.entries(parameters.facets ?? {}).filter(
    ([, { length }]) => length > facetValues,
  )
  refuse(
    tooLong.map(([facet]) =>
      tooMany('facets', `${facetValues} values of ${facet} (limit facetValues)`),
    ),
  )
  return parameters
}

function parseValues<T>(
  schema: z.ZodType<T>,
  raw: Readonly<Record<string, unknown>>,
  prefix: string,
): T {
  const result = schema.safeParse(raw)
  if (result.success) return result.data
  throw refusal(
    result.error.issues.map(({ path, message }) => {
      const name = String(path[0])
      const parameter = `${prefix}${name}`
      return { parameter, detail: `${parameter} ${message}, got ${shown(raw[name])}` }
    }),
  )
}

function refuse(errors: readonly Complaint[]): void {
  if (errors.length > 0) throw refusal(errors)
}

const refusal = (errors: readonly Complaint[]): Failure =>
  new Failure('invalid-parameter', errors.map(({ detail }) => detail).join('; '), { errors })
