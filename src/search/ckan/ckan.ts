/**
 * Action API of CKAN at `/ckan/{action}`, `/ckan/api/3/action/{action}` and their aliases, by GET and POST. Results are written in
 * pieces inside one envelope, problems in the form that clients of CKAN expect.
 */

import { z } from '@hono/zod-openapi'
import { Failure } from '../../errors.ts'
import type { AppContext } from '../../http/app.ts'
import { readBodyText } from '../../http/body.ts'
import { anyone, endpointsFor } from '../../http/endpoint.ts'
import { problemOf } from '../../http/problem.ts'
import { sendPieces, longAnswer } from '../../http/long-answers.ts'
import type { IndexSettings } from '../../search-index/index-settings.ts'
import type { Answer, SearchRequest } from '../../search-index/search-index.ts'
import { parseQuery } from '../query/parser.ts'
import { type Scopes, scopesOf } from '../query/leaves.ts'
import { datasetRecord } from '../record-routes.ts'
import { allRecords, recordFields } from '../record-values.ts'
import { sortOrder } from '../request/search-request.ts'
import { jsonType } from '../search-answers.ts'
import type { SearchAppContext, SearchServiceContext } from '../search-service-context.ts'
import {
  actions,
  type CkanAction,
  type CkanCall,
  parseCall,
  ckanAliases,
  ckanContract,
  ckanPaths,
  type RawParameters,
  parametersOfJson,
  parametersOfQuery,
} from './ckan-calls.ts'
import { filtersTree } from './ckan-filter.ts'
import { platformField } from './ckan-names.ts'
import { packageOf } from './ckan-packages.ts'
import { type CkanContext, type CkanHandler, ckanReads, packageTexts } from './ckan-reads.ts'
import { textAt } from '../../text/json.ts'
import { keysOf } from '../../text/records.ts'

const handlers = {
  package_list: packageList,
  package_show: packageShow,
  package_search: packageSearch,
  ...ckanReads,
} as const satisfies Readonly<Record<CkanAction, CkanHandler>>

const names = keysOf(actions)

/** Maximum bytes of a body; calls are small. */
const maxBytes = 2 ** 20

type Prefix = `/${string}`

const ckanEndpoint = endpointsFor<SearchServiceContext>({})

