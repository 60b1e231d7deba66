/** Pieces that the routes of the scheduler share. */

import { z, type RouteConfig } from '@hono/zod-openapi'
import { problem } from '../../http/contract/problem.ts'
import { triggerIdForm } from '../reading/trigger.ts'

const json = 'application/json'

type Responses = RouteConfig['responses']

/** Every other status is a problem. */
export const responses = (good: Responses): Responses => ({ ...good, default: problem() })

export const answer = (description: string, schema: z.ZodType) => ({
  description,
  content: { [json]: { schema } },
})

/** A body that is read and checked by its binding: its limits come before its schema. */
export const jsonBody = (schema: object, example: unknown) => ({
  body: { required: true, content: { [json]: { schema, example } } },
})

export const security = [{ ApiKey: [] }, { Bearer: [] }]

export const pipePath = z.object({
  pipeId: z.string().describe('Name of the pipe, or an id that only one pipe has'),
})
export const triggerPath = pipePath.extend({
  triggerId: z.string().openapi({ pattern: triggerIdForm, maxLength: 200 }),
})

const text = { schema: { type: 'string' as const } }

export const runHeaders = {
  Location: { ...text, description: 'The run' },
}
export const linkHeaders = (description: string) => ({ Link: { ...text, description } })
