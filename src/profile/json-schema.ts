/** Pieces of JSON Schema 2020-12. */

/** A schema. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** An array of any length. */
export const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items })

/** An object; keys that are always there are named in `required`. */
export const object = (
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema => ({
  type: 'object',
  ...(description && { description }),
  properties,
  ...(required.length > 0 && { required }),
})

/** A component of the OpenAPI document that the schemas become part of. */
export const reference = (component: string, description?: string): JsonSchema => ({
  $ref: `#/components/schemas/${component}`,
  ...(description !== undefined && { description }),
})
