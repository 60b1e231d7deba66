/** The contract of `/resources`: every route of `/datasets` once more, under the other name. */

import { z, type RouteConfig } from '@hono/zod-openapi'
import { aliasOf } from '../resource-aliases.ts'
import { origin } from './parts/parameters.ts'

const posted = z.object({
  resourceId: origin.shape.originalId
    .optional()
    .openapi({ description: 'A wished id at the origin; when it is taken another one is made' }),
})

/** The aliases of the routes that have one, for the OpenAPI document: requests to them meet the routes themselves. */
export function aliases(routes: readonly RouteConfig[]): RouteConfig[] {
  return routes.flatMap((route) => {
    const path = aliasOf(route.path)
    if (path === undefined) return []
    const summary = `${route.summary ?? route.path} (as ${route.path})`
    return [{ ...route, path, summary, request: { ...route.request, ...wishOf(route) } }]
  })
}

function wishOf({ path, method, request }: RouteConfig): { query?: z.ZodObject } {
  if (!path.endsWith('/datasets') || method !== 'post') return {}
  const known = request?.query instanceof z.ZodObject ? request.query : z.object({})
  return { query: known.extend(posted.shape) }
}
