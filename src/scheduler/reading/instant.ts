/** Points in time as clients write them. */

import { z } from 'zod'

const shape = z.iso.datetime({ offset: true, local: true })
const right = 'an ISO 8601 date and time in UTC such as 2027-01-31T04:00:00Z'

/** Milliseconds since 1970. Without an offset it is UTC; `+0000` counts as `+00:00`. */
export const instant = z.string().transform((text, context) => {
  const whole = text.trim().replace(/([+-]\d\d)(\d\d)$/, '$1:$2')
  const zoned = /(?:z|[+-]\d\d:\d\d)$/i.test(whole) ? whole : `${whole}Z`
  const time = shape.safeParse(zoned).success ? Date.parse(zoned) : Number.NaN
  if (!Number.isNaN(time)) return time
  context.addIssue({ code: 'custom', message: `must be ${right}` })
  return z.NEVER
})

/** The same in the other direction; milliseconds only where there are some. */
export const written = (time: number): string => new Date(time).toISOString().replace('.000Z', 'Z')
