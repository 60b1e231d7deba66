/**
 * Endpoints as data: the contract of a route, who may call it, and its handler in one value. `mount` registers them; OpenAPI
 * security, 401, 403 and the permission matrix of the tests follow from `auth`.
 */

import { createRoute, type RouteConfig, type z } from '@hono/zod-openapi'
import type { MiddlewareHandler } from 'hono'
import { Failure } from '../errors.ts'
import { type Action, type ApiKeys, may } from './api-key.ts'
import type { App, AppContext, AppEnv, Key } from './context.ts'
import { changingGet } from './headers.ts'
import { problem } from './problem.ts'

type Responses = RouteConfig['responses']

type MaybePromise<T> = T | Promise<T>

/** Who may call an endpoint. `Services` are the dependencies of the room that the endpoint belongs to. */
export type Auth<Services> = {
  /** `nothing`: open to anyone. `key`: any valid key, because the handler checks the permission. `permission`: as `may` says. */
  readonly needs: 'nothing' | 'key' | 'permission'
  /** The id of the catalogue that the requested resource is in; a key for that catalogue is permitted too. */
  readonly catalogueOf?: (c: AppContext, services: Services) => MaybePromise<string | undefined>
  /** The action whose permission is needed, where it is not that of the method and the path. */
  readonly action?: Action
  /** A further action whose permission suffices. */
  readonly orElse?: Action
  /** Checks the path of a permitted request, before its parameters and its body are read; throws the refusal. */
  readonly checkPath?: (c: AppContext) => void
}

/** Open to anyone. */
export const anyone: Auth<unknown> = { needs: 'nothing' }

/** A key whose permission covers the method and the path. */
export const mayCall: Auth<unknown> = { needs: 'permission' }

/** A key whose permission covers the method and the path, or the catalogue that `catalogueOf` answers. */
export const mayCallFor = <Services>(
  catalogueOf: NonNullable<Auth<Services>['catalogueOf']>,
): Auth<Services> => ({ needs: 'permission', catalogueOf })

type EndpointRequest<Params extends z.ZodObject, Query extends z.ZodObject> = {
  readonly params: z.output<Params>
  readonly query: z.output<Query>
  /** Aborts when the client leaves or the time limit is reached. */
  readonly signal: AbortSignal
  readonly c: AppContext
}

