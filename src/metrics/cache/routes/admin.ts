/** The contract of administration. */

import { createRoute, z } from '@hono/zod-openapi'
import { content, idPath, responses, security } from './parts.ts'
import { health, schedule } from './schemas.ts'

const reference = { $ref: '#/components/schemas/Schedule' }
const example = { id: 'nightly', status: 'enabled', cron: '0 3 * * *' }

const accepted = {
  202: {
    description: 'It is being done; what is served changes when it is complete',
    headers: {
      Link: {
        schema: { type: 'string' as const },
        description: 'rel="monitor": where the progress can be read',
      },
    },
  },
}

export const extents = ['catalogues', 'countries', 'global'] as const

export const adminRoutes = {
  refresh: createRoute({
    method: 'post',
    path: '/admin/refresh',
    summary: 'Make all figures anew from the metrics graphs; joins a refresh that runs',
    security,
    responses: responses(accepted),
  }),
  refreshPart: createRoute({
    method: 'post',
    path: '/admin/refresh/{scope}/{id}',
    summary: 'The same for a catalogue or a country, and for what they are part of',
    security,
    request: {
      params: z.object({
        scope: z.enum(extents),
        id: z.string().describe('Of the catalogue or the country; global has none'),
      }),
    },
    responses: responses(accepted),
  }),
  clear: createRoute({
    method: 'post',
    path: '/admin/clear',
    summary: 'Remove all figures and their history; the metrics graphs stay',
    security,
    responses: responses({ 202: { description: 'They are removed' } }),
  }),
  schedules: createRoute({
    method: 'get',
    path: '/admin/schedule',
    summary: 'When the figures are made anew by themselves, beside once a day',
    security,
    responses: responses({ 200: content('Schedules', z.array(schedule)) }),
  }),
  schedule: createRoute({
    method: 'post',
    path: '/admin/schedule',
    summary: 'Set a schedule, in place of the one with its id',
    security,
    request: {
      // Read and checked by its binding: its bounds come before its schema.
      body: { required: true, content: { 'application/json': { schema: reference, example } } },
    },
    responses: responses({ 202: content('The schedule', schedule) }),
  }),
  forget: createRoute({
    method: 'delete',
    path: '/catalogues/{id}',
    summary: 'Remove the figures of a catalogue and their history; the metrics graphs stay',
    security,
    request: { params: idPath },
    responses: responses({ 200: { description: 'They are removed' } }),
  }),
  health: createRoute({
    method: 'get',
    path: '/health',
    summary: 'The last refresh, and how far one that runs has come',
    responses: responses({ 200: content('The state', health) }),
  }),
} as const
