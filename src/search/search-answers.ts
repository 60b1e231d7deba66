/** Shared parts of the search service's endpoints: parts of the contract, and answers with entity tags. */

import { invalidParameter } from '../errors.ts'
import { resultText } from './search-envelope.ts'
import { hash } from 'node:crypto'
import { type RouteConfig, z } from '@hono/zod-openapi'
import type { AppContext } from '../http/app.ts'
import { isFresh, tagOfText } from '../http/conditions.ts'
import { endpointsFor } from '../http/endpoint.ts'
import { problem } from '../http/problem.ts'
import type { JsonSchema, Reference } from '../profile/json-schema.ts'
import { idForm } from '../rdf/ids.ts'
import type { SearchAppContext, SearchServiceContext } from './search-service-context.ts'
import { searchParameters } from './request/search-parameters.ts'

/** Media type of answers. */
export const jsonType = 'application/json'

/** Defines an endpoint of the search service; every status that is not among its answers is a problem (RFC 9457). */
export const searchEndpoint = endpointsFor<SearchServiceContext>({ default: problem() })

/** Answer 200 with JSON. */
export const jsonAnswers = (
  description: string,
  schema: z.ZodType | Reference,
): RouteConfig['responses'] => ({
  200: { description, content: { [jsonType]: { schema } } },
})

/** Answers 200 with JSON and an entity tag, and 304 for clients that have that state. */
export const stateAnswers = (
  description: string,
  schema: z.ZodType | Reference,
): RouteConfig['responses'] => ({
  ...jsonAnswers(description, schema),
  304: { description: 'Not changed since the state named in If-None-Match' },
})

/** Answer with a list of ids, ascending by code point. */
export const idsAnswer = stateAnswers('Ids, ascending', z.array(z.string()))

// Parameters of the search routes in the OpenAPI document.

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

/** Derives the query parameters from the schema that parses them; lists are separated by commas. */
export function queryParameters(): QueryParameter[] {
  const { properties = {} } = z.toJSONSchema(searchParameters, { io: 'input' })
  const parameters = Object.entries(properties).flatMap(([name, property]): QueryParameter[] => {
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
  return [...parameters, boost]
}

/** Id of a record. The pattern is documented but not checked: other ids are not found. */
export const recordId = z.string().openapi({ pattern: `^${idForm}$` })

/** Makes a parameter of the query string for the OpenAPI document; `requiredParameter` checks that it is present. */
export const requiredQuery = (name: string, description: string): QueryParameter => ({
  name,
  in: 'query',
  required: true,
  description,
  schema: { type: 'string' },
})

/** Makes the schema of a body with the search parameters as members. */
export function bodySchema(): JsonSchema {
  const { properties = {} } = z.toJSONSchema(searchParameters, { io: 'input' })
  const flatMembers = Object.entries(properties).map(([name, property]): [string, JsonSchema] => {
    const { type, ...schema } = Object(property)
    const { description } = schema
    if (name === 'facets') return [name, { description, type: ['object', 'string'] }]
    if (type === 'array') return [name, { description, type: ['array', 'string'], items: scalar }]
    return [name, { ...schema, type }]
  })
  const weights = { type: 'object', additionalProperties: { type: 'number', minimum: 0 } }
  return {
    type: 'object',
    properties: { ...Object.fromEntries(flatMembers), boost: weights, searchParams },
  }
}

const scalar: JsonSchema = { type: ['string', 'number'] }

const numbers = (...names: readonly string[]): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'number' }])),
})

const instant: JsonSchema = { type: 'string', format: 'date-time' }

const searchParams: JsonSchema = {
  type: 'object',
  description: 'Another form of the parameters of dates, scores and the box; the flat ones win',
  properties: {
    minDate: instant,
    maxDate: instant,
    scoring: numbers('min', 'max'),
    boundingBox: numbers('minLon', 'maxLon', 'minLat', 'maxLat'),
  },
}

// Entity tags of answers that depend on the whole index: they are valid until the next write.

/**
 * Makes `withEntityTag`. The state of the index is read first, so that a concurrent write makes a tag too old, never too new. The
 * tag is weak, because one state may be sent with and without gzip (RFC 9110, 8.8.1).
 */
export function entityTagger({
  index,
  ...options
}: SearchAppContext): SearchServiceContext['withEntityTag'] {
  const { version, profile, window, facetSize, boosts, scoreField, dateTypes, limits } = options
  const { synonyms } = options
  const ofOperator = [window, facetSize, boosts, scoreField, dateTypes, limits, synonyms?.print]
  const constant = hash('sha256', JSON.stringify([version, profile.hash, ofOperator]), 'hex')
  return async (c, make) => {
    const { pathname, search } = new URL(c.req.url)
    const tag = hash('sha256', [constant, index.stateTag(), pathname, search].join('\n'), 'hex')
    const short = tag.slice(0, 32)
    // `*` can only be decided after the answer is made.
    const isAny = c.req.header('If-None-Match')?.trim() === '*'
    const isUnchanged = !isAny && isFresh(c.req.raw.headers, short)
    const answer = isUnchanged ? c.body(null, 304) : await make(short)
    if (answer.status === 200 || answer.status === 304) answer.headers.set('ETag', `W/"${short}"`)
    return answer
  }
}

/** Record as it is answered. */
export type RecordText = {
  /** JSON text. */
  readonly text: string
  /** Time when the platform last wrote the record; absent when unknown. */
  readonly modified?: Date
}

/** Returns a parameter of the query string. Throws `invalid-parameter` when it is missing. */
export function requiredParameter(c: AppContext, parameter: string): string {
  const value = new URL(c.req.url).searchParams.get(parameter)?.trim()
  if (value) return value
  const detail = `the parameter ${parameter} is missing`
  throw invalidParameter(parameter, detail)
}

/**
 * Sets the entity tag of an answer; returns true if the client has that state, so that the answer is 304. The tag is weak, because one
 * state may be sent with and without gzip (RFC 9110, 8.8.1).
 */
export function setEntityTag(c: AppContext, tag: string): boolean {
  c.header('ETag', `W/"${tag}"`)
  return isFresh(c.req.raw.headers, tag)
}

/** Answers `{"result":…}` with an entity tag of the text, or 304 when the client has it. */
export function recordAnswer(c: AppContext, { text, modified }: RecordText): Response {
  const body = resultText(text)
  if (modified) c.header('Last-Modified', modified.toUTCString())
  return setEntityTag(c, tagOfText(body))
    ? c.body(null, 304)
    : c.body(body, 200, { 'Content-Type': jsonType })
}
