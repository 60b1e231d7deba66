/** Reads an environment by its schema: all values, or all problems at once. */

import { hash } from 'node:crypto'
import type { z } from 'zod'
import { shown } from '../errors.ts'
import { nearest } from '../text/nearest.ts'
import { facts, isUnknownName, type EnvironmentSchema, type Facts } from './settings.ts'

export type Environment = Readonly<Record<string, string | undefined>>

type Reading<Values> =
  | { readonly ok: true; readonly values: Values }
  | { readonly ok: false; readonly problems: readonly string[] }

/**
 * Parses the variables of a schema; an absent or blank one counts as its standard text. A problem is one line: variable, place
 * in it, what would be right, what was given, with secrets masked.
 */
export function readEnvironment<Schema extends EnvironmentSchema>(
  schema: Schema,
  env: Environment,
): Reading<z.output<Schema>> {
  const given = Object.entries(schema.shape).map(
    ([name, field]) => [name, env[name]?.trim() || facts.get(field)?.standard] as const,
  )
  const texts = Object.fromEntries(given)
  const result = schema.safeParse(texts)
  if (result.success) return { ok: true, values: result.data }
  const lines = ordered(result.error.issues).map((issue) => {
    const [variable, ...place] = issue.path.map(String)
    const name = variable ?? ''
    const field = schema.shape[name]
    const known = field && facts.get(field)
    return `${name}: ${sentence(issue, place, known)}${got(issue, { place, known, text: texts[name] })}`
  })
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

type Issue = z.core.$ZodIssue

/** A field that is not read comes before what is wrong beside it: that may be missing because of it. */
function ordered(issues: readonly Issue[]): readonly Issue[] {
  const all: Issue[] = []
  for (const issue of issues) {
    const parent = issue.path.slice(0, -1)
    const isBeside = ({ path }: Issue) => parent.every((step, at) => path[at] === step)
    const at = issue.message.startsWith('is not read') ? all.findIndex(isBeside) : -1
    all.splice(at < 0 ? all.length : at, 0, issue)
  }
  return all
}

/** Whether the sentence is ours; what the library says of shapes is for programmers. */
const isOurs = ({ message }: Issue): boolean =>
  !/^(?:Invalid|Too|Unrecognized|Expected)/.test(message)

const isPlace = (place: readonly string[]): boolean =>
  place.length > 0 && !/^\d+$/.test(place.join('.'))

function sentence(issue: Issue, steps: readonly string[], known: Facts | undefined): string {
  if (isUnknownName(issue) && known?.secret) return `has a field that ${issue.message}`
  const place = steps.map((step) => (known?.secret === true ? masked(step) : step)).join('.')
  if (isOurs(issue)) return place === '' ? issue.message : `${place} ${issue.message}`
  const right = known?.right ?? 'something else'
  return `must be ${right}${isPlace(steps) ? ` (wrong at ${place})` : ''}`
}

type Given = {
  readonly place: readonly string[]
  readonly known: Facts | undefined
  readonly text: string | undefined
}

/** What was given, unless the sentence names the part of it that is wrong: the whole beside it would hide it. */
function got(issue: Issue, { place, known, text = '' }: Given): string {
  if (isOurs(issue) && isPlace(place) && known?.secret !== true) return ''
  return `; got ${known?.secret ? `••• (${text.length} characters)` : shown(text)}`
}

/** Keys of a secret object are secrets themselves; the digest tells which one is meant. */
const masked = (key: string): string =>
  /^\d{1,4}$/.test(key) ? key : `key ${hash('sha256', key, 'hex').slice(0, 8)}`
