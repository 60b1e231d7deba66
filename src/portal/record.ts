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

/** The values of a member of all distributions, also of those that a cut record does not have; distinct then. */
export const distributionValues = (record: Fields, member: string): readonly unknown[] => {
  const all = valueAt(record, `_cut.distributions.values.${member}`)
  return all === undefined ? listAt(record, 'distributions').map((one) => one[member]) : listed(all)
}

/** How many distributions a record has, also where it is cut. */
export const distributionCount = (record: Fields): number =>
  numberAt(record, '_cut.distributions.count') || listAt(record, 'distributions').length

/** The licence that all distributions share, else the dataset's own; `different` where they do not, `none` where there is none. */
export function sharedLicence(record: Fields): unknown {
  const own = distributionValues(record, 'license')
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
