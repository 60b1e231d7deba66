/** Binds the routes of pipes. */

import { createRoute, z } from '@hono/zod-openapi'
import type { App } from '../http/app.ts'
import { invalid } from '../http/shell/complaints.ts'
import { configured } from '../pipe/configure.ts'
import type { Json, JsonObject } from '../pipe/document.ts'
import type { InvalidFile, KnownPipe } from '../pipe/sources/known-pipes.ts'
import type { SchedulerContext } from './scheduler-context.ts'
import { masked } from './masking.ts'
import { configs, readJsonBody, startMode } from './trigger-input.ts'
import {
  accepted,
  answer,
  jsonBody,
  listedPipe,
  pipe,
  pipePath,
  responses,
  run,
  runAddress,
  runHeaders,
  security,
} from './scheduler-contract.ts'
import { conflicting, unknownPipes } from './trigger-changes.ts'

export function bindPipes(app: App, deps: SchedulerContext): void {
  const { pipes, launcher, triggers } = deps
  const known = (pipeId: string) => {
    const found = pipes.find(pipeId)
    if (found) return found
    throw unknownPipes([pipeId])
  }
  app.openapi(pipeRoutes.list, (c) =>
    c.json([...pipes.list().map(listed), ...pipes.invalid().map(unread)]),
  )
  app.openapi(pipeRoutes.one, (c) => c.json(shownPipe(known(c.req.valid('param').pipeId).pipe)))
  app.openapi(pipeRoutes.launch, async (c) => {
    const { pipe } = known(c.req.valid('param').pipeId)
    const wish = launchOf(await readJsonBody(c, deps.pipeBytes))
    if (wish.configs) configured(pipe, wish.configs)
    const launched = launcher.launch({ ...wish, pipe: pipe.header.name, startedBy: 'api' })
    if ('run' in launched) return accepted(c, launched.run)
    throw conflicting(pipe.header.name, runAddress(c, launched.dropped))
  })
  app.openapi(pipeRoutes.health, (c) =>
    c.json({
      status: 'up',
      leads: triggers.leads(),
      pipes: pipes.list().length,
      active: launcher.active().length,
    }),
  )
}

const launchBody = z.object({
  configs: configs.optional(),
  startMode: startMode.optional(),
  dryRun: z.boolean().optional(),
  limit: z.int().min(1).max(1_000_000).optional(),
})

function launchOf(body: Json | undefined) {
  const result = launchBody.safeParse(body ?? {})
  if (!result.success) throw invalid(result.error.issues, 'json', body)
  const { configs, startMode, dryRun, limit } = result.data
  return {
    ...(configs && { configs }),
    ...(startMode && { startMode }),
    ...(dryRun !== undefined && { dryRun }),
    ...(limit !== undefined && { limit }),
  }
}

function listed({ pipe, source, file, problems }: KnownPipe) {
  const { name, id, title } = pipe.header
  const segments = pipe.body.segments.map(({ header }) => header.name)
  return { name, id, ...(title !== undefined && { title }), source, file, segments, problems }
}

/** What cannot be read has no name that is certain. */
const unread = ({ source, file, problems }: InvalidFile) => ({
  source,
  file,
  segments: [],
  problems,
})

const shownPipe = (pipe: KnownPipe['pipe']): JsonObject => {
  const whole: JsonObject = JSON.parse(JSON.stringify(pipe))
  return masked(whole)
}

// The contract of pipes.

const launch = {
  type: 'object',
  properties: {
    configs: { type: 'object', additionalProperties: { type: 'object' } },
    startMode: { type: 'string', enum: ['drop', 'restart', 'append', 'concurrent'] },
    dryRun: { type: 'boolean', description: 'Nothing is written' },
    limit: { type: 'integer', minimum: 1, description: 'Records of a dry run, 20 by default' },
  },
}

const pipeRoutes = {
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
