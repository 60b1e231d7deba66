/** Pieces that the routes of the scheduler share. */

import { createRoute, type RouteConfig, z } from '@hono/zod-openapi'
import type { AppContext } from '../http/app.ts'
import { problem } from '../http/problem.ts'
import { stages } from '../pipe/message.ts'
import {
  countNames,
  itemStates,
  type Run,
  runOutcomes,
  runStatuses,
  starters,
  startModes,
} from '../pipe/runs/run.ts'
import { triggerIdForm } from './trigger-input.ts'
import { units } from './trigger.ts'

const json = 'application/json'

type Method = 'get' | 'put' | 'post' | 'delete'

const security = [{ ApiKey: [] }, { Bearer: [] }]
/** What runs did one by one, and a GET that changes something. */
const guarded = /items$|report$|status\}$/

/** A route of the scheduler; every status that is not in `good` is a problem. */
export function route<const Request extends NonNullable<RouteConfig['request']> = object>(
  endpoint: `${Method} /${string}`,
  summary: string,
  good: RouteConfig['responses'],
  request?: Request,
) {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- there is one space in it
  const [method, path] = endpoint.split(' ') as [Method, string]
  const needsKey = method !== 'get' || guarded.test(path)
  const responses: RouteConfig['responses'] = { ...good, default: problem() }
  return createRoute({
    method,
    path,
    summary,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a request without parts has no type parameter to meet
    request: (request ?? {}) as Request,
    responses,
    ...(needsKey && { security }),
  })
}

export const answer = (description: string, schema: z.ZodType) => ({
  description,
  content: { [json]: { schema } },
})

/** A body that is read and checked by its binding: its limits come before its schema. */
export const jsonBody = (schema: object, example: unknown) => ({
  body: { required: true, content: { [json]: { schema, example } } },
})

export const pipePath = z.object({
  pipeId: z.string().describe('Name of the pipe, or an id that only one pipe has'),
})
export const triggerPath = pipePath.extend({
  triggerId: z.string().openapi({ pattern: triggerIdForm, maxLength: 200 }),
})

const textHeader = { schema: { type: 'string' as const } }

export const runHeaders = {
  Location: { ...textHeader, description: 'The run' },
}
export const linkHeaders = (description: string) => ({ Link: { ...textHeader, description } })

// What the scheduler answers, as schemas of its contract.

const instant = z.iso.datetime()
const configs = z
  .record(z.string(), z.looseObject({}))
  .describe('By segment name: values in place of those of the pipe; arrays are replaced whole')

export const trigger = z
  .object({
    id: z.string(),
    status: z.enum(['enabled', 'disabled']),
    interval: z.object({ unit: z.enum(units), value: z.int().min(1) }).optional(),
    next: instant.optional().describe('The coming firing; sent: the first one'),
    last: instant.optional().describe('The last firing; ignored when sent'),
    problem: z
      .enum(['pipe missing'])
      .optional()
      .describe('Why the trigger never fires as things are; ignored when sent'),
    cron: z.string().optional().describe('Five fields as on Unix, six or seven as in Quartz'),
    timeZone: z.string().optional().describe('IANA name, for cron only; UTC when absent'),
    specific: z.array(instant).optional(),
    startMode: z.enum(startModes).optional(),
    configs: configs.optional(),
  })
  .openapi('Trigger')

export const triggers = z.array(trigger)
export const triggersByPipe = z.record(z.string(), triggers)

const complaint = z.looseObject({ detail: z.string() })

export const listedPipe = z
  .object({
    name: z.string().optional(),
    id: z.string().optional(),
    title: z.string().optional(),
    catalogue: z.string().optional(),
    source: z.string(),
    file: z.string(),
    segments: z.array(z.string()),
    problems: z.array(complaint),
  })
  .openapi('ListedPipe')

export const pipe = z
  .looseObject({ header: z.looseObject({ name: z.string() }), body: z.looseObject({}) })
  .openapi('Pipe')

const counts = z.object(Object.fromEntries(countNames.map((name) => [name, z.int()])))

const problemOfRun = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string().optional(),
})

export const run = z
  .object({
    id: z.string(),
    pipe: z.string(),
    trigger: z.string().optional(),
    startedBy: z.enum(starters),
    catalogue: z.string().optional(),
    status: z.enum(runStatuses),
    outcome: z.enum(runOutcomes).optional(),
    created: instant,
    startTime: instant.optional(),
    endTime: instant.optional(),
    counts,
    progress: z.looseObject({ pages: z.int(), bytes: z.int(), total: z.int().optional() }),
    segments: z.array(
      z.object({ name: z.string(), segmentNumber: z.int(), processed: z.boolean() }),
    ),
    problem: problemOfRun.nullable(),
    notes: z
      .array(
        z.object({
          action: z.enum(['confirm', 'restore']),
          time: instant,
          done: z.int(),
          failed: z.int(),
        }),
      )
      .optional()
      .describe('What was done about the run after its end: removals confirmed, records restored'),
  })
  .openapi('Run')