/** Makes the operation id: `getCkanPackageList` for GET of `/ckan/package_list`. */
const operationOf = (method: string, path: string): string =>
  method + path.replace(/[^a-z]+([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Makes the endpoints of an action below one of the described paths. */
const actionEndpoints = (action: CkanAction, prefix: Prefix) => {
  const { summary, parameters, body, answers } = ckanContract(action)
  const path = `${prefix}/${action}` as const
  const common = { path, auth: anyone, answers } as const
  return [
    ckanEndpoint({
      ...common,
      method: 'get',
      operation: operationOf('get', path),
      summary,
      parameters,
      handle: ({ c }, context) => runAction(c, context, action),
    }),
    ckanEndpoint({
      ...common,
      method: 'post',
      operation: operationOf('post', path),
      summary: `${summary}, called by JSON`,
      body,
      handle: ({ c }, context) => runAction(c, context, action),
    }),
  ]
}

/** Makes an endpoint for all actions by name below a path; unknown names are answered in the form of CKAN. */
const anyAction = (method: 'get' | 'post', prefix: Prefix) =>
  ckanEndpoint({
    method,
    path: `${prefix}/{action}`,
    operation: operationOf(method, `${prefix}/action`),
    summary: 'CKAN: an action by its name',
    auth: anyone,
    isHidden: true,
    params: z.object({ action: z.string() }),
    answers: {},
    handle: ({ c, params: { action: name } }, context) => {
      const action = names.find((action) => action === name)
      if (action) return runAction(c, context, action)
      const message = `Bad request - Action name not known: ${name}`
      return c.body(JSON.stringify(message), 400, { 'Content-Type': jsonType })
    },
  })

/** Endpoints of all actions, by GET and POST below each path; the OpenAPI document leaves out the aliases. */
export const ckanEndpoints = [
  ...ckanPaths.flatMap((prefix) => names.flatMap((action) => actionEndpoints(action, prefix))),
  ...[...ckanPaths, ...ckanAliases].flatMap((prefix) => [
    anyAction('get', prefix),
    anyAction('post', prefix),
  ]),
]

const rawParametersOf = (c: AppContext, context: SearchAppContext) =>
  c.req.method === 'POST'
    ? parametersOfPost(c, context)
    : parametersOfQuery(new URL(c.req.url).searchParams)

/** Reads a body as a form if it is one, else as JSON whatever its media type, because clients of CKAN send JSON as forms. */
async function parametersOfPost(
  c: AppContext,
  { limits }: SearchAppContext,
): Promise<RawParameters> {
  const bytes = Math.min(limits.bodyBytes, maxBytes)
  const body = await readBodyText(c.req.raw, { bytes }, c.var.signal)
  const isForm = c.req.header('Content-Type')?.startsWith('application/x-www-form-urlencoded')
  return isForm && /^\s*[\w.-]+=/.test(body)
    ? parametersOfQuery(new URLSearchParams(body))
    : parametersOfJson(body)
}

async function runAction(
  c: AppContext,
  context: SearchAppContext,
  action: CkanAction,
): Promise<Response> {
  try {
    const site = { title: c.get('siteName'), url: c.get('root') }
    const raw = await rawParametersOf(c, context)
    const result = handlers[action]({ ...context, site }, raw, c.var.signal)
    const pieces = envelope(`${c.get('address')}/`, result, ignoredOf(action, raw))
    const { log, requestMs: pieceMs = 60_000 } = context.http
    const flow = { log, pieceMs, headers: { 'Content-Type': jsonType } }
    return await longAnswer(c, () => sendPieces(c, pieces, flow))
  } catch (error) {
    return failureAnswer(c, error, context)
  }
}

/** Makes the member with the first names of a call that are not parameters of its action. */
function ignoredOf(action: CkanAction, raw: RawParameters): string {
  const unknown = Object.keys(raw).filter((name) => !(name in actions[action].parameters.shape))
  const ignored = unknown.slice(0, 20).map((name) => name.slice(0, 60))
  return ignored.length === 0 ? '' : `"ignored":${JSON.stringify(ignored)},`
}

/** Encloses the pieces of a result. The first piece is made before anything is sent, so that its failure can still be answered. */
async function* envelope(
  help: string,
  result: AsyncGenerator<string>,
  ignored: string,
): AsyncGenerator<string> {
  try {
    const first = await result.next()
    yield `{"help":${JSON.stringify(help)},"success":true,${ignored}"result":${first.value ?? ''}`
    yield* result
    yield '}'
  } finally {
    await result.return(undefined)
  }
}

const errorTypes = new Map([
  [409, 'Validation Error'],
  [404, 'Not Found Error'],
])

/**
 * Answers a failure in the form of CKAN instead of a problem document: 409 for an invalid call, 404 for a missing record,
 * otherwise the usual status. Throws errors that are not a `Failure`.
 */
function failureAnswer(
  c: AppContext,
  error: unknown,
  { http: { log } }: SearchAppContext,
): Response {
  if (!(error instanceof Failure)) throw error
  const problem = problemOf(error, c.req.path)
  if (problem.status >= 500) log.warn({ err: error, requestId: c.get('requestId') }, 'ckan.refused')
  const status = problem.status === 400 ? 409 : problem.status
  const message = problem.body.detail ?? problem.body.title
  const body = {
    success: false,
    error: { __type: errorTypes.get(status) ?? 'Search Error', message },
  }
  return c.body(JSON.stringify(body), status, { ...problem.headers, 'Content-Type': jsonType })
}

const idsPerPage = 1000

/** Yields the ids of all datasets, ascending, in pieces. Throws `invalid-parameter`. */
async function* packageList(
  { index }: CkanContext,
  raw: RawParameters,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let { limit: remaining, offset } = parseCall(actions.package_list.parameters, raw)
  let opening = '['
  for (let after = ''; remaining > 0;) {
    const entries = await index.entries('dataset', after, idsPerPage, signal)
    const ids = entries.slice(offset, offset + remaining).map(({ id }) => JSON.stringify(id))
    offset = Math.max(offset - entries.length, 0)
    remaining -= ids.length
    if (ids.length > 0) {
      yield opening + ids.join(',')
      opening = ','
    }
    after = entries.at(-1)?.id ?? ''
    if (entries.length < idsPerPage) break
  }
  yield opening === '[' ? '[]' : ']'
}

/** Yields one package, by platform id or by IRI. Throws `invalid-parameter`, `unknown-dataset`. */
async function* packageShow(
  { index }: CkanContext,
  raw: RawParameters,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { id } = parseCall(actions.package_show.parameters, raw)
  // The last segment of an IRI of this platform is the id.
  const candidate = id.split(/[/:#]/).at(-1) ?? ''
  const record = recordFields((await datasetRecord(index, candidate, signal)).text)
  if (candidate !== id && textAt(record, 'resource') !== id)
    throw new Failure('unknown-dataset', `there is no dataset ${id}`)
  yield JSON.stringify(packageOf(record))
}

/** Larger values are reduced to these, as in CKAN; some portals ask for very large ones. */
const maximum = { rows: 1000, items: 1000 }

const defaultSort = 'score desc, metadata_modified desc'

/**
 * Yields the result of a search in pieces. Throws `invalid-parameter`, `malformed-query`, `query-too-complex` and the errors of
 * the engine.
 */
async function* packageSearch(
  context: CkanContext,
  raw: RawParameters,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const call = parseCall(actions.package_search.parameters, raw)
  const settings = context.settings().filter(({ index }) => index === 'dataset')
  const request = requestOf(call, context, settings)
  const answer: Answer =
    settings.length === 0 ? { count: 0, hits: [] } : await context.index.search(request, signal)
  const sort = JSON.stringify(call.sort ?? defaultSort)
  yield `{"count":${answer.count},"sort":${sort},${facetsText(call, answer)},"results":[`
  yield* packageTexts(answer.hits)
  yield ']}'
}

type SearchCall = CkanCall<'package_search'>

function requestOf(
  call: SearchCall,
  { limits, window = 10_000, boosts = {}, synonyms, timeZone }: CkanContext,
  settings: readonly IndexSettings[],
): SearchRequest {
  const scopeOf = scopesOf(settings, timeZone)
  const scopes: Scopes = (name) => scopeOf(platformField(name))
  const query = parseQuery(call.q ?? '', scopes, { limits, synonyms })
  const filter = filtersTree([call.fq ?? '', ...call.fq_list], scopes, limits)
  const operands = [query, filter].filter(({ kind }) => kind !== 'all')
  const isReachable = call.start <= window
  // Fields that cannot be sorted by are ignored.
  const sort = (call.sort ?? defaultSort).split(',').map((entry) => {
    const [name = '', direction = ''] = entry.trim().split(/[\s+]+/, 2)
    return `${name === 'score' ? 'relevance' : platformField(name)} ${direction}`
  })
  const countedFacets = new Set(facetNames(call).map(platformField))
  const ids = settings.flatMap(({ facets }) => facets.map(({ id }) => id))
  const facets = {
    ids: ids.filter((id) => countedFacets.has(id)),
    size: call['facet.limit'] < 0 ? maximum.items : Math.min(call['facet.limit'], maximum.items),
    global: false,
  }
  return {
    ...allRecords('dataset'),
    tree: operands.length > 1 ? { kind: 'and', operands } : (operands[0] ?? { kind: 'all' }),
    ...(facets.size > 0 && facets.ids.length > 0 && { facets }),
    order: sortOrder(sort, settings),
    ...(call.ext_bbox && { filter: { box: call.ext_bbox } }),
    boosts,
    offset: isReachable ? call.start : 0,
    limit: isReachable ? Math.min(call.rows, maximum.rows) : 0,
  }
}

/** Returns the requested facets by their names in CKAN. */
const facetNames = (call: SearchCall): readonly string[] => [
  ...new Set(call.facet ? call['facet.field'] : []),
]

/** Makes `facets` and `search_facets`, with an entry for every requested name. */
function facetsText(call: SearchCall, { facets = [] }: Answer): string {
  const requested = facetNames(call).map((name) => {
    const facet = facets.find(({ id }) => id === platformField(name))
    const items = facet?.items.filter(({ count }) => count >= call['facet.mincount']) ?? []
    return { name, title: facet?.title ?? name, items }
  })
  const counts = Object.fromEntries(
    requested.map(({ name, items }) => [
      name,
      Object.fromEntries(items.map(({ id, count }) => [id, count])),
    ]),
  )
  const searchFacets = Object.fromEntries(
    requested.map(({ name, title, items }) => {
      const listed = items.map(({ id, title, count }) => ({ name: id, display_name: title, count }))
      return [name, { title, items: listed }]
    }),
  )
  return `"facets":${JSON.stringify(counts)},"search_facets":${JSON.stringify(searchFacets)}`
}
