/** What the routes of the repository work with, and what they ask before a handler runs: key, permission, ids, the body. */

import { setImmediate } from 'node:timers/promises'
import type { Quad } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { may, type ApiKeys } from '../../http/api-key.ts'
import type { App, AppContext } from '../../http/app.ts'
import type { BodyLimits } from '../../http/body.ts'
import { precondition } from '../../http/conditions.ts'
import { writeLimiter } from '../../http/long-answers.ts'
import type { Limits } from '../../http/limits.ts'
import { demandText, receiveRdf } from '../../http/rdf.ts'
import { isId } from '../../rdf/ids.ts'
import { splitSuffix } from '../../rdf/media-types.ts'
import { parse } from '../../rdf/parse.ts'
import { parseText } from '../../rdf/reading/parse-stream.ts'
import type { Precondition, RepositoryContext, ResourceBody, WriteOutcome } from '../context.ts'
import type { LocatedDataset } from '../writing/find-datasets.ts'
import { repositoryParameters } from './parameters.ts'
import { answerWrite } from './responses.ts'
import { z, type RouteConfig } from '@hono/zod-openapi'

/** What every file of routes is given. */
export type RouteContext = RepositoryContext & {
  readonly app: App
  readonly guard: Guard
  /** The dataset of the path parameter `datasetId`; fails with `unknown-dataset` or `invalid-parameter`. */
  readonly locateDataset: (c: AppContext) => Promise<LocatedDataset>
}

/**
 * `catalogue` = that of the path parameter `catalogueId`; `platform` = `*` or a pattern; `later` = any known key, because
 * the handler calls `demandPermission`; a function answers the id of the catalogue that the requested resource is in
 * (`undefined` = none is named). It checks the ids of the path itself and fails when there is no such resource: any valid key
 * may know that.
 */
type Permission =
  | 'catalogue'
  | 'platform'
  | 'later'
  | ((c: AppContext) => Promise<string | undefined>)

type GuardedRoute = { readonly method: string; getRoutingPath(): string }

/** Says whose permission requests to some routes need. */
type Guard = (permission: Permission, ...routes: readonly GuardedRoute[]) => void

/** Puts key, permission and ids before everything else that a write could be told, and lets one key write only so much at once. */
export function guards(app: App, keys: ApiKeys, { writesPerKey }: Limits): Guard {
  const writes = writeLimiter(writesPerKey)
  return (permission, ...routes) => {
    for (const route of routes)
      app.on(route.method.toUpperCase(), route.getRoutingPath(), async (c, next) => {
        const { id } = keys.require(c)
        const parameters: Readonly<Record<string, string>> = c.req.param()
        if (typeof permission === 'function') {
          demandPermission(c, keys, await permission(c))
        } else {
          const catalogue = permission === 'catalogue' ? parameters['catalogueId'] : undefined
          if (permission !== 'later') demandPermission(c, keys, catalogue)
          for (const [name, value] of Object.entries(parameters)) demandId(name, value)
        }
        return writes.run(id, next, c.get('signal'))
      })
  }
}

/** Throws `unauthorized` or `forbidden`; `catalogue` is the one that the resource belongs to, if any. */
export function demandPermission(c: AppContext, keys: ApiKeys, catalogue?: string): void {
  const { id, permissions } = c.get('key') ?? keys.require(c)
  const key = { id, permissions: permissions.map(twinOfPermission) }
  if (may(key, { method: c.req.method, path: c.req.path, catalogue })) return
  throw new Failure('forbidden', 'this key does not have permission for this request')
}

const notAnId = (name: string, what: string, detail: string) =>
  new Failure('invalid-parameter', `${name} is not an ${what}`, {
    errors: [{ parameter: name, detail }],
  })

/** Throws `invalid-parameter` for what is no id. */
export function demandId(name: string, id: string): string {
  if (isId(id)) return id
  throw notAnId(name, 'id', '1..255 characters of A-Z, a-z, 0-9, "_", "~" and "-"')
}

