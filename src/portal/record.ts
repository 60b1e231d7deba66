/** What services answer, read leniently: anything may be absent or of another shape. */

import { type Fields, listed, memberFields, textAt, textOr, valueAt } from '../text/json.ts'

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

/** The licence that all distributions share, else the dataset's own; `different` where they do not, `none` where there is none. */
export function sharedLicence(record: Fields): unknown {
  const own = listAt(record, 'distributions').map(({ license }) => license)
  const licences = own.length === 0 && record['license'] ? [record['license']] : own
  const keys = new Set(licences.map((one) => textAt(one, 'resource') ?? textAt(one, 'id') ?? ''))
  if (keys.size === 0 || (keys.size === 1 && keys.has(''))) return 'none'
  return keys.size === 1 ? licences[0] : 'different'
}

/** Points of the quality of metadata, 0 to 405; `undefined` where nothing was measured. */
export const recordScore = (record: Fields): number | undefined => {
  const score = valueAt(record, 'quality_meas.scoring')
  return typeof score === 'number' ? score : undefined
}
