/** What the search service answers, as parts of its contract. */

import { z, type RouteConfig } from '@hono/zod-openapi'
import { problem } from '../../http/contract/problem.ts'
import type { Reference } from '../contract/schemas.ts'

export const json = 'application/json'

export const answers = (
  description: string,
  schema: z.ZodType | Reference,
): RouteConfig['responses'] => ({
  200: { description, content: { [json]: { schema } } },
  default: problem(),
})

/** The answer carries an entity tag, so that a client may ask whether it changed. */
export const stateAnswers = (
  description: string,
  schema: z.ZodType | Reference,
): RouteConfig['responses'] => ({
  ...answers(description, schema),
  304: { description: 'Not changed since the state named in If-None-Match' },
})

/** A list of ids, ascending by code point. */
export const idsAnswer = stateAnswers('Ids, ascending', z.array(z.string()))
