/** The parameters of the CKAN calls, from a query string or from a JSON body. */

import { z } from 'zod'
import { Failure, shown } from '../../errors.ts'

/** Name → text of a query string, or any JSON of a body; what is empty or `null` is absent. */
export type Given = Readonly<Record<string, unknown>>

const text = z
  .union([z.string(), z.number(), z.boolean()], 'must be a text')
  .transform((one) => String(one).trim())

const whole = (least: number, standard: number) =>
  text
    .refine(
      (one) => /^-?\d{1,15}$/.test(one) && Number(one) >= least,
      `must be a whole number of at least ${least}`,
    )
    .transform(Number)
    .default(standard)

const flag = text
  .transform((one) => one.toLowerCase())
  .pipe(
    z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'], error: 'must be true or false' }),
  )

const mostNames = 100

/** A list, a JSON list as text, or names separated by commas. */
const names = z
  .union([z.array(text), text.transform(namesOf)], 'must be a JSON list of names')
  .refine((all) => all.length <= mostNames, `may name at most ${mostNames}`)

export const searchCall = z.object({
  q: text.optional(),
  fq: text.optional(),
  rows: whole(0, 10),
  start: whole(0, 0),
  sort: text.optional(),
  facet: flag.default(true),
  'facet.field': names.default([]),
  'facet.limit': whole(-1, 50),
  'facet.mincount': whole(0, 1),
})

export const listCall = z.object({
  limit: whole(0, Number.MAX_SAFE_INTEGER),
  offset: whole(0, 0),
})

export const showCall = z.object({ id: text })

/** The first of several values of a name counts. */
export function givenByQuery(query: URLSearchParams): Given {
  const given = new Map<string, string>()
  for (const [name, value] of query) if (!given.has(name)) given.set(name, value)
  return present([...given])
}

/** Nothing at all is an object without members. Throws `malformed-json`. */
export function givenByBody(body: string): Given {
  if (body.trim() === '') return {}
  const value = jsonOf(body, 'the body must be a JSON object')
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return present(Object.entries(value))
  }
  throw new Failure('malformed-json', 'the body must be a JSON object')
}

/** Throws `invalid-parameter` naming every parameter that is not valid. */
export function callOf<T>(schema: z.ZodType<T>, given: Given): T {
  const result = schema.safeParse(given)
  if (result.success) return result.data
  const errors = result.error.issues.map(({ path, message }) => {
    const parameter = String(path[0])
    const isThere = Object.hasOwn(given, parameter)
    const detail = isThere
      ? `${parameter} ${message}, got ${shown(given[parameter])}`
      : `${parameter} is missing`
    return { parameter, detail }
  })
  throw new Failure('invalid-parameter', errors.map(({ detail }) => detail).join('; '), { errors })
}

const present = (entries: readonly (readonly [string, unknown])[]): Given =>
  Object.fromEntries(
    entries.filter(
      ([, value]) => value !== null && !(typeof value === 'string' && value.trim() === ''),
    ),
  )

function namesOf(text: string): readonly string[] {
  if (!text.startsWith('[')) return text.split(',').map((name) => name.trim())
  const value = jsonOf(text, 'facet.field must be a JSON list of names')
  const isNames = (one: unknown): one is string[] =>
    Array.isArray(one) && one.every((name) => typeof name === 'string')
  if (isNames(value)) return value
  throw new Failure('malformed-json', 'facet.field must be a JSON list of names')
}

function jsonOf(text: string, detail: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Failure('malformed-json', detail, { cause })
  }
}
