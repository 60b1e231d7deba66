/** The command line of the platform. */

import { parseArgs } from 'node:util'
import { WrongUsage } from '../errors.ts'
import { resettable } from './data-files.ts'
import type { Wishes } from './identity.ts'

export const usage = `npm start -- [options]

  --adopt           the store becomes that of this data directory, whosever it was
  --empty           the store is empty, and that is right: begins anew beside what else the directory has
  --reset FILE      sets FILE aside and begins it anew: ${resettable.join(' or ')}
  --demo            a platform with sample catalogues in a temporary directory
`

const flag = { type: 'boolean', default: false } as const
const options = {
  demo: flag,
  adopt: flag,
  empty: flag,
  reset: { type: 'string', multiple: true },
} as const

/** What follows the name of the program. Throws `WrongUsage`. */
export function wishesOf(argumentList: readonly string[]): Wishes & { readonly demo: boolean } {
  const { reset = [], ...flags } = parsed(argumentList)
  const unknown = reset.filter((name) => !resettable.some((one) => one === name))
  if (unknown.length > 0)
    throw new WrongUsage(`--reset ${unknown.join(' ')}: can be ${resettable.join(' or ')}`)
  return { ...flags, reset }
}

function parsed(argumentList: readonly string[]) {
  try {
    return parseArgs({ args: [...argumentList], options }).values
  } catch (cause) {
    throw new WrongUsage(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}
