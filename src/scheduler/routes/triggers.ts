/** The contract of triggers. */

import { createRoute, z } from '@hono/zod-openapi'
import {
  answer,
  responses,
  jsonBody,
  linkHeaders,
  pipePath,
  runHeaders,
  security,
  triggerPath,
} from './parts.ts'
import { run, trigger, triggers, triggersByPipe } from './schemas.ts'

const example = {
  id: 'daily',
  status: 'enabled',
  interval: { unit: 'DAY', value: 1 },
  next: '2027-01-01T04:00:00Z',
}
const ref = { $ref: '#/components/schemas/Trigger' }
const array = { type: 'array', items: ref }
const started = linkHeaders('rel="run": each run that was started at once')

const path = '/triggers/{pipeId}'
const one = '/pipes/{pipeId}/triggers/{triggerId}'

export const triggerRoutes = {
  all: createRoute({
    method: 'get',
    path: '/triggers',
    summary: 'The triggers of all pipes that have some, with their coming and last firing',
    responses: responses({ 200: answer('Triggers by pipe', triggersByPipe) }),
  }),
  replaceAll: createRoute({
    method: 'put',
    path: '/triggers',
    summary: 'Replace all triggers; those that start at once are started and not kept',
    security,
    request: jsonBody(
      {
        oneOf: [
          { ...array, description: 'The id of each trigger names its pipe' },
          { type: 'object', additionalProperties: array, description: 'By pipe' },
        ],
      },
      { city: [example] },
    ),
    responses: responses({
      200: { ...answer('Triggers by pipe', triggersByPipe), headers: started },
    }),
  }),
  ofPipe: createRoute({
    method: 'get',
    path,
    summary: 'The triggers of a pipe',
    request: { params: pipePath },
    responses: responses({ 200: answer('Triggers', triggers) }),
  }),
  replace: createRoute({
    method: 'put',
    path,
    summary: 'Replace the triggers of a pipe; those that start at once are started and not kept',
    security,
    request: { params: pipePath, ...jsonBody({ oneOf: [array, ref] }, [example]) },
    responses: responses({
      200: { ...answer('Triggers', triggers), headers: started },
      201: { ...answer('The first triggers of the pipe', triggers), headers: started },
    }),
  }),
  clear: createRoute({
    method: 'delete',
    path,
    summary: 'Delete the triggers of a pipe',
    security,
    request: { params: pipePath },
    responses: responses({ 200: answer('What was deleted', triggers) }),
  }),
  turn: createRoute({
    method: 'get',
    path: '/triggers/{pipeId}/{triggerId}/{status}',
    summary: 'Switch a trigger on or off; a GET that changes something and needs a key',
    security,
    request: {
      params: triggerPath.extend({
        status: z.string().describe('enabled or disabled; enable and disable mean the same'),
      }),
    },
    responses: responses({ 200: answer('The trigger', trigger) }),
  }),
  one: createRoute({
    method: 'get',
    path: one,
    summary: 'One trigger',
    request: { params: triggerPath },
    responses: responses({ 200: answer('The trigger', trigger) }),
  }),
  put: createRoute({
    method: 'put',
    path: one,
    summary: 'Set one trigger; one that starts at once is started and not kept',
    security,
    request: { params: triggerPath, ...jsonBody(ref, example) },
    responses: responses({
      200: answer('The trigger in place of the one before', trigger),
      201: answer('The new trigger', trigger),
      202: { ...answer('The run that was started', run), headers: runHeaders },
    }),
  }),
  remove: createRoute({
    method: 'delete',
    path: one,
    summary: 'Delete one trigger',
    security,
    request: { params: triggerPath },
    responses: responses({ 200: answer('What was deleted', trigger) }),
  }),
}
