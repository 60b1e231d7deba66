/** JSON values as types, and the one question that every reader of foreign JSON asks first. */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export type JsonObject = { readonly [key: string]: Json }

/** Members of which nothing is certain. */
export type Fields = Readonly<Record<string, unknown>>

/** Whether a value of parsed JSON is an object: neither null nor a list. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
