/** Pieces that the routes of the cache have in common. */

import { idForm } from '../../../rdf/ids.ts'
import { z, type RouteConfig } from '@hono/zod-openapi'
import { problemMembers } from '../../../http/contract/problem.ts'
import { dimensions } from '../../words/indicators.ts'
import { resolutions } from '../figures.ts'

const json = 'application/json'

const problem = {
  description: 'Problem (RFC 9457), with success and result for clients that look there',
  content: {
    'application/problem+json': {
      schema: z
        .looseObject({ success: z.literal(false), result: z.null(), ...problemMembers })
        .openapi('Problem'),
    },
  },
}

type Responses = RouteConfig['responses']

export const content = (description: string, schema: z.ZodType): Responses[string] => ({
  description,
  content: { [json]: { schema } },
})

/** Every other status is a problem. */
export const responses = (good: Responses): Responses => ({ ...good, default: problem })

/** What follows from the last refresh, in the envelope that clients know. */
export const answers = (description: string, row: z.ZodType): Responses =>
  responses({
    200: content(
      description,
      z.object({
        success: z.literal(true),
        result: z.object({
          count: z.int().describe('All rows, not only those of the page'),
          results: z.array(row),
        }),
      }),
    ),
    304: { description: 'Not changed since the state named in If-None-Match' },
  })

export const security = [{ ApiKey: [] }, { Bearer: [] }]

/** A list, comma separated or repeated. */
const listOf = (words: readonly [string, ...string[]]) =>
  z
    .union([z.string(), z.array(z.string())])
    .transform((given) =>
      [given]
        .flat()
        .flatMap((text) => text.split(','))
        .map((word) => word.trim())
        .filter((word) => word !== ''),
    )
    .pipe(z.array(z.enum(words)))
    .optional()
    .openapi({
      type: 'array',
      items: { type: 'string', enum: [...words] },
      description: 'Only these keys; comma separated or repeated, by default all',
    })

const keys = [...dimensions, 'score'] as const
export const filter = z.object({ filter: listOf([...keys, 'info']) })
/** There is no `info` of the whole portal. */
export const filterOfAll = z.object({ filter: listOf([...keys]) })

const day = (example: string) =>
  z
    .string()
    .transform(dayOf)
    .pipe(z.string('must be a date such as 2026-03-01'))
    .openapi({ type: 'string', format: 'date', example })

/** `2026-3-1` and the date of an instant are taken too; `undefined` for what is no day. */
function dayOf(text: string): string | undefined {
  const [, year = '', month = '', date = ''] =
    /^(\d{4})-(\d{1,2})-(\d{1,2})(?:T.*)?$/.exec(text.trim()) ?? []
  const iso = `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`
  const time = Date.parse(`${iso}T00:00:00Z`)
  const isDay = !Number.isNaN(time) && new Date(time).toISOString().startsWith(iso)
  return isDay ? iso : undefined
}

export const span = z.object({
  startDate: day('2026-01-01'),
  endDate: day('2026-12-31').optional(),
  resolution: z.enum(resolutions).default('month'),
})

export const locale = z.object({
  locale: z
    .string()
    .regex(/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/, 'must be a language code such as de')
    .default('en')
    .describe('Language of titles and messages'),
})

const number = (least: number, most?: number) =>
  z
    .string()
    .regex(/^\d{1,12}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= least && (most === undefined || value <= most), {
      message: most === undefined ? `must be ${least} or more` : `must be ${least}..${most}`,
    })

export const page = z.object({
  offset: number(0).default(0).openapi({ type: 'integer', minimum: 0 }),
  limit: number(1, 1000).default(100).openapi({ type: 'integer', minimum: 1, maximum: 1000 }),
})

/** Of a catalogue or a country. */
export const idPath = z.object({ id: z.string().openapi({ pattern: `^${idForm}$` }) })
