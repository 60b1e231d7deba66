/** Names of time zones (IANA). */

/** Whether the runtime knows the zone: `Europe/Berlin`, `+01:00`. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
