/** Problems (RFC 9457) as the contracts of all stations tell them. */

import { z } from '@hono/zod-openapi'

/** The members that every problem has, for contracts that have more. */
export const problemMembers = {
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string().optional(),
  instance: z.string(),
  errors: z.array(z.looseObject({ detail: z.string() })).optional(),
}

const schema = z.looseObject(problemMembers).openapi('Problem')

/** An answer that is a problem. */
export const problem = (description = 'Problem (RFC 9457)') => ({
  description,
  content: { 'application/problem+json': { schema } },
})
