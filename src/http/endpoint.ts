/**
 * Endpoints as data: the contract of a route, who may call it, and its handler in one value. `mount` registers them and nothing
 * else registers routes; OpenAPI security, 401, 403 and the permission matrix of the tests follow from `auth`.
 */

import { createRoute, type RouteConfig, type z } from '@hono/zod-openapi'
import type { MiddlewareHandler } from 'hono'
import { Failure } from '../errors.ts'
import { type Action, type ApiKeys, isPermitted } from './api-key.ts'
import type { App, AppContext, AppEnv, Key } from './context.ts'
import { changingGet } from './headers.ts'
import { problem } from './problem.ts'
import type { Role } from './roles.ts'

type Responses = RouteConfig['responses']

type MaybePromise<T> = T | Promise<T>

/** Who may call an endpoint. `Services` are the dependencies of its handler. */
export type Auth<Services> = {
  /**
   * `nothing`: open to anyone. `key`: any key; the handler limits its answer to what the key permits. `permission`: a key, as
   * `isPermitted` says. `session`: a session of the portal, which `check` looks for.
   */
  readonly needs: 'nothing' | 'key' | 'permission' | 'session'
  /** Least role in the catalogue that is permitted; by default `steward`. */
  readonly role?: Role
  /** The id of the catalogue that the requested resource is in; a key for that catalogue is permitted too. */
  readonly catalogueOf?: (c: AppContext, services: Services) => MaybePromise<string | undefined>
  /** The action whose permission is needed, where it is not that of the method and the path. */
  readonly action?: Action
  /** A further action whose permission suffices. */
  readonly orElse?: Action
  /** Checks a permitted request before its parameters are read: throws the refusal, or answers in place of the handler. */
  readonly check?: (c: AppContext, services: Services) => MaybePromise<Response | undefined>
}

/** Open to anyone. */
export const anyone: Auth<unknown> = { needs: 'nothing' }

/** A key whose permission covers the method and the path. */
export const mayCall: Auth<unknown> = { needs: 'permission' }

/** A key whose permission covers the method and the path, or the catalogue that `catalogueOf` answers. */
export const mayCallFor = <Services>(
  catalogueOf: NonNullable<Auth<Services>['catalogueOf']>,
): Auth<Services> => ({ needs: 'permission', catalogueOf })

/** A key whose permission covers the method and the path, or grants a role in the catalogue that `catalogueOf` answers. */
export const mayAs = <Services>(
  role: Role,
  catalogueOf: NonNullable<Auth<Services>['catalogueOf']>,
): Auth<Services> => ({ needs: 'permission', role, catalogueOf })

type EndpointRequest<Params extends z.ZodObject, Query extends z.ZodObject> = {
  readonly params: z.output<Params>
  readonly query: z.output<Query>
  /** Aborts when the client leaves or the time limit is reached. */
  readonly signal: AbortSignal
  readonly c: AppContext
}

type CommonDefinition<Services> = {
  readonly method: 'get' | 'put' | 'post' | 'patch' | 'delete'
  readonly path: `/${string}`
  /** Id of the operation, by which generators of clients name it; unique in its service. */
  readonly operation: string
  /** Group of the operation on the page of the contract; by default the first word of the path. */
  readonly tag?: string
  readonly summary: string
  readonly auth: Auth<Services>
}

/** The path is in the form of OpenAPI: `/runs/{runId}`. Parameters of the path and bodies have examples. */
type Definition<
  Services,
  Params extends z.ZodObject,
  Query extends z.ZodObject,
> = CommonDefinition<Services> & {
  readonly description?: string | undefined
  readonly params?: Params | undefined
  readonly query?: Query | undefined
  /** Parameters that are only described: the handler reads and checks them. */
  readonly parameters?: RouteConfig['parameters']
  /** Described only: the handler reads and checks the body, because its size comes before its schema. */
  readonly body?: NonNullable<RouteConfig['request']>['body']
  readonly answers: Responses
  readonly isDeprecated?: true
  /** Served, and left out of the OpenAPI document: a further path of an endpoint that is described elsewhere. */
  readonly isHidden?: true
  /** A GET that changes something, as older clients send it: no page of another site, no prefetch and no HEAD may. */
  readonly isChangingGet?: boolean
  /** The handler; what is not a `Response` is sent as JSON with 200. */
  readonly handle: (
    request: EndpointRequest<Params, Query>,
    services: Services,
  ) => MaybePromise<Response | object>
}

