/** Shared by the endpoints of the scheduler: their dependencies, parts of the contract, and answers that name runs. */

import { z } from '@hono/zod-openapi'
import type { ApiKeys } from '../http/api-key.ts'
import type { AppContext, AppOptions } from '../http/app.ts'
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

/** The dependencies of the scheduler's endpoints; put together in `main`. */
export type SchedulerContext = {
  readonly pipes: Pick<PipeSources, 'list' | 'invalid' | 'find' | 'look'>
  readonly launcher: Launcher
  readonly runs: Runs
  readonly triggers: Triggers
  /** Carries out the removals that a run holds back; `Failure` `conflict` when it holds none any more. */
  readonly confirm: (runId: string, signal: AbortSignal) => Promise<void>
  readonly keys: ApiKeys
  /** Bytes of a request body. */
  readonly pipeBytes: number
  /** Triggers of one pipe. */
  readonly triggersPerPipe: number
  /** Changing requests of one key at once. */
  readonly writesPerKey: number
  /** Slots of those who follow a run, each of whom holds a connection. */
  readonly followers: FairLimiter
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly pause: Pause
  /** Aborted when the service stops, and with it the work that goes on after an answer. */
  readonly ending: AbortSignal
  readonly http: Omit<AppOptions, 'name'>
  readonly version: string
}

/** The body as JSON; undefined when it is blank. Throws `malformed-json`, `too-large`. */
export const bodyOf = (c: AppContext, { pipeBytes }: SchedulerContext): Promise<Json | undefined> =>
  readJsonBody(c, { bytes: pipeBytes, name: 'pipeBytes' })

/**
 * Reads the pipe files again when no pipe has this name, because it may have been written a moment ago. For requests with a key only:
 * it costs a list of files.
 */
export async function lookForNewPipe(
  { pipes, ending }: SchedulerContext,
  pipeId: string,
  signal: AbortSignal,
): Promise<void> {
  if (!pipes.find(pipeId)) await pipes.look(AbortSignal.any([signal, ending]))
}

// Parts of the contract.

const json = 'application/json'

/** Defines an endpoint of the scheduler; every status that is not among its answers is a problem. */
export const schedulerEndpoint = endpointsFor<SchedulerContext>({ default: problem() })

/** An answer in JSON. */
export const answer = (description: string, schema: z.ZodType) => ({
  description,
  content: { [json]: { schema } },
})

/** A body that is read and checked by its handler: its limits come before its schema. */
export const jsonBody = (schema: object, example: unknown) => ({
  required: true,
  content: { [json]: { schema, example } },
})

// Parameters in paths, and headers of answers.

export const pipePath = z.object({
  pipeId: z.string().describe('Name of the pipe, or an id that only one pipe has'),
})
export const triggerPath = pipePath.extend({
  triggerId: z.string().openapi({ pattern: triggerIdForm, maxLength: 200 }),
})

const textHeader = { schema: { type: 'string' as const } }

/** Of answers that name one run. */
export const runHeaders = {
  Location: { ...textHeader, description: 'The run' },
}
/** `Link` (RFC 8288); the description says where to. */
export const linkHeaders = (description: string) => ({ Link: { ...textHeader, description } })

// What the scheduler answers, as schemas of its contract.

const instant = z.iso.datetime()
const configs = z
  .record(z.string(), z.looseObject({}))
  .describe('By segment name: values in place of those of the pipe; arrays are replaced whole')

/** A trigger as it is read; `next` is what comes, so that what was read can be sent again. */
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

/** A file of a pipe; without name and id where it cannot be read. */
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

/** The document of a pipe: unknown keys stay. */
export const pipe = z
  .looseObject({ header: z.looseObject({ name: z.string() }), body: z.looseObject({}) })
  .openapi('Pipe')

// Answers that name runs.

/** By the address under which the client has reached us. */
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
