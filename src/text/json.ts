/** Types of JSON values, and functions that read JSON of unknown shape, in which any member may be absent. */

/** Value of parsed JSON. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export type JsonObject = { readonly [key: string]: Json }

/** Copies an object as JSON: what `JSON.stringify` writes of it, read again. */
export const toJson = (value: object): JsonObject =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the text of an object is that of a JSON object
  JSON.parse(JSON.stringify(value)) as JsonObject

/** Object whose members are unknown. */
export type Fields = Readonly<Record<string, unknown>>

/** Whether a value of parsed JSON is an object: neither null nor a list. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the value when it is an object, else an empty object. */
export const memberFields = (value: unknown): Fields => (isJsonObject(value) ? value : {})

/** Maximum nesting of JSON from outside, so that recursive functions do not overflow the stack. */
const maxLevels = 200

/** Parses JSON of a client or a source. Throws `SyntaxError` when it is invalid, or nested deeper than 200 levels. */
export function boundedJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (text.length <= maxLevels) return value
  let level = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxLevels) throw new SyntaxError(`JSON is nested deeper than ${maxLevels} levels`)
    level = level.flatMap((element) =>
      typeof element === 'object' && element !== null ? (Object.values(element) as unknown[]) : [],
    )
  }
  return value
}

/** Returns an array as it is, any other value as the only element, `null` and `undefined` as an empty array. */
export const listed = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]

/** Returns a text that is not blank, or a number as text; `undefined` for other values. */
export const textOr = (value: unknown): string | undefined =>
  typeof value === 'number'
    ? String(value)
    : typeof value === 'string' && value.trim() !== ''
      ? value
      : undefined

/**
 * Returns the value at a dotted path through objects and arrays, such as `result.results.0.info`; inherited members do not count.
 */
export function valueAt(value: unknown, path: string): unknown {
  let current = value
  for (const step of path.split('.'))
    if (Array.isArray(current)) current = current[Number(step)] as unknown
    else current = isJsonObject(current) && Object.hasOwn(current, step) ? current[step] : undefined
  return current
}

/** Returns the text at a dotted path, as `textOr` reads it. */
export const textAt = (value: unknown, path: string): string | undefined =>
  textOr(valueAt(value, path))
