/** The wanted values of facets, as clients write them: a JSON object from facet id to values. */

import { z } from 'zod'
import { Failure } from '../../errors.ts'

/** Facet id → values, none when the facet restricts nothing. */
export type FacetValues = Readonly<Record<string, readonly string[]>>

const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String)
const none = z.null().transform((): string[] => [])
const values = z.union([z.array(scalar), scalar.transform((one) => [one]), none])
const groups = z.record(z.string(), values)

/** `{"country":["it","es"],"is_hvd":true}`; throws `malformed-json` when the text is no JSON object. */
export const facetValues = z
  .string()
  .transform((text, context): FacetValues => {
    const result = groups.safeParse(objectOf(text))
    if (result.success) return result.data
    const place = result.error.issues[0]?.path.join('.') ?? ''
    context.issues.push({
      code: 'custom',
      message: `must hold arrays of texts, numbers or booleans (see ${place})`,
      input: text,
    })
    return z.NEVER
  })
  .meta({
    type: 'string',
    description: 'JSON object from facet id to wanted values: {"country":["it","es"]}',
  })
  .optional()

/** `AND` or `OR` in any case. */
export const operator = (description: string) =>
  z
    .string()
    .toUpperCase()
    .pipe(z.enum(['AND', 'OR'], 'must be AND or OR'))
    .meta({ type: 'string', enum: ['AND', 'OR'], description })
    .optional()

function objectOf(text: string): unknown {
  const value = parseJson(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw malformed('facets must be a JSON object such as {"country":["it"]}')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw malformed('facets must be valid JSON such as {"country":["it"]}', cause)
  }
}

const malformed = (detail: string, cause?: unknown): Failure =>
  new Failure('malformed-json', detail, { errors: [{ parameter: 'facets', detail }], cause })
