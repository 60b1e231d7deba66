/**
 * Shared by the endpoints of the metrics cache: parameters, schemas of answers, the envelope around every answer, its tag, and the
 * catalogue of an id.
 */

import { type RouteConfig, z } from '@hono/zod-openapi'
import type { AppContext } from '../../http/app.ts'
import { isFresh } from '../../http/conditions.ts'
import { endpointsFor } from '../../http/endpoint.ts'
import { problemMembers } from '../../http/problem.ts'
import { idForm } from '../../rdf/ids.ts'
import { dimensions } from '../indicators.ts'
import { type MetricsSource, visibleCatalogue } from './catalogue-reader.ts'
import type { StoredDataset } from './dataset-reader.ts'
import { type CatalogueFigures, resolutions } from './figures.ts'
import type { Cache } from './metrics-cache.ts'

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

/** Defines an endpoint of the metrics cache; every status that is not among its answers is a problem. */
export const cacheEndpoint = endpointsFor<CacheContext>({ default: problem })

/** An answer in JSON. */
export const content = (description: string, schema: z.ZodType): Responses[string] => ({
  description,
  content: { 'application/json': { schema } },
})

/** What follows from the last refresh. */
export const answers = (description: string, schema: z.ZodType): Responses => ({
  200: content(description, schema),
  304: { description: 'Not changed since the state named in If-None-Match' },
})

/** Rows in the envelope that clients know. */
export const envelopeOf = (row: z.ZodType) =>
  z.object({
    success: z.literal(true),
    result: z.object({
      count: z.int().describe('All rows, not only those of the page'),
      results: z.array(row),
    }),
  })

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
/** Which parts of a document are answered. */
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
  return z.iso.date().safeParse(iso).data
}

/** The days of a history, both included, and one snapshot for each of its periods. */
export const span = z.object({
  startDate: day('2026-01-01'),
  endDate: day('2026-12-31').optional(),
  resolution: z.enum(resolutions).default('month'),
})

/** Texts are in the nearest language that there is (RFC 4647). */
export const locale = z.object({
  locale: z
    .string()
    .regex(/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/, 'must be a language code such as de')
    .default('en')
    .describe('Language of titles and messages'),
})

/** A part of a list. */
export const page = z.object({
  offset: z.coerce.number().int().min(0).default(0).describe('Rows passed over'),
  limit: z.coerce.number().int().min(1).max(1000).default(100).describe('Rows of one page'),
})

/** Of a catalogue or a country. */
export const idPath = z.object({ id: z.string().openapi({ pattern: `^${idForm}$` }) })

const parts = <T extends z.ZodType>(schema: T) =>
  z.object({
    findability: schema.optional(),
    accessibility: schema.optional(),
    interoperability: schema.optional(),
    reusability: schema.optional(),
    contextuality: schema.optional(),
  }).shape

const about = z.union([z.looseObject({ id: z.string() }), z.string()]).optional()
const shares = z.array(z.object({ name: z.string(), percentage: z.number() }))
const dimensionPoints = z
  .object({ points: z.int(), percentage: z.number(), max: z.int() })
  .nullable()
  .describe('Mean of the datasets; null when nothing was scored')

/** Figures of one scope. Shares are percentages with one decimal; none where nothing was measured. */
export const aggregate = z
  .object({
    info: about,
    score: z.int().nullable().optional(),
    ...parts(z.object({ score: dimensionPoints }).catchall(shares)),
  })
  .openapi('Aggregate')

const periods = z.array(z.looseObject({}))

/** The same over time: each leaf is a list of objects whose one key is a day (`YYYY-MM-DD`), ascending. */
export const history = z
  .object({ info: about, score: periods.optional(), ...parts(z.record(z.string(), periods)) })
  .openapi('History')

const pieces = z.array(z.looseObject({}))

