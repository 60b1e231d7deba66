/** JSON values of documents, and the order that keeps documents stable. */

export type Json = string | number | boolean | JsonObject | readonly Json[]
export type JsonObject = { readonly [key: string]: Json }

const surrogate = /[\ud800-\udfff]/

/** Order by code point, which is not the order of UTF-16 beyond the first plane. */
export function byCodePoint(a: string, b: string): number {
  if (a === b) return 0
  if (!surrogate.test(a) && !surrogate.test(b)) return a < b ? -1 : 1
  const left = [...a]
  const right = [...b]
  const length = Math.min(left.length, right.length)
  for (let at = 0; at < length; at++) {
    const difference = (left[at]?.codePointAt(0) ?? 0) - (right[at]?.codePointAt(0) ?? 0)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

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
