/** Check of time zone names (IANA), for settings, triggers and mappings of importers. */

/** Tells whether the runtime knows a time zone, such as `Europe/Berlin` or `+01:00`. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
