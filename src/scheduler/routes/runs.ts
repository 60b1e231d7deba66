/** The contract of runs. */

import { createRoute, z } from '@hono/zod-openapi'
import { stages } from '../../pipe/message.ts'
import { itemStates, runStatuses } from '../../pipe/runs/run.ts'
import { answer, responses, linkHeaders, runHeaders, security } from './parts.ts'
import { problemOfRun, run } from './schemas.ts'

const params = z.object({ runId: z.string() })
const request = { params }
const offset = z.coerce.number().int().min(0).max(1_000_000_000).default(0)
const limit = z.coerce.number().int().min(1).max(1000).default(100)

const reported = z
  .looseObject({
    originalId: z.string().optional(),
    stage: z.string(),
    state: z.string(),
    problem: problemOfRun.optional(),
    time: z.iso.datetime(),
  })
  .openapi('RunItem')

const accepted = (description: string) =>
  responses({ 202: { ...answer(description, run), headers: runHeaders } })

const step = (path: string, summary: string, description: string) =>
  createRoute({
    method: 'post',
    path: `/runs/{runId}/${path}`,
    summary,
    security,
    request,
    responses: accepted(description),
  })

export const runRoutes = {
  list: createRoute({
    method: 'get',
    path: '/runs',
    summary: 'Runs, newest first',
    request: {
      query: z.object({
        pipe: z.string().optional(),
        status: z.enum(runStatuses).optional(),
        catalogue: z.string().optional(),
        offset,
        limit,
      }),
    },
    responses: responses({
      200: { ...answer('Runs', z.array(run)), headers: linkHeaders('first, prev and next page') },
    }),
  }),
  one: createRoute({
    method: 'get',
    path: '/runs/{runId}',
    summary: 'One run',
    request,
    responses: responses({ 200: answer('The run', run) }),
  }),
  items: createRoute({
    method: 'get',
    path: '/runs/{runId}/items',
    summary: 'What a run did one by one; as CSV or NDJSON all of it, streamed',
    security,
    request: {
      params,
      query: z.object({
        state: z.enum(itemStates).optional(),
        stage: z.enum(stages).optional(),
        offset,
        limit,
      }),
    },
    responses: responses({
      200: {
        description: 'Items in order of arrival',
        headers: linkHeaders('first, prev and next page'),
        content: {
          'application/json': { schema: z.array(reported) },
          'text/csv': { schema: z.string() },
          'application/x-ndjson': { schema: z.string() },
        },
      },
    }),
  }),
  report: createRoute({
    method: 'get',
    path: '/runs/{runId}/report',
    summary: 'Counts, problems by kind, and the difference to the run before',
    security,
    request,
    responses: responses({ 200: answer('The report', z.looseObject({ run })) }),
  }),
  events: createRoute({
    method: 'get',
    path: '/runs/{runId}/events',
    summary: 'The run as it goes on (Server-Sent Events): an event "run" per change, "end" last',
    request,
    responses: responses({
      200: {
        description: 'Each event holds the run as JSON',
        content: { 'text/event-stream': { schema: z.string() } },
      },
    }),
  }),
  cancel: createRoute({
    method: 'delete',
    path: '/runs/{runId}',
    summary: 'Cancel a run; it is cancelled when its work in flight has ended',
    security,
    request,
    responses: accepted('The run as it is now'),
  }),
  confirm: step('confirm', 'Carry out the removals that the run holds back', 'The run'),
  resume: step('resume', 'Let an interrupted run go on', 'The run'),
  retry: step('retry', 'Try again what failed in the run', 'The new run'),
}