// What a run did with each record, and summed up.

const text = z.string().optional()

/** Where a record stands in the document of its source. */
const place = {
  line: z.int().optional().describe('Line in the document of the source, from 1'),
  pointer: text.describe('In JSON: a JSON Pointer (RFC 6901)'),
}

/** One value that was repaired or is not in the record, as parts of `detail`. */
const aboutValue = {
  property: text.describe(
    'What it was meant for: a term such as dct:issued, or a field of the search document',
  ),
  value: text.describe('As the source sent it'),
  reason: text.describe('Where the kind of finding does not say it'),
}

const findingOfRun = z
  .object({
    slug: z.string().describe('Kind, such as unmapped-value'),
    detail: z.string(),
    ...aboutValue,
  })
  .openapi('RunFinding')

const statements = z.array(z.string()).describe('Statements as "predicate object"')

export const runItem = z
  .object({
    originalId: text,
    sourceId: text,
    platformId: text.describe('Id of the record on the platform'),
    sourceUrl: text,
    title: text.describe('Of the record, in English where it has one'),
    ...place,
    stage: z.enum(stages),
    state: z.enum(itemStates),
    problem: problemOfRun.optional(),
    findings: z.array(findingOfRun).optional(),
    note: text,
    difference: z.object({ gone: statements, come: statements }).optional(),
    excerpt: text.describe('What the source sent, at most 64 KB'),
    time: instant,
  })
  .openapi('RunItem')

const group = z.object({
  count: z.int(),
  examples: z
    .array(
      z.object({
        id: text.describe('Id of the record in its source'),
        platformId: text.describe('Id of the record on the platform'),
        title: text,
        stage: z.enum(stages).optional(),
        sourceUrl: text,
        ...place,
        detail: text,
        ...aboutValue,
      }),
    )
    .describe('The first three'),
})
const bySlug = z.record(z.string(), group)
const changedIds = z.object({ count: z.int(), ids: z.array(z.string()).describe('The first ten') })

export const runReport = z
  .object({
    run,
    counts,
    problems: bySlug.describe('By kind, most frequent first'),
    findings: bySlug.describe('What was repaired or left out, by kind'),
    difference: z
      .object({
        run: z.string(),
        created: z.int(),
        updated: z.int(),
        removed: z.int(),
        newlyFailing: changedIds,
        newlyFixed: changedIds,
      })
      .optional()
      .describe('Against the finished run of the pipe before this one'),
    slowestPages: z.array(z.object({ number: z.int(), millis: z.number(), bytes: z.int() })),
    requests: z
      .record(z.string(), z.record(z.string(), z.int()))
      .describe('By host and status: how many'),
  })
  .openapi('RunReport')

// Answers that name runs.

export const runAddress = (c: AppContext, { id }: Pick<Run, 'id'>): string =>
  `${c.get('address')}/runs/${encodeURIComponent(id)}`

/** 202 with the run and where it is. */
export function accepted(c: AppContext, run: Run): Response {
  return c.json(run, 202, { Location: runAddress(c, run) })
}

/** `Link` (RFC 8288) to the runs that a request has started. */
export function linkRuns(c: AppContext, runs: readonly Run[]): void {
  if (runs.length === 0) return
  c.header('Link', runs.map((run) => `<${runAddress(c, run)}>; rel="run"`).join(', '))
}

/** `Link` to the pages of a list; whether there is a next one is known by having asked for one more. */
export function linkPages(
  c: AppContext,
  page: { readonly offset: number; readonly limit: number; readonly more: boolean },
): void {
  const { offset, limit, more } = page
  const link = (rel: string, start: number) => {
    const query = new URL(c.req.url).searchParams
    query.set('offset', String(start))
    query.set('limit', String(limit))
    return `<${c.get('address')}${encodeURI(c.req.path)}?${query.toString()}>; rel="${rel}"`
  }
  const links = [
    link('first', 0),
    ...(offset > 0 ? [link('prev', Math.max(0, offset - limit))] : []),
    ...(more ? [link('next', offset + limit)] : []),
  ]
  c.header('Link', links.join(', '))
}
