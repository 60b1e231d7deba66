/** Reads an environment by its schema: all values, or all problems at once. */

import { hash } from 'node:crypto'
import type { z } from 'zod'
import { shown } from '../../errors.ts'
import { nearest } from './spelling.ts'
import { facts, type EnvironmentSchema } from './values.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export type Reading<Values> =
  | { readonly ok: true; readonly values: Values }
  | { readonly ok: false; readonly problems: readonly string[] }

/**
 * Parses the variables of a schema; an absent or blank one counts as its standard text. A problem is one line: variable,
 * what would be right, what was given, with secrets masked.
 */
export function readEnvironment<Schema extends EnvironmentSchema>(
  schema: Schema,
  env: Environment,
): Reading<z.output<Schema>> {
  const given = Object.fromEntries(
    Object.keys(schema.shape).map((name) => [name, textOf(schema, env, name)]),
  )
  const result = schema.safeParse(given)
  if (result.success) return { ok: true, values: result.data }
  const lines = result.error.issues.map((issue) => problemLine(schema, issue, given))
  return { ok: false, problems: [...new Set(lines)] }
}

/** A line for each `PLATFORM_…` variable that nobody reads, with the name that was probably meant. */
export function unknownVariables(env: Environment, known: readonly string[]): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('PLATFORM_') && !known.includes(name))
    .map((name) => {
      const close = nearest(name, known)
      return `${shown(name)} is not read${close === undefined ? '' : `: did you mean ${close}?`}`
    })
}

const factsOf = (schema: EnvironmentSchema, name: string) => {
  const field = schema.shape[name]
  return field && facts.get(field)
}

const textOf = (schema: EnvironmentSchema, env: Environment, name: string): string | undefined =>
  env[name]?.trim() || factsOf(schema, name)?.standard

function problemLine(
  schema: EnvironmentSchema,
  issue: z.core.$ZodIssue,
  given: Readonly<Record<string, string | undefined>>,
): string {
  const [variable, ...inner] = issue.path.map(String)
  const name = variable ?? ''
  const known = factsOf(schema, name)
  const secret = known?.secret === true
  const place = inner.map((key) => (secret ? masked(key) : key)).join('.')
  const line = `${name}: ${said(issue, place, known?.right)}`
  if (isTold(issue)) return line
  const got = secret ? `••• (${given[name]?.length ?? 0} characters)` : shown(given[name])
  return `${line}; got ${got}`
}

/** The sentence repeats the part that is wrong: the whole value beside it would hide it. */
const isTold = (issue: z.core.$ZodIssue): boolean =>
  issue.code === 'custom' && issue.params?.['told'] === true

/** Our own words where a schema has some; what the library says of shapes is for programmers. */
function said(issue: z.core.$ZodIssue, place: string, right = 'something else'): string {
  if (issue.code === 'custom') return place === '' ? issue.message : `${place} ${issue.message}`
  return `must be ${right}${place === '' || /^\d+$/.test(place) ? '' : ` (wrong at ${place})`}`
}

/** Keys of a secret object are secrets themselves; the digest tells which one is meant. */
const masked = (key: string): string =>
  /^\d{1,4}$/.test(key) ? key : `key ${hash('sha256', key, 'hex').slice(0, 8)}`
