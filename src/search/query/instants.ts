/** Dates as clients write them (ISO 8601), as spans of epoch milliseconds. */

/** First and last instant that the text covers, in epoch ms; equal for a point in time. */
export type InstantSpan = { readonly from: number; readonly to: number }

// A plus sign that nobody encoded arrives as a space in front of the zone.
const iso =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?([Zz]|[+ -]\d{2}:?\d{2})?)?)?)?$/

const day = 86_400_000

/**
 * A year, month, day or date-time, in UTC when it names no zone; `undefined` when it is none of them or not in the
 * calendar.
 */
export function spanOf(text: string): InstantSpan | undefined {
  const parts = iso.exec(text.trim())
  if (!parts) return undefined
  const [, year = '', month = '01', date = '01', hour] = parts
  const from = Date.parse(`${year}-${month}-${date}T00:00:00Z`)
  if (Number.isNaN(from) || new Date(from).getUTCDate() !== Number(date)) return undefined
  if (hour !== undefined) return instant(`${year}-${month}-${date}`, parts.slice(4))
  if (parts[3] !== undefined) return { from, to: from + day - 1 }
  const next =
    parts[2] === undefined ? [Number(year) + 1, 1] : following(Number(year), Number(month))
  return { from, to: firstOf(next[0] ?? 0, next[1] ?? 1) - 1 }
}

function instant(date: string, time: readonly (string | undefined)[]): InstantSpan | undefined {
  const [hour, minute, second = '00', fraction = '0', zone = 'Z'] = time
  const offset = zone
    .toUpperCase()
    .replace(' ', '+')
    .replace(/^([+-]\d{2}):?/, '$1:')
  const milliseconds = fraction.padEnd(3, '0').slice(0, 3)
  const at = Date.parse(`${date}T${hour}:${minute}:${second}.${milliseconds}${offset}`)
  return Number.isNaN(at) ? undefined : { from: at, to: at }
}

const following = (year: number, month: number): readonly number[] =>
  month === 12 ? [year + 1, 1] : [year, month + 1]

/** `Date.UTC` reads the years 0 to 99 as 1900 to 1999. */
const firstOf = (year: number, month: number): number =>
  new Date(0).setUTCFullYear(year, month - 1, 1)
