/**
 * Reads an environment by its schema, all problems at once, and the parts that schemas of variables are made of. Every error that
 * an operator can see is our own sentence without its subject (`must be …`): the name of the variable and the place in it are put
 * before it, and what was given after it, unless it is a secret.
 */

import { hash } from 'node:crypto'
import { z } from 'zod'
import { shown } from '../errors.ts'
import { nearest } from '../text/nearest.ts'
import { mapValues } from '../text/records.ts'

/** Description of a variable for the generated page; `defaultText` is the text of its default. */
type Facts = {
  readonly meaning: string
  /** Valid values in words, after `must be`; absent where each problem names them itself. */
  readonly expected?: string
  readonly defaultText?: string
  /** Source of the default where it is computed, in words. */
  readonly derived?: string
  /** Whether messages must not repeat the value; `'values'`: names in it may be repeated. */
  readonly secret?: true | 'values'
}

/** Facts about the schema of each variable. */
export const facts = z.registry<Facts>()

/** An object of variables, each registered in `facts`. */
export type EnvironmentSchema = z.ZodObject<Record<string, z.ZodType>>

/** Names of environment variables with their texts. */
export type Environment = Readonly<Record<string, string | undefined>>

type Reading<Values> =
  | { readonly ok: true; readonly values: Values }
  | { readonly ok: false; readonly problems: readonly string[] }

/**
 * Parses the variables of a schema; an absent or blank one counts as its `defaultText`. A problem is one line: variable, place
 * in it, what would be right, what was given, with secrets masked.
 */
export function readEnvironment<Schema extends EnvironmentSchema>(
  schema: Schema,
  env: Environment,
): Reading<z.output<Schema>> {
  const entries = Object.entries(schema.shape).map(
    ([name, field]) => [name, env[name]?.trim() || facts.get(field)?.defaultText] as const,
  )
  const texts = Object.fromEntries(entries)
  const result = schema.safeParse(texts)
  if (result.success) return { ok: true, values: result.data }
  const lines = sortIssues(result.error.issues).map((issue) => {
    const [variable, ...place] = issue.path.map(String)
    const name = variable ?? ''
    const field = schema.shape[name]
    const fieldFacts = field && facts.get(field)
    return `${name}: ${sentence(issue, place, fieldFacts)}${givenText(issue, place, fieldFacts, texts[name])}`
  })
  return { ok: false, problems: [...new Set(lines)] }
}

type Issue = z.core.$ZodIssue

/**
 * Sorts fields that are "not read" before other problems of the same object: what is missing there may be due to a misspelling.
 */
function sortIssues(issues: readonly Issue[]): readonly Issue[] {
  const sorted: Issue[] = []
  for (const issue of issues) {
    const parent = issue.path.slice(0, -1)
    const isBeside = ({ path }: Issue) => parent.every((step, i) => path[i] === step)
    const position = issue.message.startsWith('is not read') ? sorted.findIndex(isBeside) : -1
    sorted.splice(position < 0 ? sorted.length : position, 0, issue)
  }
  return sorted
}

/** Sentence about an issue that this code wrote; `undefined` for a sentence of zod, which is for programmers. */
function ownMessage(issue: Issue): string | undefined {
  const { message = '' } = issue.code === 'invalid_key' ? (issue.issues[0] ?? {}) : issue
  return /^(?:Invalid|Too|Unrecognized|Expected)/.test(message) ? undefined : message
}

/** Whether the steps name a place in the value; an index alone, as in a list of texts, does not. */
const isPlace = (place: readonly string[]): boolean =>
  place.length > 0 && !/^\d+$/.test(place.join('.'))

function sentence(issue: Issue, steps: readonly string[], fieldFacts: Facts | undefined): string {
  if (isUnknownName(issue) && fieldFacts?.secret) return `has a field that ${issue.message}`
  const place = steps.map((step) => (fieldFacts?.secret === true ? maskKey(step) : step)).join('.')
  const message = ownMessage(issue)
  if (message !== undefined) return isPlace(steps) ? `${place} ${message}` : message
  const expected = fieldFacts?.expected ?? 'something else'
  return `must be ${expected}${isPlace(steps) ? ` (wrong at ${place})` : ''}`
}

