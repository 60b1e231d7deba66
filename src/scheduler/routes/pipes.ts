/** The contract of pipes. */

import { createRoute, z } from '@hono/zod-openapi'
import { answer, responses, jsonBody, pipePath, runHeaders, security } from './parts.ts'
import { listedPipe, pipe, run } from './schemas.ts'

const launch = {
  type: 'object',
  properties: {
    configs: { type: 'object', additionalProperties: { type: 'object' } },
    startMode: { type: 'string', enum: ['drop', 'restart', 'append', 'concurrent'] },
    dryRun: { type: 'boolean', description: 'Nothing is written' },
    limit: { type: 'integer', minimum: 1, description: 'Records of a dry run, 20 by default' },
  },
}

export const pipeRoutes = {
  list: createRoute({
    method: 'get',
    path: '/pipes',
    summary: 'All pipes, those that cannot be read too, with their problems',
    responses: responses({ 200: answer('Pipes', z.array(listedPipe)) }),
  }),
  one: createRoute({
    method: 'get',
    path: '/pipes/{pipeId}',
    summary: 'One pipe, its secrets hidden',
    request: { params: pipePath },
    responses: responses({ 200: answer('The pipe', pipe) }),
  }),
  launch: createRoute({
    method: 'post',
    path: '/pipes/{pipeId}/runs',
    summary: 'Start a run of a pipe',
    security,
    request: {
      params: pipePath,
      body: { ...jsonBody(launch, { dryRun: true }).body, required: false },
    },
    responses: responses({ 202: { ...answer('The run', run), headers: runHeaders } }),
  }),
  health: createRoute({
    method: 'get',
    path: '/health',
    summary: 'Whether the scheduler works, and whether this process is the one that fires',
    responses: responses({
      200: answer(
        'State',
        z.object({ status: z.string(), leads: z.boolean(), pipes: z.int(), active: z.int() }),
      ),
    }),
  }),
}