/** The path is in the form of Hono: `/:language/harvest/:kind{pipes|runs}/:id`. */
type PageDefinition<Services> = Omit<CommonDefinition<Services>, 'method'> & {
  /** By default GET. */
  readonly method?: 'get' | 'post'
  /** A path that the endpoint answers, where the default has no file or query that tells more. */
  readonly example?: string
  /** The handler. */
  readonly page: (c: AppContext, services: Services) => MaybePromise<Response>
}

/** An endpoint that `mount` registers. */
export type Endpoint<Services> = {
  readonly route: ReturnType<typeof createRoute<string, RouteConfig & { path: string }>>
  /** A path that the endpoint answers; the contracts of parameters and bodies may have further examples. */
  readonly example: string
  readonly auth: Auth<Services>
  readonly isChangingGet: boolean
  readonly handle: (c: AppContext, services: Services) => Promise<Response>
}

/** First segment of a path that is no parameter. */
const tagOf = (path: string): string =>
  path.split('/').find((segment) => /^[a-z]/i.test(segment)) ?? 'root'

/** Name of a path parameter → example; the example of all others is `levels`. */
const examples: Readonly<Record<string, string>> = {
  language: 'en',
  lang: 'en',
  catalogueId: 'rivers',
  vocabulary: 'file-type',
  vocabularyId: 'file-type',
  facet: 'publisher',
  type: 'data-service',
  kind: 'runs',
  scope: 'catalogues',
  status: 'enabled',
  n: '1',
  view: 'about',
  action: 'package_list',
}

/** A path that the pattern of a route matches: `/datasets/{datasetId}` or `/datasets/:id` → `/datasets/levels`. */
const exampleOf = (pattern: string): string =>
  pattern
    .replace(
      /:(\w+)(?:\{[^/]*\})?|\{(\w+)\}/g,
      (_, plain: string | undefined, braced?: string) =>
        examples[plain ?? braced ?? ''] ?? 'levels',
    )
    .replace('/*', '/levels')

/** Security requirements with the least role, which OpenAPI 3.1 permits for keys too. */
const securityOf = ({ role }: Pick<Auth<never>, 'role'>): Record<string, string[]>[] => {
  const needed = role ? [role] : []
  return [{ ApiKey: needed }, { Bearer: needed }]
}

const refusals: Responses = {
  401: problem('No valid API key'),
  403: problem('The key lacks the permission'),
}

/** Makes the function that defines the endpoints of a service. `common` are answers that all of them have. */
export const endpointsFor =
  <Services>(common: Responses) =>
  <Params extends z.ZodObject, Query extends z.ZodObject>(
    definition: Definition<Services, Params, Query>,
  ): Endpoint<Services> => {
    const { method, path, operation, tag = tagOf(path), summary, description, auth } = definition
    const { params, query, parameters, body, answers } = definition
    const { isDeprecated, isHidden, isChangingGet = false } = definition
    const isOpen = auth.needs === 'nothing'
    const route = createRoute({
      method,
      path,
      operationId: operation,
      tags: [tag],
      summary,
      ...(description !== undefined && { description }),
      ...(isDeprecated && { deprecated: true }),
      ...(isHidden && { hide: true }),
      ...(parameters && { parameters }),
      ...(!isOpen && { security: securityOf(auth) }),
      request: { ...(params && { params }), ...(query && { query }), ...(body && { body }) },
      responses: { ...(!isOpen && refusals), ...answers, ...common },
    })
    const handle = async (c: AppContext, services: Services) => {
      const input = { params: validated(c, params, 'param'), query: validated(c, query, 'query') }
      const answer = await definition.handle({ ...input, signal: c.get('signal'), c }, services)
      return answer instanceof Response ? answer : c.json(answer)
    }
    return { route, example: exampleOf(path), auth, isChangingGet, handle }
  }

/** Defines an endpoint for browsers and probes: a page, a file or a redirect, which OpenAPI documents leave out. */
export function pageEndpoint<Services>(definition: PageDefinition<Services>): Endpoint<Services> {
  const { method = 'get', path, operation, tag = tagOf(path), summary, auth, page } = definition
  const { example = exampleOf(path) } = definition
  const description = { operationId: operation, tags: [tag], summary, hide: true, responses: {} }
  const handle = async (c: AppContext, services: Services) => page(c, services)
  const route = createRoute({ method, path, ...description })
  return { route, example, auth, isChangingGet: false, handle }
}

/** The parameters that the validator of the route has parsed; an object without members where the route has none. */
function validated<Schema extends z.ZodObject>(
  c: AppContext,
  schema: Schema | undefined,
  target: 'param' | 'query',
): z.output<Schema> {
  const request: { readonly valid: (target: never) => unknown } = c.req
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the validator of the target stores the output of its schema
  return (schema ? request.valid(target as never) : {}) as z.output<Schema>
}

