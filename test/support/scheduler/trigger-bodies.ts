/** Triggers as clients send them. */

export const daily = {
  id: 'daily',
  status: 'enabled',
  interval: { unit: 'DAY', value: 1 },
  next: '2026-12-01T04:00:00Z',
}
export const nightly = { id: 'nightly', status: 'enabled', cron: '0 0 3 * * ?' }
