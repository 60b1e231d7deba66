/** Endpoints of pipes: list, read, launch; and the health of the scheduler. */

import { z } from '@hono/zod-openapi'
import { invalidParameter } from '../errors.ts'
import { anyone, mayCall } from '../http/endpoint.ts'
import { invalidRequest } from '../http/problem.ts'
import { catalogueOf, withConfigs } from '../pipe/pipe-check.ts'
import { toJson, type Json } from '../text/json.ts'
import { runSchema, startModes } from '../pipe/runs/run.ts'
import type { InvalidFile, PipeEntry } from '../pipe/sources/pipe-files.ts'
import { maskSecrets } from './masking.ts'
import {
  accepted,
  answer,
  jsonBody,
  listedPipe,
  pipe,
  reloadUnknownPipe,
  pipePath,
  runAddress,
  runHeaders,
  bodyOf,
  type SchedulerContext,
  schedulerEndpoint,
} from './scheduler-contract.ts'
import { pipeActive, unknownPipes } from './trigger-changes.ts'
import { configs, startMode } from './trigger-input.ts'

/**
 * Body of a launch. Unknown members are refused, because a misspelt one would start another run than intended. `limit` bounds
 * the records of every run, not only of dry runs; a run that reaches it is incomplete. The body is checked after its size;
 * therefore the contract repeats it.
 */
const launchBody = z.strictObject({
  configs: configs.optional(),
  startMode: startMode.optional(),
  dryRun: z.boolean().optional(),
  limit: z.int().min(1).max(1_000_000).optional(),
})

const launchSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    configs: { type: 'object', additionalProperties: { type: 'object' } },
    startMode: { type: 'string', enum: startModes },
    dryRun: { type: 'boolean', description: 'Nothing is written' },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: 1_000_000,
      description:
        'Most records of the run, which is incomplete when it reaches them; by default 20 for a dry run, otherwise all',
    },
  },
}

/** Health: `leads` says whether triggers fire in this process; `active` is the number of running and waiting runs. */
const health = z.object({ status: z.string(), leads: z.boolean(), pipes: z.int(), active: z.int() })

const listPipes = schedulerEndpoint({
  method: 'get',
  path: '/pipes',
  operation: 'getPipes',
  summary: 'All pipes, those that cannot be read too, with their problems',
  auth: anyone,
  answers: { 200: answer('Pipes', z.array(listedPipe)) },
  handle: (_, { pipes }) => [
    ...pipes.list().map(listEntry),
    ...pipes.invalid().map(unreadableEntry),
  ],
})

const readPipe = schedulerEndpoint({
  method: 'get',
  path: '/pipes/{pipeId}',
  operation: 'getPipesByPipeId',
  summary: 'One pipe, its secrets hidden',
  auth: anyone,
  params: pipePath,
  answers: { 200: answer('The pipe', pipe) },
  handle: ({ params }, context) => maskSecrets(toJson(pipeAt(context, params.pipeId).pipe)),
})

const readHealth = schedulerEndpoint({
  method: 'get',
  path: '/health',
  operation: 'getHealth',
  summary: 'Whether the scheduler works, and whether this process is the one that fires',
  auth: anyone,
  answers: { 200: answer('State', health) },
  handle: (_, { launcher, pipes, triggers }) => {
    const active = launcher.active().length
    return { status: 'up', leads: triggers.isLeader(), pipes: pipes.list().length, active }
  },
})

/** Launches a pipe: 202 with the new run, or 409 with a link to the active run, depending on `startMode`. */
const launchPipe = schedulerEndpoint({
  method: 'post',
  path: '/pipes/{pipeId}/runs',
  operation: 'postPipesByPipeIdRuns',
  summary: 'Start a run of a pipe',
  auth: mayCall,
  params: pipePath,
  body: { ...jsonBody(launchSchema, { dryRun: true }), required: false },
  answers: { 202: { ...answer('The run', runSchema), headers: runHeaders } },
  handle: async ({ c, params: { pipeId }, signal }, context) => {
    await reloadUnknownPipe(context, pipeId, signal)
    const { pipe } = pipeAt(context, pipeId)
    const member = Object.keys(launchSchema.properties).find(
      (name) => c.req.query(name) !== undefined,
    )
    if (member !== undefined)
      throw invalidParameter(member, `${member} is a member of the JSON body`)
    const launch = launchOf(await bodyOf(c, context))
    if (launch.configs) withConfigs(pipe, launch.configs)
    const { name } = pipe.header
    const launched = context.launcher.launch({ ...launch, pipe: name, startedBy: 'api' })
    if ('run' in launched) return accepted(c, launched.run)
    throw pipeActive(name, runAddress(c, launched.dropped))
  },
})

export const pipeEndpoints = [launchPipe, listPipes, readPipe, readHealth]

/** Finds a pipe by name, else by a unique id. Throws `unknown-pipe`. */
function pipeAt({ pipes }: SchedulerContext, pipeId: string): PipeEntry {
  const entry = pipes.find(pipeId)
  if (entry) return entry
  throw unknownPipes([pipeId])
}

/** Parses the body of a launch; empty means all defaults. Throws `invalid-parameter`. */
function launchOf(body: Json | undefined) {
  const result = launchBody.safeParse(body ?? {})
  if (!result.success) throw invalidRequest(result.error.issues, 'json', body)
  return result.data
}

/** List entry of a pipe: origin, segment names, problems. */
function listEntry({ pipe, source, file, problems }: PipeEntry) {
  const { name, id, title } = pipe.header
  const segments = pipe.body.segments.map(({ header }) => header.name)
  const catalogue = catalogueOf(pipe.body.segments)
  return { name, id, title, catalogue, source, file, segments, problems }
}

/** List entry of a file without a usable pipe. */
const unreadableEntry = (invalid: InvalidFile) => ({ ...invalid, segments: [] })
