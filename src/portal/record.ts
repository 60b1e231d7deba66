/** What services answer, read leniently: anything may be absent or of another shape. */

import { isJsonObject, type Fields } from '../text/json.ts'

/** The members of a value; none where it is no object. */
export const memberFields = (value: unknown): Fields => (isJsonObject(value) ? value : {})

/** A list as it is, anything else alone, nothing as an empty list. */
export const listed = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]

/** A text, or a number as text. */
export const textOr = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== ''
    ? value
    : typeof value === 'number'
      ? String(value)
      : undefined

/** The value at a dotted path through objects and lists: `result.results.0.info`. */
export const valueAt = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce(
      (found: unknown, step) =>
        Array.isArray(found) ? (found[Number(step)] as unknown) : memberFields(found)[step],
      value,
    )

export const textAt = (value: unknown, path: string): string | undefined =>
  textOr(valueAt(value, path))

export const fieldsAt = (value: unknown, path: string): Fields => memberFields(valueAt(value, path))

/** The objects of a list; where there is one value alone, that. */
export const listAt = (value: unknown, path: string): readonly Fields[] =>
  listed(valueAt(value, path)).map(memberFields)

/** The texts of a field; of resources their addresses. */
export const textsAt = (value: unknown, path: string): readonly string[] =>
  listed(valueAt(value, path)).flatMap((one) => textAt(one, 'resource') ?? textOr(one) ?? [])

/** A number, 0 where there is none. */
export const numberAt = (value: unknown, path: string): number => {
  const found = valueAt(value, path)
  return typeof found === 'number' ? found : 0
}

/** The licence that all distributions share; `different` where they do not, `none` where none has one. */
export function sharedLicence(record: Fields): unknown {
  const licences = listAt(record, 'distributions').map(({ license }) => license)
  const keys = new Set(licences.map((one) => textAt(one, 'resource') ?? textAt(one, 'id') ?? ''))
  if (keys.size === 0 || (keys.size === 1 && keys.has(''))) return 'none'
  return keys.size === 1 ? licences[0] : 'different'
}

/** Points of the quality of metadata, 0 to 405; `undefined` where nothing was measured. */
export const recordScore = (record: Fields): number | undefined => {
  const score = valueAt(record, 'quality_meas.scoring')
  return typeof score === 'number' ? score : undefined
}
