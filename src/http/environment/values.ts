/** How a variable's text becomes a value: building blocks for the schema of an environment. */

import { z } from 'zod'

/** What the page says about a variable; `standard` is the text that counts when it is absent. */
export type Facts = {
  readonly meaning: string
  /** What would be right, after `must be`. */
  readonly right: string
  readonly standard?: string
  /** What an absent variable follows from, for readers. */
  readonly derived?: string
  /** The value is never repeated. */
  readonly secret?: boolean
}

/** An object of variables, each registered in `facts`. */
export type EnvironmentSchema = z.ZodObject<Record<string, z.ZodType>>

/** The facts of every variable's schema. */
export const facts = z.registry<Facts>()

/** JSON text of the given shape. */
export const json = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text)
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
    .transform((text) => text.split(',').map((piece) => piece.trim()))
    .pipe(z.array(part))

/** Text that passes a test. */
export const is = (test: (text: string) => boolean, right: string) =>
  z.string().refine(test, { error: `must be ${right}` })

/** Decimal digits as a whole number within bounds. */
export const whole = (least: number, most: number) =>
  z
    .string()
    .transform((text) => (/^\d{1,15}$/.test(text) ? Number(text) : Number.NaN))
    .pipe(z.int().min(least).max(most))
