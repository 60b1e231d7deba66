/** Times and durations of XML Schema in one spelling per value (XSD 1.1, part 2, 3.3). */

const point =
  /^\s*(?:(-?\d{4,})(?:-(\d\d)(?:-(\d\d))?)?)?(?:T?(\d\d):(\d\d):(\d\d)(?:\.(\d+))?)?(Z|[+-]\d\d:\d\d)?\s*$/

const zoneOf = (zone: string | undefined) => {
  if (zone === undefined || zone === 'Z') return 0
  const [hours = 0, minutes = 0] = zone.slice(1).split(':').map(Number)
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

/**
 * A dateTime as an instant of its time line, so that zones, `24:00:00` and zeros at the end do not matter; other points of
 * time with their zone in one form. `undefined` for what is none.
 */
export function instant(name: string, lexical: string): string | undefined {
  if (name !== 'dateTime' && name !== 'dateTimeStamp') return zoned(name, lexical)
  const [, year, month, day, hour, minute, second, fraction = '', zone] = point.exec(lexical) ?? []
  if (day === undefined || hour === undefined) return undefined
  const midnight = new Date(0)
  midnight.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  const minutes = Number(hour) * 60 + Number(minute) - zoneOf(zone)
  const ms = midnight.getTime() + (minutes * 60 + Number(second)) * 1000
  if (Number.isNaN(ms)) return undefined
  return `${ms / 1000}.${fraction.replace(/0+$/, '')}${zone === undefined ? '' : 'Z'}`
}

function zoned(name: string, lexical: string): string | undefined {
  if (name !== 'date' && name !== 'time' && !name.startsWith('g')) return undefined
  const text = lexical.trim()
  const plain = text.replace(/(?:[+-]00:00|Z)$/, 'Z')
  return plain.replace(/(:\d\d)(?:\.0+|(\.\d*[1-9])0*)(?=Z|[+-]|$)/, '$1$2')
}

const duration =
  /^\s*(-?)P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d+))?S)?)?\s*$/

/** A duration as months and seconds; `undefined` for what is none. */
export function timeless(name: string, lexical: string): string | undefined {
  if (!name.toLowerCase().endsWith('duration')) return undefined
  const [whole, sign, ...parts] = duration.exec(lexical) ?? []
  if (whole === undefined) return undefined
  const [years = 0, months = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts
    .slice(0, 6)
    .map((part) => Number(part ?? 0))
  const fraction = parts[6]?.replace(/0+$/, '') ?? ''
  return `${sign}P${years * 12 + months}M${((days * 24 + hours) * 60 + minutes) * 60 + seconds}.${fraction}S`
}
