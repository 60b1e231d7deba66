/** The contract of the profile page. */

import { createRoute } from '@hono/zod-openapi'
import * as answers from './parts/answers.ts'

export const profileRoutes = {
  profile: createRoute({
    method: 'get',
    path: '/profile',
    summary: 'The metadata profile: JSON, or the SHACL shapes as Turtle',
    responses: answers.profile,
  }),
}
