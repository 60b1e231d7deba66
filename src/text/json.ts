/** JSON values as types, and the one question that every reader of foreign JSON asks first. */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export type JsonObject = { readonly [key: string]: Json }

/** Members of which nothing is certain. */
export type Fields = Readonly<Record<string, unknown>>

/** Whether a value of parsed JSON is an object: neither null nor a list. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

type Optional<T> = {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}
type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] }

/** The object without those members that are undefined, for types where a member is there or absent. */
export const defined = <T extends object>(object: T): Present<T> & Optional<T> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is left is there
  Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== undefined),
  ) as Present<T> & Optional<T>
