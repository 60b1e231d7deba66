/**
 * Building blocks for the schemas of environment variables. Every error that an operator can see is our own sentence without its
 * subject (`must be …`); the name of the variable and the place in it are put before it in `environment.ts`.
 */

import { z } from 'zod'
import { shown } from '../errors.ts'
import { nearest } from '../text/nearest.ts'

/** What the page says about a variable; `standard` is the text that counts when it is absent. */
export type Facts = {
  readonly meaning: string
  /** What would be right, after `must be`. */
  readonly right: string
  readonly standard?: string
  /** What an absent variable follows from, for readers. */
  readonly derived?: string
  /** Nothing of the value is ever repeated, `'values'`: but for names in it. */
  readonly secret?: true | 'values'
}

/** The facts of every variable's schema. */
export const facts = z.registry<Facts>()

/** An object of variables, each registered in `facts`. */
export type EnvironmentSchema = z.ZodObject<Record<string, z.ZodType>>

/** The error of a value that may be a secret. */
export const must = (right: string) => ({ error: `must be ${right}` })

/** The error of a value that may be repeated. */
export const mustGot = (right: string) => ({
  error: ({ input }: { readonly input?: unknown }) =>
    input === undefined
      ? `must be ${right}; it is missing`
      : `must be ${right}, got ${shown(input)}`,
})

/** Text that passes a test. */
export const is = (test: (text: string) => boolean, right: string) =>
  z.string(must(right)).refine(test, must(right))

/** Text that is not blank. */
export const text = is((value) => value.trim() !== '', 'text that is not empty')

/** A whole number within bounds. */
export const whole = (least: number, most: number, error: typeof must | typeof mustGot = must) => {
  const right = error(`a whole number ${least}..${most}`)
  return z.int(right).min(least, right).max(most, right)
}

/** JSON text of the given shape. */
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

/** Values separated by commas. */
export const list = <Value>(part: z.ZodType<Value, string>) =>
  z
    .string()
    .transform((value) => value.split(',').map((piece) => piece.trim()))
    .pipe(z.array(part))

/** The known name that was probably meant, or the known ones where they are few. */
function hint(name: string, known: readonly string[]): string {
  const close = nearest(name, known)
  if (close !== undefined) return ` (did you mean ${close}?)`
  return known.length > 15 ? '' : ` (known are ${known.join(', ')})`
}

/** Marks the issue of a name that nobody reads. */
export const isUnknownName = (issue: z.core.$ZodIssue): boolean =>
  issue.code === 'custom' && issue.params?.['unknown'] === true

/** An object whose other names are problems: what was misspelt limits and guards nothing. */
export function object<Shape extends z.ZodRawShape>(
  shape: Shape,
  what = 'is not read',
  right?: string,
) {
  const error = ({ path }: { readonly path?: readonly PropertyKey[] | undefined }) =>
    `${what}${hint(String(path?.at(-1)), Object.keys(shape))}`
  const unknown = z.unknown().refine(() => false, { error, params: { unknown: true } })
  const schema = z.object(shape, right === undefined ? undefined : mustGot(right)).catchall(unknown)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- there are no other names behind it
  return schema as unknown as z.ZodObject<Shape>
}

/** Reports names that are nearly one of ours; others may be those of another version. */
export const misspelt =
  (known: readonly string[]) =>
  (given: object, context: z.RefinementCtx): void => {
    for (const name of Object.keys(given).filter((one) => !known.includes(one))) {
      const close = nearest(name, known)
      if (close !== undefined)
        context.addIssue(`has a field that is not read (did you mean ${close}?)`)
    }
  }

/** A number of a table: its default, its bounds, and what it means. */
export type NumberRow = readonly [standard: number, least: number, most: number, meaning: string]

/** A schema for each row, by its name. */
export function numbersOf<Name extends string>(
  table: Readonly<Record<Name, NumberRow>>,
): Record<Name, z.ZodDefault<z.ZodInt>> {
  const rows = Object.entries<NumberRow>(table).map(
    ([name, [standard, least, most]]) => [name, whole(least, most).default(standard)] as const,
  )
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `fromEntries` forgets the names of the table
  return Object.fromEntries(rows) as Record<Name, z.ZodDefault<z.ZodInt>>
}
