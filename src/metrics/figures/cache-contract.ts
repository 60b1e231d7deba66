/**
 * Contract that the endpoints of the metrics cache share: parameters, schemas of answers, the envelope around rows, the tag of
 * figures, and the catalogue of an id. The quality reports use some of the parameters.
 */

import { type RouteConfig, z } from '@hono/zod-openapi'
import type { AppContext } from '../../http/app.ts'
import { isFresh } from '../../http/conditions.ts'
import { endpointsFor } from '../../http/endpoint.ts'
import { problemMembers } from '../../http/problem.ts'
import { idForm } from '../../rdf/ids.ts'
import { byDimension, dimensions } from '../indicators.ts'
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

/** Response in JSON. */
export const jsonContent = (description: string, schema: z.ZodType): Responses[string] => ({
  description,
  content: { 'application/json': { schema } },
})

/** Responses with figures or measurements: 200 and 304. */
export const figureAnswers = (description: string, schema: z.ZodType): Responses => ({
  200: jsonContent(description, schema),
  304: { description: 'Not changed since the state named in If-None-Match' },
})

/** Schema of the envelope around rows. */
export const envelopeSchema = (row: z.ZodType) =>
  z.object({
    success: z.literal(true),
    result: z.object({
      count: z.int().describe('All rows, not only those of the page'),
      results: z.array(row),
    }),
  })

/** Schema of a list, comma separated or repeated. */
const listOf = (words: readonly [string, ...string[]]) =>
  z
    .union([z.string(), z.array(z.string())])
    .transform((value) =>
      [value]
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
/** Parameter that names the parts of a document that are wanted. */
export const filterQuery = z.object({ filter: listOf([...keys, 'info']) })
/** Parameter `filter` of the whole portal, which has no `info`. */
export const portalFilterQuery = z.object({ filter: listOf([...keys]) })

const day = (example: string) =>
  z
    .string()
    .transform(dayOf)
    .pipe(z.string('must be a date such as 2026-03-01'))
    .openapi({ type: 'string', format: 'date', example })

/** Reads a day; takes `2026-3-1` and the date of an instant too, and returns `undefined` for any other text. */
function dayOf(text: string): string | undefined {
  const [, year = '', month = '', date = ''] =
    /^(\d{4})-(\d{1,2})-(\d{1,2})(?:T.*)?$/.exec(text.trim()) ?? []
  const iso = `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`
  return z.iso.date().safeParse(iso).data
}

/** Parameters of a history: first and last day, both included, and the periods of which each has one snapshot. */
export const spanQuery = z.object({
  startDate: day('2026-01-01'),
  endDate: day('2026-12-31').optional(),
  resolution: z.enum(resolutions).default('month'),
})

/** Parameter for the language of texts: the nearest one that exists is used (RFC 4647). */
export const localeQuery = z.object({
  locale: z
    .string()
    .regex(/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/, 'must be a language code such as de')
    .default('en')
    .describe('Language of titles and messages'),
})

/** Parameters that select a part of a list. */
export const pageQuery = z.object({
  offset: z.coerce.number().int().min(0).default(0).describe('Rows passed over'),
  limit: z.coerce.number().int().min(1).max(1000).default(100).describe('Rows of one page'),
})

/** Path parameter: id of a catalogue, a country, a dataset or a distribution. */
export const idPath = z.object({ id: z.string().openapi({ pattern: `^${idForm}$` }) })

const parts = (schema: z.ZodType) => byDimension(() => schema.optional())

const infoSchema = z.union([z.looseObject({ id: z.string() }), z.string()]).optional()
const shares = z.array(z.object({ name: z.string(), percentage: z.number() }))
const dimensionPoints = z
  .object({ points: z.int(), percentage: z.number(), max: z.int() })
  .nullable()
  .describe('Mean of the datasets; null when nothing was scored')

/** Schema of the figures of one scope. Shares are percentages with one decimal; none where nothing was measured. */
export const aggregateSchema = z
  .object({
    info: infoSchema,
    score: z.int().nullable().optional(),
    ...parts(z.object({ score: dimensionPoints }).catchall(shares)),
  })
  .openapi('Aggregate')

const periods = z.array(z.looseObject({}))

/**
 * Schema of the figures of one scope over time: each leaf is a list of objects whose one key is a day (`YYYY-MM-DD`), ascending;
 * in the form `historical` the scores of dimensions are objects with `date` and `value`.
 */
export const historySchema = z
  .object({ info: infoSchema, score: periods.optional(), ...parts(z.record(z.string(), periods)) })
  .openapi('History')

const pieces = z.array(z.looseObject({}))

/**
 * Schema of the measurements of one dataset: each dimension is a list of objects with one key, as the public system answers it.
 */
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

/**
 * Schema of the measurements of one distribution: its parts as a list of objects with one key each, its links with their last
 * answers among them.
 */
export const distributionSchema = z
  .array(z.looseObject({ links: z.array(link).optional() }))
  .openapi('DistributionMetrics')

const ofDataset = { reference: z.string(), 'dataset-id': z.string(), title: z.string() }

/** Schema of one result of the last SHACL validation of a dataset. */
export const violationSchema = z
  .object({
    resultPath: z.string().nullable(),
    resultMessage: z.string().nullable(),
    value: z.string().nullable(),
    severity: z.enum(['Violation', 'Warning', 'Info']),
    ...ofDataset,
  })
  .openapi('Violation')

/** Schema of one URL whose last status was not 200 to 299, with its dataset and distribution. */
export const unreachableSchema = z
  .object({
    ...ofDataset,
    'distribution-id': z.string(),
    'distribution-uri': z.string(),
    ...link.omit({ failingSince: true }).shape,
  })
  .openapi('UnreachableUrl')

/** Schema of the number of rows without the rows. */
export const countSchema = z.object({
  success: z.literal(true),
  result: z.object({ count: z.int() }),
})

/** Schema of a trigger of the scheduler (cron, interval or specific times), with its next and its last firing. */
export const scheduleSchema = z
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

/** Schema of the last refresh and of the progress of the running one; `null` where there is none. */
export const healthSchema = z.looseObject({
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

/** Puts rows into the envelope; `count` is the number of all rows, not only of those of the page. */
export const envelope = (results: readonly unknown[], count = results.length) => ({
  success: true as const,
  result: { count, results },
})

/**
 * Answers 304, or a document with a tag. The tag is weak, because one state may be sent with and without gzip (RFC 9110 8.8.1).
 */
export function answerTagged(c: AppContext, tag: string, make: () => object): Response {
  c.header('ETag', `W/"${tag}"`)
  return isFresh(c.req.raw.headers, tag) ? c.body(null, 304) : c.json(make())
}

/**
 * Answers a document of figures: the number of their refresh and the version of the program are the tag, the time of the refresh
 * is the date. An unknown scope has to be refused before.
 */
export function answerFigures(
  { cache, version }: CacheContext,
  c: AppContext,
  make: () => object,
): Response {
  const refreshed = cache.figures.refreshed()
  if (refreshed) c.header('Last-Modified', refreshed.at.toUTCString())
  return answerTagged(c, `${refreshed?.number ?? 0}-${version}`, make)
}

/**
 * Finds a catalogue in the figures, or in the store when it is newer than they are. Throws `unknown-catalogue`, also for hidden
 * ones.
 */
export const findCatalogue = async (
  { cache, source }: CacheContext,
  id: string,
  signal: AbortSignal,
): Promise<CatalogueFigures> => cache.figures.catalogue(id) ?? visibleCatalogue(source, id, signal)
