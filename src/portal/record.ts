/** Lenient readers of the JSON that services answer: any member may be absent or of another type. */

import { type Fields, listed, memberFields, textAt, textOr, valueAt } from '../text/json.ts'

/** Members of the object at a path (`a.b.0`); none where there is no object. */
export const fieldsAt = (value: unknown, path: string): Fields => memberFields(valueAt(value, path))

/** Objects of the list at a path; a single object counts as a list of one. */
export const listAt = (value: unknown, path: string): readonly Fields[] =>
  listed(valueAt(value, path)).map(memberFields)

/** Texts of the field at a path; of objects with a `resource`, its IRI. */
export const textsAt = (value: unknown, path: string): readonly string[] =>
  listed(valueAt(value, path)).flatMap((entry) => textAt(entry, 'resource') ?? textOr(entry) ?? [])

/** Number at a path, 0 where there is none. */
export const numberAt = (value: unknown, path: string): number => {
  const number = valueAt(value, path)
  return typeof number === 'number' ? number : 0
}

/**
 * Values of a member over all distributions, `undefined` for one without it. Where the list of distributions was cut and the
 * values are objects, the distinct values that the search sends for all of them (`_cut`), `null` for those without the member.
 */
export const distributionValues = (record: Fields, member: string): readonly unknown[] => {
  const allValues = valueAt(record, `_cut.distributions.values.${member}`)
  return allValues === undefined
    ? listAt(record, 'distributions').map((distribution) => distribution[member])
    : listed(allValues)
}

/** Number of distributions of a record, also of those that were cut from its list. */
export const distributionCount = (record: Fields): number =>
  numberAt(record, '_cut.distributions.count') || listAt(record, 'distributions').length

/** Licence that all distributions share, or that of a dataset without distributions; `different` or `none` otherwise. */
export function sharedLicence(record: Fields): unknown {
  const values = distributionValues(record, 'license')
  const licences = values.length === 0 && record['license'] ? [record['license']] : values
  const keys = new Set(
    licences.map((licence) => textAt(licence, 'resource') ?? textAt(licence, 'id') ?? ''),
  )
  if (keys.size === 0 || (keys.size === 1 && keys.has(''))) return 'none'
  return keys.size === 1 ? licences[0] : 'different'
}

/** Points of the metadata quality, 0 to 405; `undefined` where nothing was measured. */
export const recordScore = (record: Fields): number | undefined => {
  const score = valueAt(record, 'quality_meas.scoring')
  return typeof score === 'number' ? score : undefined
}

/**
 * Figures of each distribution in the answer of the metrics to `/datasets/{id}/distributions`, which has them in several objects.
 */
export const distributionFigures = (answer: unknown): readonly Fields[] =>
  listed(valueAt(answer, 'result.results')).map((parts) =>
    Object.fromEntries(listed(parts).flatMap((part) => Object.entries(memberFields(part)))),
  )
