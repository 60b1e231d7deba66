/** Parts that the endpoints of pipes, runs and triggers share: dependencies, schemas, answers that link runs. */

import { z } from '@hono/zod-openapi'
import type { ApiKeys } from '../http/api-key.ts'
import type { AppContext, SharedAppOptions } from '../http/app.ts'
import { endpointsFor } from '../http/endpoint.ts'
import { problem } from '../http/problem.ts'
import { readJsonBody } from '../pipe/pipe-text.ts'
import type { Launcher } from '../pipe/running/launcher.ts'
import type { Runs } from '../pipe/runs/run-history.ts'
import { type Run, startModes } from '../pipe/runs/run.ts'
import type { PipeSources } from '../pipe/sources/pipe-sources.ts'
import type { Json } from '../text/json.ts'
import { triggerIdForm } from './trigger-input.ts'
import { units } from './trigger.ts'
import type { Triggers } from './triggers.ts'
import type { FairLimiter } from '../workers/fair-limiter.ts'
import type { Pause } from '../workers/pause.ts'

/** Dependencies of the endpoints. */
export type SchedulerContext = {
  readonly pipes: Pick<PipeSources, 'list' | 'invalid' | 'find' | 'reloadDirectories'>
  readonly launcher: Launcher
  readonly runs: Runs
  readonly triggers: Triggers
  /**
   * Carries out the held removals of a run. Throws `conflict` if it may not or has none any more, `export-failed` if some
   * fail.
   */
  readonly confirm: (runId: string, signal: AbortSignal) => Promise<void>
  readonly keys: ApiKeys
  /** Maximum bytes of a request body. */
  readonly pipeBytes: number
  /** Maximum triggers of one pipe. */
  readonly triggersPerPipe: number
  /** Maximum parallel changing requests of one key. */
  readonly writesPerKey: number
  /** Limits clients that follow runs, because each holds a connection. */
  readonly followers: FairLimiter
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly pause: Pause
  /** Aborted when the service stops; aborts work that goes on after an answer. */
  readonly stopping: AbortSignal
  readonly http: SharedAppOptions
  readonly version: string
}

/** Request body as JSON of at most `pipeBytes`; `undefined` when blank. Throws the failures of `readJsonBody`. */
export const bodyOf = (c: AppContext, { pipeBytes }: SchedulerContext): Promise<Json | undefined> =>
  readJsonBody(c, { bytes: pipeBytes, name: 'pipeBytes' })

/**
 * Reads the pipe directories again if the name is unknown, because the file may have just been written. Only for
 * authenticated requests, because it lists files.
 */
export async function reloadUnknownPipe(
  { pipes, stopping }: SchedulerContext,
  pipeId: string,
  signal: AbortSignal,
): Promise<void> {
  if (!pipes.find(pipeId)) await pipes.reloadDirectories(AbortSignal.any([signal, stopping]))
}

// Parts of endpoint definitions.

const json = 'application/json'

/** Defines an endpoint of the scheduler; statuses that are not declared are problems. */
export const schedulerEndpoint = endpointsFor<SchedulerContext>({ default: problem() })

/** Declares a JSON answer. */
export const answer = (description: string, schema: z.ZodType) => ({
  description,
  content: { [json]: { schema } },
})

/** Declares a JSON body that the handler validates, after the check of its size. */
export const jsonBody = (schema: object, example: unknown) => ({
  required: true,
  content: { [json]: { schema, example } },
})

// Path parameters and headers.

export const pipePath = z.object({
  pipeId: z.string().describe('Name of the pipe, or an id that only one pipe has'),
})
export const triggerPath = pipePath.extend({
  triggerId: z.string().openapi({ pattern: triggerIdForm, maxLength: 200 }),
})

const textHeader = { schema: { type: 'string' as const } }

/** Headers of an answer about one run. */
export const runHeaders = {
  Location: { ...textHeader, description: 'The run' },
}
/** Declares a `Link` header (RFC 8288). */
export const linkHeaders = (description: string) => ({ Link: { ...textHeader, description } })

// Schemas of answers.

const instant = z.iso.datetime()
const configs = z
  .record(z.string(), z.looseObject({}))
  .describe('By segment name: values in place of those of the pipe; arrays are replaced whole')

/** Schema of a trigger in answers. `next` is the coming firing, so that an answer can be sent back as a request. */
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

/** Schema of a pipe file; without name and id if it has no usable pipe. */
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

/** Schema of a pipe document; unknown keys are kept. */
export const pipe = z
  .looseObject({ header: z.looseObject({ name: z.string() }), body: z.looseObject({}) })
  .openapi('Pipe')

// Answers that link runs.

/** URL of a run at the address by which the client reached us. */
export const runAddress = (c: AppContext, { id }: Pick<Run, 'id'>): string =>
  `${c.get('address')}/runs/${encodeURIComponent(id)}`

/** Answers 202 with a run and its `Location`. */
export function accepted(c: AppContext, run: Run): Response {
  return c.json(run, 202, { Location: runAddress(c, run) })
}

/** Adds a `Link` header (RFC 8288) for each started run. */
export function linkRuns(c: AppContext, runs: readonly Run[]): void {
  if (runs.length === 0) return
  c.header('Link', runs.map((run) => `<${runAddress(c, run)}>; rel="run"`).join(', '))
}

/** Adds a `Link` header to the first, previous and next page of a list; one extra entry was requested to detect a next page. */
export function linkPages(
  c: AppContext,
  page: { readonly offset: number; readonly limit: number; readonly hasMore: boolean },
): void {
  const { offset, limit, hasMore } = page
  const link = (rel: string, start: number) => {
    const query = new URL(c.req.url).searchParams
    query.set('offset', String(start))
    query.set('limit', String(limit))
    return `<${c.get('address')}${encodeURI(c.req.path)}?${query.toString()}>; rel="${rel}"`
  }
  const links = [
    link('first', 0),
    ...(offset > 0 ? [link('prev', Math.max(0, offset - limit))] : []),
    ...(hasMore ? [link('next', offset + limit)] : []),
  ]
  c.header('Link', links.join(', '))
}
