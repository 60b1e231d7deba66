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
