/** Builders of JSON Schema 2020-12 for the schemas of records, answers and fields. */

/** Schema, or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>

const withDescription = (schema: JsonSchema, description?: string): JsonSchema =>
  description === undefined ? schema : { ...schema, description }

/** Schema of a text. */
export const textSchema = (description?: string) => withDescription({ type: 'string' }, description)

/** Schema of a whole number that is not negative. */
export const countSchema = (description?: string) =>
  withDescription({ type: 'integer', minimum: 0 }, description)

/** Schema of a number. */
export const numberSchema = (description?: string) =>
  withDescription({ type: 'number' }, description)

/** Schema of an array of any length. */
export const arraySchema = (items: JsonSchema, description?: string): JsonSchema =>
  withDescription({ type: 'array', items }, description)

/** Schema of an object; `required` names the keys that are always present. */
export const objectSchema = (
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema => ({
  type: 'object',
  ...(description && { description }),
  properties,
  ...(required.length > 0 && { required }),
})

/** Reference to a component of an OpenAPI document. */
export type Reference = { readonly $ref: string; readonly description?: string }

/** Returns a reference to a component of the OpenAPI document. */
export const schemaReference = (component: string, description?: string): Reference => ({
  $ref: `#/components/schemas/${component}`,
  ...(description !== undefined && { description }),
})
