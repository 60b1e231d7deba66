/** JSON values of documents, and the order that keeps documents stable. */

export type Json = string | number | boolean | JsonObject | readonly Json[]
export type JsonObject = { readonly [key: string]: Json }

/** An object of the keys that have a value; `undefined` when none has. */
export function objectOf(
  parts: Readonly<Record<string, Json | undefined>>,
): JsonObject | undefined {
  const object: Record<string, Json> = {}
  let some = false
  for (const key in parts) {
    const value = parts[key]
    if (value === undefined) continue
    object[key] = value
    some = true
  }
  return some ? object : undefined
}

export const isObject = (json: Json | undefined): json is JsonObject =>
  typeof json === 'object' && !Array.isArray(json)

/** A value as the elements it has: an array as it is, anything else alone. */
export const listOf = (json: Json): readonly Json[] => (Array.isArray(json) ? json : [json])

/** A value as text: a string as it is. */
export const plainText = (json: Json): string =>
  typeof json === 'string' ? json : JSON.stringify(json)
