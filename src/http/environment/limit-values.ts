/** `PLATFORM_LIMITS`: every entry checked by name and bounds. */

import { z } from 'zod'
import { isLimitName, limitNames, limitTable } from '../limits.ts'
import { nearest } from './spelling.ts'

/** An object of limit → whole number within its bounds; unknown names are problems, because a typo protects nobody. */
export const limitValues = z.record(z.string(), z.unknown()).transform((given, context) => {
  const taken: Record<string, number> = {}
  for (const [name, value] of Object.entries(given)) {
    const wrong = fault(name, value)
    if (wrong !== undefined) context.addIssue({ code: 'custom', path: [name], message: wrong })
    else if (typeof value === 'number') taken[name] = value
  }
  return taken
})

function fault(name: string, value: unknown): string | undefined {
  if (!isLimitName(name)) {
    const close = nearest(name, limitNames)
    return `is no limit${close === undefined ? '' : ` (did you mean ${close}?)`}`
  }
  const { least, most } = limitTable[name]
  const fits = Number.isInteger(value) && Number(value) >= least && Number(value) <= most
  return fits ? undefined : `must be a whole number ${least}..${most}`
}
