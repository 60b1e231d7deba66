/**
 * Shared by the endpoints of the repository before and around their handlers: who may call them, ids of paths, bodies of writes, and
 * the aliases of paths.
 */

import { setImmediate } from 'node:timers/promises'
import type { Quad } from '@rdfjs/types'
import { z, type RouteConfig } from '@hono/zod-openapi'
import { Failure } from '../../errors.ts'
import type { App, AppContext } from '../../http/app.ts'
import type { BodyLimits } from '../../http/body.ts'
import { precondition } from '../../http/conditions.ts'
import { type Auth, mayCall, mayCallFor } from '../../http/endpoint.ts'
import type { Limits } from '../../http/limits.ts'
import { refuseEmptyText, readRdfText } from '../../http/rdf.ts'
import { isId } from '../../rdf/ids.ts'
import { splitSuffix } from '../../rdf/media-types.ts'
import { parse } from '../../rdf/parse.ts'
import { parseText } from '../../rdf/reading/parse-stream.ts'
import type { Precondition, RepositoryContext, ResourceBody, WriteOutcome } from '../context.ts'
import { findById } from '../writing/find-datasets.ts'
import { repositoryParameters } from './parameters.ts'
import { answerWrite } from './responses.ts'

/** Throws `invalid-parameter` unless every parameter of the path is an id. */
function demandPathIds(c: AppContext): undefined {
  const parameters: Readonly<Record<string, string>> = c.req.param()
  for (const [name, value] of Object.entries(parameters)) demandId(name, value)
}

/** A key for the catalogue of the path parameter `catalogueId`; the catalogue need not exist. */
export const mayWriteCatalogue: Auth<RepositoryContext> = {
  ...mayCallFor((c) => c.req.param('catalogueId')),
  check: demandPathIds,
}

/** A key for a resource that is in no catalogue. */
export const mayWritePlatform: Auth<RepositoryContext> = { ...mayCall, check: demandPathIds }

/**
 * Remembers the answer of a question for the rest of the request, because the check of the permission and the handler ask the same.
 */
export function oncePerRequest<T>(
  ask: (c: AppContext, context: RepositoryContext) => Promise<T>,
): (c: AppContext, context: RepositoryContext) => Promise<T> {
  const answers = new WeakMap<AppContext, Promise<T>>()
  return (c, context) => {
    const answer = answers.get(c) ?? ask(c, context)
    answers.set(c, answer)
    return answer
  }
}

/** Finds the dataset of the path parameter `datasetId`. Fails with `unknown-dataset` or `invalid-parameter`. */
export const locateDataset = oncePerRequest((c, context) =>
  findById(context, pathId(c, 'datasetId'), c.get('signal')),
)

/** A key for the catalogue of the dataset of the path; that there is no such dataset is told to every valid key. */
export const mayWriteDataset: Auth<RepositoryContext> = mayCallFor(
  async (c, context: RepositoryContext) => (await locateDataset(c, context)).catalogue,
)

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
  const { text, format } = await readRdfText(c, bodyLimits(limits))
  return {
    source: { text, format },
    parse: async (baseIri) => {
      refuseEmptyText(text)
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

/** Receives the body of a write, runs it and answers; `whole` is the resource that must be searchable where it is not the written one. */
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

// `/resources` is an alias of `/datasets`: it reaches the same endpoints, and the OpenAPI document shows it.

const alias = /^(\/catalogues\/[^/]+)?\/resources(?=\/|$)/
const aliased = /^(\/catalogues\/[^/]+)?\/datasets(?=\/|$)/

/** The path that an alias stands for; other paths stay as they are. */
export const canonicalPath = (path: string): string => path.replace(alias, '$1/datasets')

/** Whether a URL names the list of datasets by its alias. */
export const cameByAlias = (url: string): boolean => /\/resources\/?$/.test(new URL(url).pathname)

const posted = z.object({
  resourceId: repositoryParameters.origin.shape.originalId.optional().openapi({
    description: 'The preferred id at the origin; when it is taken another one is made',
  }),
})

/** Describes the aliases of the endpoints that are mounted so far. */
export function showAliases({ openAPIRegistry }: App): void {
  for (const definition of openAPIRegistry.definitions.slice()) {
    if (definition.type !== 'route' || !aliased.test(definition.route.path)) continue
    const { route } = definition
    const path = route.path.replace(aliased, '$1/resources')
    const summary = `${route.summary ?? route.path} (as ${route.path})`
    const operationId = (route.operationId ?? '').replace('Datasets', 'Resources')
    const tags = (route.tags ?? []).map((tag) => tag.replace('datasets', 'resources'))
    const request = { ...route.request, ...preferredId(route) }
    openAPIRegistry.registerPath({ ...route, path, operationId, tags, summary, request })
  }
}

/** The POST of an alias may propose an id at the origin; that of `/datasets` may not. */
function preferredId({ path, method, request }: RouteConfig): { query?: z.ZodObject } {
  if (!path.endsWith('/datasets') || method !== 'post') return {}
  const known = request?.query instanceof z.ZodObject ? request.query : z.object({})
  return { query: known.extend(posted.shape) }
}
