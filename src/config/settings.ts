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

/** Description of a variable for the generated page; `standard` is the text of its default. */
type Facts = {
  readonly meaning: string
  /** Valid values in words, after `must be`; absent where each problem names them itself. */
  readonly right?: string
  readonly standard?: string
  /** Source of the default where it is computed, in words. */
  readonly derived?: string
  /** Whether messages must not repeat the value; `'values'`: names in it may be repeated. */
  readonly secret?: true | 'values'
}

/** Facts about the schema of each variable. */
export const facts = z.registry<Facts>()

/** An object of variables, each registered in `facts`. */
export type EnvironmentSchema = z.ZodObject<Record<string, z.ZodType>>

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
    return `${name}: ${sentence(issue, place, known)}${got(issue, place, known, texts[name])}`
  })
  return { ok: false, problems: [...new Set(lines)] }
}

type Issue = z.core.$ZodIssue

/** Sorts fields without effect first: what is missing beside them may be due to a misspelling. */
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

/** Sentence about an issue; those of the library are for programmers. */
function own(issue: Issue): string | undefined {
  const { message = '' } = issue.code === 'invalid_key' ? (issue.issues[0] ?? {}) : issue
  return /^(?:Invalid|Too|Unrecognized|Expected)/.test(message) ? undefined : message
}

const isPlace = (place: readonly string[]): boolean =>
  place.length > 0 && !/^\d+$/.test(place.join('.'))

function sentence(issue: Issue, steps: readonly string[], known: Facts | undefined): string {
  if (isUnknownName(issue) && known?.secret) return `has a field that ${issue.message}`
  const place = steps.map((step) => (known?.secret === true ? masked(step) : step)).join('.')
  const message = own(issue)
  if (message !== undefined) return place === '' ? message : `${place} ${message}`
  const right = known?.right ?? 'something else'
  return `must be ${right}${isPlace(steps) ? ` (wrong at ${place})` : ''}`
}

/** Value that was given: the part that is wrong where the sentence names its place, else all of it. */
function got(issue: Issue, place: readonly string[], known: Facts | undefined, text = ''): string {
  const isPart = own(issue) !== undefined && isPlace(place)
  if (isPart && (isUnknownName(issue) || known?.secret === 'values')) return ''
  if (known?.secret) return `; got ••• (${text.length} characters)`
  if (!isPart) return `; got ${shown(text)}`
  const part = place.reduce<unknown>((value, step) => Object(value)[step], JSON.parse(text))
  return part === undefined ? '; it is missing' : `, got ${shown(part)}`
}

/** Shows a key of a secret object, which is a secret itself, by its digest. */
const masked = (key: string): string =>
  /^\d{1,4}$/.test(key) ? key : `key ${hash('sha256', key, 'hex').slice(0, 8)}`

// The parts of schemas.

/** Makes the error of a value: `must be` and what is right. */
export const messageOf = (right: string) => ({ error: `must be ${right}` })

/** Schema of a text that passes a test. */
export const matching = (test: (text: string) => boolean, right: string) =>
  z.string(messageOf(right)).refine(test, messageOf(right))

/** Schema of a text that is not blank. */
export const text = matching((value) => value.trim() !== '', 'text that is not empty')

/** Schema of a whole number within bounds, both included. */
export const intBetween = (least: number, most: number) => {
  const right = messageOf(`a whole number ${least}..${most}`)
  return z.int(right).min(least, right).max(most, right)
}

/** Hides the issues of a schema behind one sentence. */
export const opaqueSchema = <Schema extends z.ZodType>(schema: Schema, right: string) =>
  z.custom<z.output<Schema>>((value) => schema.safeParse(value).success, messageOf(right))

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

/** Names the known name that was probably meant, or all known ones where they are few. */
function hint(name: string, known: readonly string[]): string {
  const close = nearest(name, known)
  if (close !== undefined) return ` (did you mean ${close}?)`
  return known.length > 15 ? '' : ` (known are ${known.join(', ')})`
}

/** Whether the issue is a name without effect. */
const isUnknownName = (issue: Issue): boolean =>
  issue.code === 'custom' && issue.params?.['unknown'] === true

/** Schema of an object whose other names are problems, because a misspelt setting has no effect. */
export function object<Shape extends z.ZodRawShape>(
  shape: Shape,
  what = 'is not read',
  right?: string,
) {
  const error = ({ path }: { readonly path?: readonly PropertyKey[] }) =>
    `${what}${hint(String(path?.at(-1)), Object.keys(shape))}`
  const unknown = z.unknown().refine(() => false, { error, params: { unknown: true } })
  const schema = z
    .object(shape, right === undefined ? undefined : messageOf(right))
    .catchall(unknown)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- there are no other names behind it
  return schema as unknown as z.ZodObject<Shape>
}

/** Reports names that are close to a known one; others may belong to another version. */
export const misspelt =
  (known: readonly string[]) =>
  (given: object, context: z.RefinementCtx): void => {
    for (const name of Object.keys(given).filter((one) => !known.includes(one))) {
      const close = nearest(name, known)
      if (close !== undefined)
        context.addIssue(`has a field that is not read (did you mean ${close}?)`)
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
