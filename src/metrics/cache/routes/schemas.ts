/** What the cache answers, as schemas of its contract. */

import { z } from '@hono/zod-openapi'

const score = z
  .object({ points: z.int(), percentage: z.number(), max: z.int() })
  .nullable()
  .describe('Mean of the datasets; null when nothing was scored')
const shares = z.array(z.object({ name: z.string(), percentage: z.number() })).nullable()
const part = z.object({ score }).catchall(shares)

const parts = <T extends z.ZodType>(schema: T) => ({
  findability: schema.optional(),
  accessibility: schema.optional(),
  interoperability: schema.optional(),
  reusability: schema.optional(),
  contextuality: schema.optional(),
})

const about = z.union([z.looseObject({ id: z.string() }), z.string()])

export const aggregate = z
  .object({ info: about.optional(), score: z.int().nullable().optional(), ...parts(part) })
  .openapi('Aggregate')

const periods = z.array(z.looseObject({}))

export const history = z
  .object({
    info: about.optional(),
    score: periods.optional(),
    ...parts(z.record(z.string(), periods)),
  })
  .openapi('History')

const pieces = z.array(z.looseObject({}))

export const datasetDocument = z
  .object({
    info: z.looseObject({
      'dataset-id': z.string(),
      'dataset-uri': z.string(),
      score: z.int().nullable(),
      title: z.string(),
    }),
    ...parts(pieces),
  })
  .openapi('DatasetMetrics')

export const distributionDocument = pieces.openapi('DistributionMetrics')

export const violation = z
  .object({
    resultPath: z.string().nullable(),
    resultMessage: z.string().nullable(),
    value: z.string().nullable(),
    severity: z.enum(['Violation', 'Warning', 'Info']),
    title: z.string(),
    reference: z.string(),
    'dataset-id': z.string(),
  })
  .openapi('Violation')

export const unreachable = z
  .object({
    reference: z.string(),
    'dataset-id': z.string(),
    title: z.string(),
    'distribution-id': z.string(),
    'distribution-uri': z.string(),
    type: z.enum(['accessUrl', 'downloadUrl']),
    url: z.string().nullable(),
    statusCode: z.int(),
    checked: z.string().nullable(),
  })
  .openapi('UnreachableUrl')

export const count = z.object({
  success: z.literal(true),
  result: z.object({ count: z.int() }),
})

export const schedule = z
  .looseObject({
    id: z.string(),
    status: z.enum(['enabled', 'disabled']),
    cron: z.string().optional(),
    interval: z.object({ unit: z.string(), value: z.int() }).optional(),
    specific: z.array(z.string()).optional(),
    next: z.string().optional(),
    last: z.string().optional(),
  })
  .openapi('Schedule')

export const health = z.looseObject({
  status: z.literal('up'),
  refresh: z.looseObject({ number: z.int(), at: z.string() }).nullable(),
  refreshing: z.looseObject({ since: z.string(), datasets: z.int() }).nullable(),
})
