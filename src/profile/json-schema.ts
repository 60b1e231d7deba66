/** Pieces of JSON Schema 2020-12. */

/** A schema. */
export type JsonSchema = Readonly<Record<string, unknown>>

type Properties = Readonly<Record<string, JsonSchema>>

export const text = (description: string): JsonSchema => ({ type: 'string', description })

/** Language key → text. */
export const languageMap = (description: string): JsonSchema => ({
  type: 'object',
  additionalProperties: { type: 'string' },
  description,
})

export const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items })

/** An object; keys that are always there are named in `required`. */
export const object = (
  description: string,
  properties: Properties,
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
