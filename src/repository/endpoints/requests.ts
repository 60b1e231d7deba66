/**
 * Request handling that the endpoints of the repository share: permissions, ids in paths, bodies of writes, and aliases of paths.
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
import type {
  Precondition,
  RepositoryContext,
  ResourceBody,
  WriteOutcome,
} from '../repository-context.ts'
import { findById } from '../writing/find-datasets.ts'
import { repositoryParameters } from './parameters.ts'
import { answerWrite } from './responses.ts'

/** Throws `invalid-parameter` unless every parameter of the path is an id. */
function requirePathIds(c: AppContext): undefined {
  const parameters: Readonly<Record<string, string>> = c.req.param()
  for (const [name, value] of Object.entries(parameters)) requireId(name, value)
}

/** Permission to write the catalogue of the path parameter `catalogueId`, which need not exist. */
export const mayWriteCatalogue: Auth<RepositoryContext> = {
  ...mayCallFor((c) => c.req.param('catalogueId')),
  check: requirePathIds,
}

/** Permission to write resources outside of catalogues. */
export const mayWritePlatform: Auth<RepositoryContext> = { ...mayCall, check: requirePathIds }

/** Wraps a look-up so that it runs once per request, for look-ups that both the permission check and the handler need. */
export function oncePerRequest<T>(
  lookUp: (c: AppContext, context: RepositoryContext) => Promise<T>,
): (c: AppContext, context: RepositoryContext) => Promise<T> {
  const answers = new WeakMap<AppContext, Promise<T>>()
  return (c, context) => {
    const answer = answers.get(c) ?? lookUp(c, context)
    answers.set(c, answer)
    return answer
  }
}

/** Finds the dataset of the path parameter `datasetId`. Fails with `unknown-dataset` or `invalid-parameter`. */
export const locateDataset = oncePerRequest((c, context) =>
  findById(context, pathId(c, 'datasetId'), c.get('signal')),
)

/** Permission to write the catalogue of the dataset in the path. Every valid key gets 404 for an unknown dataset. */
export const mayWriteDataset: Auth<RepositoryContext> = mayCallFor(
  async (c, context: RepositoryContext) => (await locateDataset(c, context)).catalogue,
)

const invalidId = (name: string, what: string, detail: string) =>
  new Failure('invalid-parameter', `${name} is not an ${what}`, {
    errors: [{ parameter: name, detail }],
  })

/** Returns `id`; throws `invalid-parameter` unless it is an id. */
export function requireId(name: string, id: string): string {
  if (isId(id)) return id
  throw invalidId(name, 'id', '1..255 characters of A-Z, a-z, 0-9, "_", "~" and "-"')
}

/** Id of a path parameter; throws `invalid-parameter`. */
export const pathId = (c: AppContext, name: string): string =>
  requireId(name, c.req.param(name) ?? '')

/** Id of a path parameter, and the format that its suffix names; throws `invalid-parameter`. */
export function suffixedId(c: AppContext, name: string) {
  const { id, format } = splitSuffix(c.req.param(name) ?? '')
  return { id: requireId(name, id), suffix: format }
}

/** Returns `text`; throws `invalid-parameter` unless it is an original id. */
export function requireOriginalId(name: string, text: string): string {
  if (repositoryParameters.origin.shape.originalId.safeParse(text).success) return text
  throw invalidId(name, 'original id', '1..2000 characters, no control characters')
}

/** Precondition of the headers `If-Match` and `If-None-Match`. */
export const expectedState =
  (c: AppContext): Precondition =>
  (hash) =>
    precondition(c.req.raw.headers, hash)

/** Characters from which parsing a body yields to other requests. */
const yieldCharacters = 512 * 1024

/** Limits of a body that is read as a whole. */
export const bodyLimits = (limits: Limits): BodyLimits => ({
  bytes: limits.bodyBytes,
  name: 'bodyBytes',
  ratio: limits.bodyRatio,
  idleMs: limits.bodyIdleMs,
})

/** Reads the body, to be parsed when the base IRI is known; syntax errors and empty bodies fail then. */
async function receiveBody(c: AppContext, limits: Limits): Promise<ResourceBody> {
  const { text, format } = await readRdfText(c, bodyLimits(limits))
  return {
    source: { text, format },
    parse: async (baseIri) => {
      refuseEmptyText(text)
      if (text.length < yieldCharacters) return parse(text, format, { baseIri, limits })
      const parsed: Quad[] = []
      for await (const quads of parseText(text, format, { baseIri, limits })) {
        parsed.push(...quads)
        await setImmediate()
      }
      return parsed
    },
  }
}

/** Body of a write, and the state of the resource that the client expects. */
export type WriteRequest = { readonly body: ResourceBody; readonly precondition: Precondition }

/**
 * Receives the body of a write, runs it and answers. `searchable`: IRI of the resource whose index status is answered when the
 * write made no mark, such as the dataset of a distribution; by default the written one.
 */
export async function respondToWrite(
  c: AppContext,
  context: RepositoryContext,
  write: (request: WriteRequest, signal: AbortSignal) => Promise<WriteOutcome>,
  searchable?: string,
): Promise<Response> {
  const body = await receiveBody(c, context.limits)
  const outcome = await write({ body, precondition: expectedState(c) }, c.get('signal'))
  return answerWrite(c, context, outcome, searchable === undefined ? {} : { searchable })
}

// `/resources` is an alias of `/datasets` with the same endpoints; the OpenAPI document contains both.

const aliasPath = /^(\/catalogues\/[^/]+)?\/resources(?=\/|$)/
const datasetsPath = /^(\/catalogues\/[^/]+)?\/datasets(?=\/|$)/

/** Path without alias: `/datasets/x` for `/resources/x`; other paths are returned unchanged. */
export const canonicalPath = (path: string): string => path.replace(aliasPath, '$1/datasets')

/** Whether a URL is that of the list of datasets by its alias. */
export const isAliasedList = (url: string): boolean => /\/resources\/?$/.test(new URL(url).pathname)

const aliasPostQuery = z.object({
  resourceId: repositoryParameters.origin.shape.originalId.optional().openapi({
    description: 'The preferred id at the origin; when it is taken another one is made',
  }),
})

/** Adds the aliases of all endpoints that are mounted so far to the OpenAPI document. */
export function documentAliases({ openAPIRegistry }: App): void {
  for (const definition of openAPIRegistry.definitions.slice()) {
    if (definition.type !== 'route' || !datasetsPath.test(definition.route.path)) continue
    const { route } = definition
    const path = route.path.replace(datasetsPath, '$1/resources')
    const summary = `${route.summary ?? route.path} (as ${route.path})`
    const operationId = (route.operationId ?? '').replace('Datasets', 'Resources')
    const tags = (route.tags ?? []).map((tag) => tag.replace('datasets', 'resources'))
    const request = { ...route.request, ...preferredId(route) }
    openAPIRegistry.registerPath({ ...route, path, operationId, tags, summary, request })
  }
}

/** Query of the POST of an alias, which may propose an original id; that of `/datasets` may not. */
function preferredId({ path, method, request }: RouteConfig): { query?: z.ZodObject } {
  if (!path.endsWith('/datasets') || method !== 'post') return {}
  const query = request?.query instanceof z.ZodObject ? request.query : z.object({})
  return { query: query.extend(aliasPostQuery.shape) }
}
