/** The contract of what the service says about itself. */

import { createRoute, z, type RouteConfig } from '@hono/zod-openapi'
import { problem } from '../../http/contract/problem.ts'
import { answers, json } from './answers.ts'

const turtle = { 'text/turtle': { schema: z.string() } }

const profileAnswers: RouteConfig['responses'] = {
  200: {
    description: 'The profile; its shapes for clients that prefer Turtle',
    content: { [json]: { schema: z.looseObject({}) }, ...turtle },
  },
  default: problem(),
}

const shapesAnswers: RouteConfig['responses'] = {
  200: { description: 'SHACL shapes', content: turtle },
  default: problem(),
}

export const aboutRoutes = {
  profile: createRoute({
    method: 'get',
    path: '/profile',
    summary: 'The active profile',
    responses: profileAnswers,
  }),
  shapes: createRoute({
    method: 'get',
    path: '/profile.ttl',
    summary: 'The shapes of the active profile',
    responses: shapesAnswers,
  }),
  health: createRoute({
    method: 'get',
    path: '/health',
    summary:
      'Whether the search engine answers, the hash of the profile, and how many documents there are',
    responses: answers(
      'State',
      z.object({
        status: z.string(),
        profile: z.string(),
        documents: z.record(z.string(), z.int()),
      }),
    ),
  }),
}