/** The id of a path parameter; throws `invalid-parameter`. */
export const pathId = (c: AppContext, name: string): string =>
  demandId(name, c.req.param(name) ?? '')

/** The id of a path parameter and the format that its suffix names; throws `invalid-parameter`. */
export function suffixedId(c: AppContext, name: string) {
  const { id, format } = splitSuffix(c.req.param(name) ?? '')
  return { id: demandId(name, id), suffix: format }
}

/** An id at the origin in the place of an id; throws `invalid-parameter`. */
export function demandOriginalId(name: string, text: string): string {
  if (repositoryParameters.origin.shape.originalId.safeParse(text).success) return text
  throw notAnId(name, 'original id', '1..2000 characters, no control characters')
}

/** Guard and handler ask the same of a request; the second answer is the first one again. */
export function oncePerRequest<T>(
  ask: (c: AppContext) => Promise<T>,
): (c: AppContext) => Promise<T> {
  const answers = new WeakMap<AppContext, Promise<T>>()
  return (c) => {
    const answer = answers.get(c) ?? ask(c)
    answers.set(c, answer)
    return answer
  }
}

/** `If-Match` and `If-None-Match` of a request. */
export const expectedState =
  (c: AppContext): Precondition =>
  (hash) =>
    precondition(c.req.raw.headers, hash)

/** Characters from which on others get their turn while a body is parsed. */
const large = 512 * 1024

/** The limits of a body that is read as a whole. */
export const bodyLimits = (limits: Limits): BodyLimits => ({
  bytes: limits.bodyBytes,
  name: 'bodyBytes',
  ratio: limits.bodyRatio,
  idleMs: limits.bodyIdleMs,
})

/** Reads the body now and parses it when the base IRI is there: errors of syntax, or that it is empty, come then. */
async function receivedBody(c: AppContext, limits: Limits): Promise<ResourceBody> {
  const { text, format } = await receiveRdf(c, bodyLimits(limits))
  return {
    source: { text, format },
    parse: async (baseIri) => {
      demandText(text)
      if (text.length < large) return parse(text, format, { baseIri, limits })
      const all: Quad[] = []
      for await (const quads of parseText(text, format, { baseIri, limits })) {
        all.push(...quads)
        await setImmediate()
      }
      return all
    },
  }
}

/** A body that has arrived, and the state that its sender expects. */
export type WriteRequest = { readonly body: ResourceBody; readonly precondition: Precondition }

/** Receives the body of a write, does it and answers it; `whole` is the resource that must be searchable, where that is not the written one. */
export async function respondToWrite(
  c: AppContext,
  context: RepositoryContext,
  write: (request: WriteRequest, signal: AbortSignal) => Promise<WriteOutcome>,
  whole?: string,
): Promise<Response> {
  const body = await receivedBody(c, context.limits)
  const outcome = await write({ body, precondition: expectedState(c) }, c.get('signal'))
  return answerWrite(c, context, outcome, whole === undefined ? {} : { whole })
}

// `/resources` as another name of `/datasets`: an alias is the same route under another path, shown in the OpenAPI document.

const alias = /^(\/catalogues\/[^/]+)?\/resources(?=\/|$)/
const twin = /^(\/catalogues\/[^/]+)?\/datasets(?=\/|$)/

/** The path that a path is an alias of, or the path itself. */
export const twinOf = (path: string): string => path.replace(alias, '$1/datasets')

/** A permission for an alias is one for its twin. */
function twinOfPermission(permission: string): string {
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

/** The POST of an alias may propose an id at the origin; that of `/datasets` may not. */
function preferredId({ path, method, request }: RouteConfig): { query?: z.ZodObject } {
  if (!path.endsWith('/datasets') || method !== 'post') return {}
  const known = request?.query instanceof z.ZodObject ? request.query : z.object({})
  return { query: known.extend(posted.shape) }
}
