/** The offset of local times from UTC. */

/** Offset of a local time `YYYY-MM-DDThh:mm:ss` in a zone, as `Z` or `+hh:mm`; UTC when no zone is given. */
export function offsetOf(local: string, zone: string | undefined): string {
  if (zone === undefined || /^(?:utc|gmt|z)$/i.test(zone)) return 'Z'
  if (/^[+-]\d{2}:\d{2}$/.test(zone)) return zone
  const asUtc = Date.parse(`${local.slice(0, 19)}Z`)
  // The offset at the moment that the local time would be in UTC, then at the moment that this makes of it.
  const first = minutesAt(asUtc, zone)
  return offsetText(minutesAt(asUtc - first * 60_000, zone))
}

function minutesAt(time: number, zone: string): number {
  const parts = formatOf(zone).formatToParts(time)
  const part = (type: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find((one) => one.type === type)?.value)
  const local = new Date(0)
  local.setUTCFullYear(part('year'), part('month') - 1, part('day'))
  local.setUTCHours(part('hour'), part('minute'), part('second'))
  return Math.round((local.getTime() - Math.floor(time / 1000) * 1000) / 60_000)
}

const known = new Map<string, Intl.DateTimeFormat>()

function formatOf(zone: string): Intl.DateTimeFormat {
  const found = known.get(zone)
  if (found) return found
  const numeric = { year: 'numeric', month: 'numeric', day: 'numeric' } as const
  const clock = { hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23' } as const
  const made = new Intl.DateTimeFormat('en-u-ca-iso8601', { timeZone: zone, ...numeric, ...clock })
  known.set(zone, made)
  return made
}

function offsetText(minutes: number): string {
  if (minutes === 0) return 'Z'
  const [sign, size] = [minutes < 0 ? '-' : '+', Math.abs(minutes)]
  const two = (value: number) => String(value).padStart(2, '0')
  return `${sign}${two(Math.floor(size / 60))}:${two(size % 60)}`
}
