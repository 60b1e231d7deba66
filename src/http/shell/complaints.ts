/** What zod found wrong with a request, in the words of a problem. */

import type { z } from '@hono/zod-openapi'
import { type Complaint, Failure, shown } from '../../errors.ts'

type Issue = z.core.$ZodIssue

/** Where the parsed thing stood; for `json` the complaint has a JSON Pointer (RFC 6901), else the parameter's name. */
type Place = 'json' | 'query' | 'param' | 'header' | 'form' | 'cookie'

/** All issues as one `invalid-parameter`; `value` is what was parsed, so that the detail can show the offending part. */
export function invalid(issues: readonly Issue[], place: Place, value: unknown): Failure {
  const errors = issues.map((issue) => complaintOf(issue, place, value))
  const [first] = errors
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  return new Failure('invalid-parameter', `${first?.detail ?? 'not valid'}${more}`, { errors })
}

function complaintOf(issue: Issue, place: Place, value: unknown): Complaint {
  const { given, depth } = at(value, issue.path)
  const keys = issue.path.slice(0, depth).map(String)
  const name = place === 'json' ? pointer(keys) : keys.join('.')
  const subject = name === '' ? 'body' : name
  const detail =
    given === undefined
      ? `${subject} is missing`
      : `${subject}: ${lowerFirst(issue.message)}, got ${shown(given)}`
  return { ...(place === 'json' ? { pointer: name } : { parameter: name }), detail }
}

const pointer = (keys: readonly string[]): string =>
  keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

/**
 * What was given there, and how far down the path that is: what was made of a text, such as a list of words, has parts that
 * were not given as such.
 */
function at(value: unknown, path: readonly PropertyKey[]): { given: unknown; depth: number } {
  let given = value
  for (const [depth, key] of path.entries()) {
    if (given === undefined) break
    if (typeof given !== 'object' || given === null) return { given, depth }
    if (!Object.hasOwn(given, key)) {
      if (Array.isArray(given)) return { given, depth }
      given = undefined
    } else given = Reflect.get(given, key)
  }
  return { given, depth: path.length }
}