type MountOptions = {
  /** Absent where no endpoint needs a permission: then one that does, or that changes something by GET, fails at the start. */
  readonly keys?: ApiKeys
  /** Runs a changing request of a key, or refuses it while the key has too many under way; by default it only runs it. */
  readonly limit?: (keyId: string, work: () => Promise<void>, signal: AbortSignal) => Promise<void>
  /** The path that permissions name for a path that they may name by an alias; by default the path itself. */
  readonly pathOfPermission?: (path: string) => string
}

/** Registers endpoints: key and permission are checked before parameters and bodies, but after `changingGet`. */
export function mount<Services>(
  app: App,
  endpoints: readonly Endpoint<Services>[],
  services: Services,
  options: MountOptions = {},
): void {
  for (const { route, isChangingGet } of endpoints) {
    const siblings = endpoints.filter((endpoint) => endpoint.route.path === route.path)
    const methods = siblings.map((sibling) => sibling.route.method.toUpperCase())
    if (isChangingGet) app.use(route.getRoutingPath(), changingGet(methods))
  }
  for (const endpoint of endpoints) {
    const middleware = guardOf(endpoint, services, options)
    app.openapi({ ...endpoint.route, middleware }, (c) => endpoint.handle(c, services))
  }
}

/** Checks key, permission and `check`, and bounds the changing requests that a key has under way. */
function guardOf<Services>(
  { route, auth, isChangingGet }: Endpoint<Services>,
  services: Services,
  { keys, limit = (_, work) => work(), pathOfPermission }: MountOptions,
): MiddlewareHandler<AppEnv> {
  const needsKey = auth.needs === 'permission' || auth.needs === 'key'
  if (!keys && (needsKey || isChangingGet))
    throw new Error(`${route.method} ${route.path} needs keys: mount it with them`)
  return async (c, next) => {
    const key = needsKey ? keys?.require(c) : undefined
    const catalogue = key && (await auth.catalogueOf?.(c, services))
    if (key && auth.needs === 'permission')
      demandPermission(c, { key, auth, catalogue, pattern: route.path, pathOfPermission })
    const answer = await auth.check?.(c, services)
    if (answer) return answer
    const isRead = (c.req.method === 'GET' || c.req.method === 'HEAD') && !isChangingGet
    if (!key || isRead) return next()
    c.set('write', { operation: route.operationId ?? route.path, catalogue })
    return limit(key.id, next, c.get('signal'))
  }
}

type PermissionDemand = {
  readonly pathOfPermission: MountOptions['pathOfPermission'] | undefined
  readonly key: Key
  readonly auth: Pick<Auth<never>, 'action' | 'orElse' | 'role'>
  /** The catalogue that the resource is in, if any. */
  readonly catalogue: string | undefined
  /** The path of the endpoint, as the refusal names it. */
  readonly pattern: string
}

/** Throws `forbidden` with the permissions of which one is needed, without that of `orElse`. */
function demandPermission(
  c: AppContext,
  { key: { id, permissions }, auth, catalogue, pattern, pathOfPermission }: PermissionDemand,
): void {
  const { action = c.req, orElse, role } = auth
  const normalised = pathOfPermission
    ? permissions.map((permission) => withPath(permission, pathOfPermission))
    : permissions
  const key = { id, permissions: normalised }
  const { method, path } = action
  if (isPermitted(key, { method, path, catalogue, role }) || (orElse && isPermitted(key, orElse)))
    return
  const permissionName = `${method} ${auth.action?.path ?? pattern}`
  const inCatalogue = catalogue === undefined ? '' : ` in the catalogue "${catalogue}"`
  const inRole = role ? `${role}:${catalogue}` : catalogue
  const needed = [permissionName, ...(catalogue === undefined ? [] : [inRole])].map(
    (permission) => `"${permission}"`,
  )
  const detail = `the key lacks the permission for ${permissionName}${inCatalogue}: it needs ${needed.join(', ')} or "*"`
  throw new Failure('forbidden', detail)
}

/** The permission with its path in the form that `pathOf` gives it; permissions without a path stay as they are. */
function withPath(permission: string, pathOf: (path: string) => string): string {
  const [method, path, ...others] = permission.split(/ +/)
  const hasPath = method !== undefined && path !== undefined && others.length === 0
  return hasPath ? `${method} ${pathOf(path)}` : permission
}
