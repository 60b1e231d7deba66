/** Parameters of the search routes as the OpenAPI document shows them. */

import { z } from '@hono/zod-openapi'
import { idForm } from '../../rdf/ids.ts'
import type { JsonSchema } from '../../profile/schemas/records.ts'
import { searchParameters } from '../request/parameters.ts'

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
export function queryParameters(): QueryParameter[] {
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

/** Only told, not checked: what has another form is not found. */
export const recordId = z.string().openapi({ pattern: `^${idForm}$` })

export const requiredQuery = (name: string, description: string): QueryParameter => ({
  name,
  in: 'query',
  required: true,
  description,
  schema: { type: 'string' },
})

/** The same parameters as members of an object. */
export function bodySchema(): JsonSchema {
  const { properties = {} } = z.toJSONSchema(searchParameters, { io: 'input' })
  const flat = Object.entries(properties).map(([name, property]): [string, JsonSchema] => {
    const { type, ...schema } = Object(property)
    const { description } = schema
    if (name === 'facets') return [name, { description, type: ['object', 'string'] }]
    if (type === 'array') return [name, { description, type: ['array', 'string'], items: scalar }]
    return [name, { ...schema, type }]
  })
  const weights = { type: 'object', additionalProperties: { type: 'number', minimum: 0 } }
  return {
    type: 'object',
    properties: { ...Object.fromEntries(flat), boost: weights, searchParams },
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