/** Value that was given: the part that is wrong where the sentence names its place, else all of it. */
function givenText(
  issue: Issue,
  place: readonly string[],
  fieldFacts: Facts | undefined,
  text = '',
): string {
  const isPart = ownMessage(issue) !== undefined && isPlace(place)
  if (isPart && (isUnknownName(issue) || fieldFacts?.secret === 'values')) return ''
  if (fieldFacts?.secret) return `; got ••• (${text.length} characters)`
  if (!isPart) return `; got ${shown(text)}`
  const part = place.reduce<unknown>((value, step) => Object(value)[step], JSON.parse(text))
  return part === undefined ? '; it is missing' : `, got ${shown(part)}`
}

/** Shows a key of a secret object, which is a secret itself, by its digest. */
const maskKey = (key: string): string =>
  /^\d{1,4}$/.test(key) ? key : `key ${hash('sha256', key, 'hex').slice(0, 8)}`

// The parts of schemas.

/** Makes the error of a value: `must be` and what is right. */
export const messageOf = (expected: string) => ({ error: `must be ${expected}` })

/** Schema of a text that passes a test. */
export const matching = (test: (text: string) => boolean, expected: string) =>
  z.string(messageOf(expected)).refine(test, messageOf(expected))

/** Schema of a text that is not blank. */
export const text = matching((value) => value.trim() !== '', 'text that is not empty')

/** Schema of a whole number within bounds, both included. */
export const intBetween = (least: number, most: number) => {
  const range = messageOf(`a whole number ${least}..${most}`)
  return z.int(range).min(least, range).max(most, range)
}

/** Hides the issues of a schema behind one sentence. */
export const opaqueSchema = <Schema extends z.ZodType>(schema: Schema, expected: string) =>
  z.custom<z.output<Schema>>((value) => schema.safeParse(value).success, messageOf(expected))

/** Schema of a JSON text with the given content. */
export const json = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .string()
    .transform((value, context): unknown => {
      try {
        return JSON.parse(value)
      } catch (error) {
        // The engine's own message repeats the text, which may hold a secret.
        const place = /position (\d+)/.exec(String(error))?.[1]
        context.addIssue(`is not valid JSON${place === undefined ? '' : ` at character ${place}`}`)
        return z.NEVER
      }
    })
    .pipe(schema)

/** Schema of values separated by commas. */
export const list = <Value>(part: z.ZodType<Value, string>) =>
  z
    .string()
    .transform((value) => value.split(',').map((piece) => piece.trim()))
    .pipe(z.array(part))

/** Whether a text is the http(s) address of a server, with a port or without, and without path. */
export function isServerAddress(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text.replace(/\/$/, '')
}

/** Names the known name that was probably meant, or all known ones where they are few. */
function hint(name: string, known: readonly string[]): string {
  const similar = nearest(name, known)
  if (similar !== undefined) return ` (did you mean ${similar}?)`
  return known.length > 15 ? '' : ` (known are ${known.join(', ')})`
}

/** Whether the issue is a name without effect. */
const isUnknownName = (issue: Issue): boolean =>
  issue.code === 'custom' && issue.params?.['unknown'] === true

/** Schema of an object whose other names are problems, because a misspelt setting has no effect. */
export function object<Shape extends z.ZodRawShape>(
  shape: Shape,
  message = 'is not read',
  expected?: string,
) {
  const error = ({ path }: { readonly path?: readonly PropertyKey[] }) =>
    `${message}${hint(String(path?.at(-1)), Object.keys(shape))}`
  const unknown = z.unknown().refine(() => false, { error, params: { unknown: true } })
  const schema = z
    .object(shape, expected === undefined ? undefined : messageOf(expected))
    .catchall(unknown)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- there are no other names behind it
  return schema as unknown as z.ZodObject<Shape>
}

/** Makes the check that reports names which are close to a known one; others may be for other services or versions. */
export const misspelt =
  (known: readonly string[]) =>
  (value: object, context: z.RefinementCtx): void => {
    for (const name of Object.keys(value).filter((key) => !known.includes(key))) {
      const similar = nearest(name, known)
      if (similar !== undefined)
        context.addIssue(`has a field that is not read (did you mean ${similar}?)`)
    }
  }

/** Row of a table of numbers: default, bounds and meaning. */
export type NumberRow = readonly [standard: number, least: number, most: number, meaning: string]

/** Makes a schema for each row, by its name. */
export function numbersOf<Name extends string>(
  table: Readonly<Record<Name, NumberRow>>,
): Record<Name, z.ZodDefault<z.ZodInt>> {
  return mapValues(table, ([standard, least, most]) => intBetween(least, most).default(standard))
}
