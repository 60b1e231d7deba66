/** JSON values as types, and how foreign JSON is read: anything may be absent or of another shape. */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export type JsonObject = { readonly [key: string]: Json }

/** Copies an object as JSON: what `JSON.stringify` writes of it, read again. */
export const toJson = (value: object): JsonObject =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the text of an object is that of a JSON object
  JSON.parse(JSON.stringify(value)) as JsonObject

/** Members of which nothing is certain. */
export type Fields = Readonly<Record<string, unknown>>

/** Whether a value of parsed JSON is an object: neither null nor a list. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The members of a value; none where it is no object. */
export const memberFields = (value: unknown): Fields => (isJsonObject(value) ? value : {})

/** Levels of JSON that others send: what goes through it by recursion has room for them on its stack. */
const mostLevels = 200

/** The value of a JSON text that somebody sent. Throws `SyntaxError` when it is none, or is nested deeper than 200 levels. */
export function boundedJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (text.length <= mostLevels) return value
  let level = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > mostLevels) throw new SyntaxError(`JSON is nested deeper than ${mostLevels} levels`)
    level = level.flatMap((one) =>
      typeof one === 'object' && one !== null ? (Object.values(one) as unknown[]) : [],
    )
  }
  return value
}

/** A list as it is, anything else alone, nothing as an empty list. */
export const listed = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]

/** A text that says something, or a number as text. */
export const textOr = (value: unknown): string | undefined =>
  typeof value === 'number'
    ? String(value)
    : typeof value === 'string' && value.trim() !== ''
      ? value
      : undefined

/** The value at a dotted path through objects, whose own members count, and lists: `result.results.0.info`. */
export function valueAt(value: unknown, path: string): unknown {
  let found = value
  for (const step of path.split('.'))
    if (Array.isArray(found)) found = found[Number(step)] as unknown
    else found = isJsonObject(found) && Object.hasOwn(found, step) ? found[step] : undefined
  return found
}

export const textAt = (value: unknown, path: string): string | undefined =>
  textOr(valueAt(value, path))
