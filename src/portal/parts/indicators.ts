/** The 23 indicators of the Metadata Quality Assessment: property, most points, an example of what to write. */

import { readFileSync } from 'node:fs'
import { isJsonObject } from '../../text/json.ts'
import { qualityDimensions } from './quality.ts'
import { listAt, listed, memberFields } from '../record.ts'

type IndicatorDimension = (typeof qualityDimensions)[number]['key']

export type PageIndicator = {
  readonly key: string
  readonly dimension: IndicatorDimension
  readonly most: number
  readonly property?: string
  /** Turtle. */
  readonly example?: string
}

/** In the order of pages; every member is text but the points. */
export const pageIndicators: readonly PageIndicator[] = JSON.parse(
  readFileSync(new URL('../assets/indicators.json', import.meta.url), 'utf8'),
)

/** How far an indicator is fulfilled: a share of 0 to 1; `undefined` where it was not measured. */
export function shareOf(value: unknown): number | undefined {
  if (typeof value === 'boolean') return Number(value)
  const entries = listed(value).filter(isJsonObject)
  if (entries.length === 0) return undefined
  const good = entries.filter(
    ({ name }) => name === 'yes' || /^[23]\d\d$/.test(typeof name === 'string' ? name : ''),
  )
  return good.reduce((sum, { percentage }) => sum + Number(percentage) / 100, 0)
}

/** Indicator → value, of the answer of the metrics about one dataset. */
export function measuredValues(result: unknown): ReadonlyMap<string, unknown> {
  const groups = qualityDimensions.flatMap(({ key }) =>
    listed(memberFields(result)[key]).map(memberFields),
  )
  // Dates are told apart for the dataset and its distributions.
  const entries = groups.flatMap((one) => {
    const inner = listAt(one, 'dataset')
    return [one, ...inner].flatMap((part) => Object.entries(part))
  })
  return new Map(entries)
}
