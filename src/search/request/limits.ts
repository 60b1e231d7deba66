/** How much a request may ask for at once. */

import { defaultLimits, type Limits } from '../../http/limits.ts'

/** Limits of single parameters. */
export type ParameterLimits = Pick<Limits, 'facetsBytes' | 'facetValues' | 'listItems'>

export const parameterLimits: ParameterLimits = defaultLimits

type Complaint = { readonly parameter: string; readonly detail: string }

/** What of the raw values is too much; `facets` is still text. */
export function excessOf(
  values: Readonly<Record<string, string | readonly string[]>>,
  { facetsBytes, listItems }: ParameterLimits,
): readonly Complaint[] {
  return Object.entries(values).flatMap(([parameter, value]) => {
    const isTooLong = typeof value !== 'string' && value.length > listItems
    if (isTooLong) return [tooMuch(parameter, `${listItems} values (limit listItems)`)]
    const isTooLarge = parameter === 'facets' && Buffer.byteLength(String(value)) > facetsBytes
    return isTooLarge ? [tooMuch(parameter, `${facetsBytes} bytes (limit facetsBytes)`)] : []
  })
}

/** Facets with more wanted values than are looked for. */
export function excessValues(
  facets: Readonly<Record<string, readonly string[]>> = {},
  { facetValues }: ParameterLimits,
): readonly Complaint[] {
  return Object.entries(facets).flatMap(([facet, { length }]) =>
    length > facetValues
      ? [tooMuch('facets', `${facetValues} values of ${facet} (limit facetValues)`)]
      : [],
  )
}

const tooMuch = (parameter: string, most: string): Complaint => ({
  parameter,
  detail: `${parameter} may have at most ${most}`,
})