type Definition<Services, Params extends z.ZodObject, Query extends z.ZodObject> = {
  readonly method: 'get' | 'put' | 'post' | 'patch' | 'delete'
  /** In the form of OpenAPI: `/runs/{runId}`. */
  readonly path: `/${string}`
  readonly summary: string
  readonly description?: string
  readonly auth: Auth<Services>
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

/** An endpoint that `mount` registers. */
export type Endpoint<Services> = {
  readonly route: ReturnType<typeof createRoute<string, RouteConfig & { path: string }>>
  readonly auth: Auth<Services>
  readonly isChangingGet: boolean
  readonly handle: (c: AppContext, services: Services) => Promise<Response>
}

const security = [{ ApiKey: [] }, { Bearer: [] }]

const refusals: Responses = {
  401: problem('No valid API key'),
  403: problem('The key lacks the permission'),
}

/** Makes the function that defines the endpoints of a room. `common` are answers that all of them have. */
export const endpointsFor =
  <Services>(common: Responses) =>
  <Params extends z.ZodObject, Query extends z.ZodObject>(
    definition: Definition<Services, Params, Query>,
  ): Endpoint<Services> => {
    const { method, path, summary, description, auth, params, query, body, answers } = definition
    const { parameters, isDeprecated, isHidden, isChangingGet = false } = definition
    const isOpen = auth.needs === 'nothing'
    const route = createRoute({
      method,
      path,
      summary,
      ...(description !== undefined && { description }),
      ...(isDeprecated && { deprecated: true }),
      ...(isHidden && { hide: true }),
      ...(parameters && { parameters }),
      ...(!isOpen && { security }),
      request: { ...(params && { params }), ...(query && { query }), ...(body && { body }) },
      responses: { ...(!isOpen && refusals), ...answers, ...common },
    })
    const handle = async (c: AppContext, services: Services) => {
      const parsed = { params: validated(c, params, 'param'), query: validated(c, query, 'query') }
      const answer = await definition.handle({ ...parsed, signal: c.get('signal'), c }, services)
      return answer instanceof Response ? answer : c.json(answer)
    }
    return { route, auth, isChangingGet, handle }
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
  /** Absent where every endpoint is open: then one that is not, or that changes something by GET, fails at the start. */
  readonly keys?: ApiKeys
  /** Runs a changing request of a key, or refuses it while the key has too many under way; by default it only runs it. */
  readonly limit?: (keyId: string, work: () => Promise<void>, signal: AbortSignal) => Promise<void>
  /** The path that permissions name for a path that they may name by an alias; by default the path itself. */
  readonly pathOfPermission?: (path: string) => string
}

/** Registers endpoints: key and permission are checked before anything else that a request could be refused for. */
export function mount<Services>(
  app: App,
  endpoints: readonly Endpoint<Services>[],
  services: Services,
  options: MountOptions = {},
): void {
  for (const { route, isChangingGet } of endpoints)
    if (isChangingGet) app.use(route.getRoutingPath(), changingGet)
  for (const endpoint of endpoints) {
    const siblings = endpoints.filter(({ route }) => route.path === endpoint.route.path)
    const methods = siblings.map(({ route }) => route.method.toUpperCase())
    const middleware = guardOf(endpoint, services, { ...options, methods })
    app.openapi({ ...endpoint.route, middleware }, (c) => endpoint.handle(c, services))
  }
}

type GuardOptions = MountOptions & {
  /** All methods of the path. */
  readonly methods: readonly string[]
}

/** Checks key and permission, and bounds the changing requests that a key has under way. */
function guardOf<Services>(
  { route, auth, isChangingGet }: Endpoint<Services>,
  services: Services,
  { keys, limit = (_, work) => work(), pathOfPermission, methods }: GuardOptions,
): MiddlewareHandler<AppEnv> {
  if (!keys) {
    if (auth.needs === 'nothing' && !isChangingGet) return (_, next) => next()
    throw new Error(`${route.method} ${route.path} needs keys: mount it with them`)
  }
  return async (c, next) => {
    if (isChangingGet && c.req.method === 'HEAD') throw noHead(methods)
    if (auth.needs === 'nothing') return next()
    const key = keys.require(c)
    if (auth.needs === 'permission') {
      const catalogue = await auth.catalogueOf?.(c, services)
      demandPermission(c, { key, auth, catalogue, pattern: route.path, pathOfPermission })
    }
    auth.checkPath?.(c)
    const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
    return isRead && !isChangingGet ? next() : limit(key.id, next, c.get('signal'))
  }
}

const noHead = (methods: readonly string[]) =>
  new Failure('method-not-allowed', 'use GET: HEAD is not possible here', {
    headers: { Allow: [...methods, 'OPTIONS'].sort().join(', ') },
  })

type PermissionDemand = {
  readonly pathOfPermission: MountOptions['pathOfPermission'] | undefined
  readonly key: Key
  readonly auth: Pick<Auth<never>, 'action' | 'orElse'>
  /** The catalogue that the resource is in, if any. */
  readonly catalogue: string | undefined
  /** The path of the endpoint, as the refusal names it. */
  readonly pattern: string
}

/** Throws `forbidden` with the permissions of which one is needed. */
function demandPermission(
  c: AppContext,
  { key: { id, permissions }, auth, catalogue, pattern, pathOfPermission }: PermissionDemand,
): void {
  const { action = c.req, orElse } = auth
  const own = pathOfPermission
    ? permissions.map((permission) => withPath(permission, pathOfPermission))
    : permissions
  const key = { id, permissions: own }
  const { method, path } = action
  if (may(key, { method, path, catalogue }) || (orElse && may(key, orElse))) return
  const named = `${method} ${auth.action?.path ?? pattern}`
  const place = catalogue === undefined ? '' : ` in the catalogue "${catalogue}"`
  const needed = [named, ...(catalogue === undefined ? [] : [catalogue])].map((one) => `"${one}"`)
  const detail = `the key lacks the permission for ${named}${place}: it needs ${needed.join(', ')} or "*"`
  throw new Failure('forbidden', detail)
}

/** The permission with its path in the form that `pathOf` gives it; permissions without a path stay as they are. */
function withPath(permission: string, pathOf: (path: string) => string): string {
  const [method, path, ...rest] = permission.split(/ +/)
  const hasPath = method !== undefined && path !== undefined && rest.length === 0
  return hasPath ? `${method} ${pathOf(path)}` : permission
}