/** One dataset: each dimension is a list of objects with one key, as the public system answers it. */
export const datasetSchema = z
  .object({
    info: z.looseObject({
      'dataset-id': z.string(),
      'dataset-uri': z.string(),
      score: z.int().nullable(),
      title: z.string(),
      measured: z.string().nullable().describe('Time of the newest measurement'),
    }),
    points: z
      .record(z.string(), z.object({ points: z.int(), max: z.int() }))
      .describe(
        'Of each indicator: points by the best distribution, and the most that it can give',
      ),
    validation: z
      .looseObject({ errors: z.int().optional(), warnings: z.int().optional() })
      .describe('How much the last validation found; empty without one'),
    ...parts(pieces),
  })
  .openapi('DatasetMetrics')

const link = z.object({
  type: z.enum(['accessUrl', 'downloadUrl']),
  url: z.string().nullable(),
  statusCode: z.int(),
  checked: z.string().nullable().describe('When the URL was asked last'),
  failingSince: z
    .string()
    .nullable()
    .describe('When it failed first since it last worked; null where it works'),
})

/** One distribution: its parts as a list of objects with one key each, its links with their last answers among them. */
export const distributionSchema = z
  .array(z.looseObject({ links: z.array(link).optional() }))
  .openapi('DistributionMetrics')

const ofDataset = { reference: z.string(), 'dataset-id': z.string(), title: z.string() }

/** One result of the last SHACL validation of a dataset. */
export const violation = z
  .object({
    resultPath: z.string().nullable(),
    resultMessage: z.string().nullable(),
    value: z.string().nullable(),
    severity: z.enum(['Violation', 'Warning', 'Info']),
    ...ofDataset,
  })
  .openapi('Violation')

/** One URL whose last status was not 200 to 299, with its dataset and distribution. */
export const unreachable = z
  .object({
    ...ofDataset,
    'distribution-id': z.string(),
    'distribution-uri': z.string(),
    ...link.shape,
  })
  .openapi('UnreachableUrl')

/** How many rows there are, without the rows. */
export const count = z.object({
  success: z.literal(true),
  result: z.object({ count: z.int() }),
})

/** A trigger of the scheduler (cron, interval or specific times), with its next and its last firing. */
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

/** The last refresh, and how far the running one is; `null` where there is none. */
export const health = z.looseObject({
  status: z.literal('up'),
  refresh: z.looseObject({ number: z.int(), at: z.string() }).nullable(),
  refreshing: z.looseObject({ since: z.string(), datasets: z.int() }).nullable(),
})

/** The dependencies of the endpoints. */
export type CacheContext = {
  readonly cache: Cache
  readonly source: MetricsSource
  /** Reads a whole dataset with its metrics, which may need much memory: few at a time. */
  readonly readDataset: (c: AppContext, id: string) => Promise<StoredDataset>
  /** The version of the program: other versions may answer the same figures in another form. */
  readonly version: string
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** `count`: all rows, not only those of the page. */
export const enveloped = (results: readonly unknown[], count = results.length) => ({
  success: true as const,
  result: { count, results },
})

/** 304, or the answer with a tag. It is weak, because one state may be sent with and without gzip (RFC 9110 8.8.1). */
export function tagged(c: AppContext, tag: string, make: () => object): Response {
  c.header('ETag', `W/"${tag}"`)
  return isFresh(c.req.raw.headers, tag) ? c.body(null, 304) : c.json(make())
}

/**
 * Answers what follows from the figures: the number of their refresh is the tag, its time the date. What is unknown has to be
 * refused before.
 */
export function answerFigures(
  { cache, version }: CacheContext,
  c: AppContext,
  make: () => object,
): Response {
  const refreshed = cache.figures.refreshed()
  if (refreshed) c.header('Last-Modified', refreshed.at.toUTCString())
  return tagged(c, `${refreshed?.number ?? 0}-${version}`, make)
}

/** What the last refresh did not find may be in the store by now. Throws `unknown-catalogue`, also for hidden ones. */
export const findCatalogue = async (
  { cache, source }: CacheContext,
  id: string,
  signal: AbortSignal,
): Promise<CatalogueFigures> => cache.figures.catalogue(id) ?? visibleCatalogue(source, id, signal)
