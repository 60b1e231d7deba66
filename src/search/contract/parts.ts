/** Building blocks of JSON Schema 2020-12. */

import type { JsonSchema } from '../../profile/schemas/records.ts'

/** Members that an object has beyond its own. */
export type Extra = {
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required: readonly string[]
}

const told = (description?: string) => (description === undefined ? {} : { description })

export const text = (description?: string): JsonSchema => ({ type: 'string', ...told(description) })

export const integer = (description?: string): JsonSchema => ({
  type: 'integer',
  minimum: 0,
  ...told(description),
})

export const array = (items: JsonSchema, description?: string): JsonSchema => ({
  type: 'array',
  items,
  ...told(description),
})

/** All members are required unless it is said which ones are. */
export const object = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = Object.keys(properties),
): JsonSchema => ({ type: 'object', properties, required })

/** An object of which nothing is known. */
export const open = (description: string): JsonSchema => ({ type: 'object', description })

/** The schema of an object with further members; its own win. */
export function extended(schema: JsonSchema, { properties, required }: Extra): JsonSchema {
  const own: unknown[] = Array.isArray(schema['required']) ? schema['required'] : []
  return {
    ...schema,
    properties: { ...properties, ...Object(schema['properties']) },
    required: [...new Set([...required, ...own])],
  }
}
