/** Parameters of the search routes as the OpenAPI document shows them. */

import { z } from '@hono/zod-openapi'
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

export const requiredQuery = (name: string, description: string): QueryParameter => ({
  name,
  in: 'query',
  required: true,
  description,
  schema: { type: 'string' },
})
