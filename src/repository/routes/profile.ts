/** The contract of the profile page. */

import { createRoute } from '@hono/zod-openapi'
import * as answers from './parts/answers.ts'

export const profileRoutes = {
  profile: createRoute({
    method: 'get',
    path: '/profile',
    summary: 'The metadata profile: JSON, or its SHACL shapes as RDF',
    description: '`profile.ttl`, `profile.jsonld` and so on are the shapes whatever Accept says.',
    responses: answers.profile,
  }),
}
