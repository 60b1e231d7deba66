/** Resources of the types that the profile adds. */

import {
  type RecordText,
  type AnswerContext,
  recordAnswer,
  idsAnswer,
  recordId,
  stateAnswers,
} from './search-answers.ts'
import type { App } from '../http/shell/context.ts'
import type { SearchDeps } from './search-deps.ts'
import { longAnswer } from '../http/shell/flow.ts'
import { createRoute, z } from '@hono/zod-openapi'
import { Failure } from '../errors.ts'
import type { ResourceType } from '../profile/profile.ts'
import type { SearchIndex } from '../search-index/search-index.ts'
import type { Reference } from './answer-schemas.ts'
import { idsOf, recordModified } from './record-routes.ts'

/** Without types of its own a profile has no such paths. */
export function bindResourceReads(
  app: App,
  { index, profile }: SearchDeps,
  { schemas, tagged }: AnswerContext,
): void {
  const types = profile.resources
  if (!schemas.resource) return
  const routes = resourceRoutes(types, schemas.resource)
  app.openapi(routes.types, (c) =>
    tagged(c, () => Promise.resolve(c.json(types.map(({ id }) => id)))),
  )
  app.openapi(routes.resources, (c) =>
    tagged(c, () =>
      longAnswer(c, async () =>
        c.json(await resourceIds(index, types, c.req.valid('param').type, c.var.signal)),
      ),
    ),
  )
  app.openapi(routes.resource, async (c) =>
    recordAnswer(c, await resource(index, types, c.req.valid('param'), c.var.signal)),
  )
}

type Wanted = { readonly type: string; readonly id: string }

/** Ids of all resources of a type, ascending. Throws `not-found` when there is no such type. */
function resourceIds(
  index: SearchIndex,
  types: readonly ResourceType[],
  type: string,
  signal?: AbortSignal,
): Promise<string[]> {
  return idsOf(index, `resource_${known(types, type)}`, signal)
}

/** One resource. Throws `unknown-resource`, `not-found` when there is no such type. */
async function resource(
  index: SearchIndex,
  types: readonly ResourceType[],
  { type, id }: Wanted,
  signal?: AbortSignal,
): Promise<RecordText> {
  const text = await index.get(`resource_${known(types, type)}`, id, signal)
  if (text === undefined) throw new Failure('unknown-resource', `there is no ${type} ${id}`)
  const modified = recordModified(JSON.parse(text))
  return { text, ...(modified && { modified }) }
}

function known(types: readonly ResourceType[], type: string): string {
  if (types.some(({ id }) => id === type)) return type
  const all = types.map(({ id }) => id).join(', ')
  throw new Failure('not-found', `the profile has no type ${type}, only ${all}`)
}

// The contract of the types that a profile adds.

const resourceRoutes = (types: readonly ResourceType[], schema: Reference) => {
  const type = z.string().meta({ examples: types.map(({ id }) => id) })
  return {
    types: createRoute({
      method: 'get',
      path: '/resources',
      summary: 'Ids of the types that the profile adds',
      responses: idsAnswer,
    }),
    resources: createRoute({
      method: 'get',
      path: '/resources/{type}',
      summary: 'Ids of all resources of a type',
      request: { params: z.object({ type }) },
      responses: idsAnswer,
    }),
    resource: createRoute({
      method: 'get',
      path: '/resources/{type}/{id}',
      summary: 'One resource of a type',
      request: { params: z.object({ type, id: recordId }) },
      responses: stateAnswers('The resource', schema),
    }),
  }
}
