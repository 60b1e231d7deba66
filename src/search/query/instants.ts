/** Dates in requests (ISO 8601) as spans of epoch milliseconds. */

import { localTimeToInstant } from '../../vocabularies/dates.ts'

/** First and last instant that a text covers, in epoch ms; equal for a point in time. */
export type InstantSpan = { readonly from: number; readonly to: number }

// An unencoded plus sign arrives as a space before the zone.
const iso =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?([Zz]|[+ -]\d{2}:?\d{2})?)?)?)?$/

/** Parses a year, month, day or date-time, in UTC without a zone; `undefined` for other texts and invalid dates. */
export function spanOf(text: string): InstantSpan | undefined {
  const [match, year = '', month, day, hour, minute, second = '00', fraction = '0', zone = 'Z'] =
    iso.exec(text.trim()) ?? []
  const date = `${year}-${month ?? '01'}-${day ?? '01'}`
  const from = Date.parse(`${date}T00:00:00Z`)
  if (match === undefined || Number.isNaN(from)) return undefined
  const end = new Date(from)
  if (end.getUTCDate() !== Number(day ?? 1)) return undefined
  if (hour !== undefined) {
    const offset = zone.toUpperCase().replace(' ', '+')
    const time = `${hour}:${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}`
    const instant = Date.parse(`${date}T${time}${offset.replace(/^([+-]\d{2}):?/, '$1:')}`)
    return Number.isNaN(instant) ? undefined : { from: instant, to: instant }
  }
  if (day !== undefined) end.setUTCDate(end.getUTCDate() + 1)
  else if (month !== undefined) end.setUTCMonth(end.getUTCMonth() + 1)
  else end.setUTCFullYear(end.getUTCFullYear() + 1)
  return { from, to: end.getTime() - 1 }
}

/** Moves a year, month or day to a zone; a point in time stays. */
export const spanIn = (span: InstantSpan, zone: string | undefined): InstantSpan =>
  span.from === span.to
    ? span
    : { from: localTimeToInstant(span.from, zone), to: localTimeToInstant(span.to + 1, zone) - 1 }
