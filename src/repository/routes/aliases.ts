/**
 * `/resources` as another name of `/datasets`: an alias is the same route under another path, not a second one. Requests to it
 * meet the route itself; the OpenAPI document shows it.
 */

import { z, type RouteConfig } from '@hono/zod-openapi'
import type { App } from '../../http/app.ts'
import { repositoryParameters } from './parameters.ts'

const alias = /^(\/catalogues\/[^/]+)?\/resources(?=\/|$)/
const twin = /^(\/catalogues\/[^/]+)?\/datasets(?=\/|$)/

/** The path that a path is an alias of, or the path itself. */
export const twinOf = (path: string): string => path.replace(alias, '$1/datasets')

/** A permission for an alias is one for its twin. */
export function twinOfPermission(permission: string): string {
  const [method, path, ...rest] = permission.split(/ +/)
  return method === undefined || path === undefined || rest.length > 0
    ? permission
    : `${method} ${twinOf(path)}`
}

/** Whether the address of a list, or of a POST to it, is that of an alias. */
export const cameByAlias = (url: string): boolean => /\/resources\/?$/.test(new URL(url).pathname)

const posted = z.object({
  resourceId: repositoryParameters.origin.shape.originalId.optional().openapi({
    description: 'The preferred id at the origin; when it is taken another one is made',
  }),
})

/** Shows the aliases of the routes that have been added so far. */
export function showAliases({ openAPIRegistry }: App): void {
  for (const definition of openAPIRegistry.definitions.slice()) {
    if (definition.type !== 'route' || !twin.test(definition.route.path)) continue
    const { route } = definition
    const path = route.path.replace(twin, '$1/resources')
    const summary = `${route.summary ?? route.path} (as ${route.path})`
    const request = { ...route.request, ...preferredId(route) }
    openAPIRegistry.registerPath({ ...route, path, summary, request })
  }
}

function preferredId({ path, method, request }: RouteConfig): { query?: z.ZodObject } {
  if (!path.endsWith('/datasets') || method !== 'post') return {}
  const known = request?.query instanceof z.ZodObject ? request.query : z.object({})
  return { query: known.extend(posted.shape) }
}
