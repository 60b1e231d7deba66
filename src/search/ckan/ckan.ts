/** The CKAN calls bound to their routes. */

import type { z } from 'zod'
import { Failure } from '../../errors.ts'
import type { App, AppContext } from '../../http/app.ts'
import { readBody } from '../../http/body.ts'
import { problemOf } from '../../http/problem.ts'
import { answerFlow, longAnswer } from '../../http/shell/flow.ts'
import type { Log } from '../../log.ts'
import type { QueryTree } from '../../search-index/query-tree.ts'
import type {
  Answer,
  OrderKey,
  SearchIndex,
  SearchRequest,
} from '../../search-index/search-index.ts'
import type { IndexSettings } from '../../search-index/index-settings.ts'
import type { SearchDeps } from '../search-deps.ts'
import { recordFields, textAt } from '../record-values.ts'
import { parseQuery } from '../query/parser.ts'
import { type Scopes, scopesOf } from '../query/scopes.ts'
import { readDataset } from '../record-routes.ts'
import { sortOrder } from '../request/search-request.ts'
import { jsonType } from '../search-answers.ts'
import { filterTree } from './ckan-filter.ts'
import { fieldOf } from './ckan-names.ts'
import { packageOf } from './ckan-packages.ts'
import {
  type CkanAction,
  actions,
  callOf,
  getRoute,
  type GivenParameters,
  givenByBody,
  givenByQuery,
  listCall,
  postRoute,
  ckanPrefixes,
  searchCall,
  showCall,
} from './ckan-calls.ts'

// `package_list` and `package_show`.

const idsPerPage = 1000

/** Ids of all datasets, ascending, in pieces. Throws `invalid-parameter`. */
async function* packageList(
  { index }: { readonly index: SearchIndex },
  given: GivenParameters,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { limit, offset } = callOf(listCall, given)
  let opening = '['
  let last = ''
  let passed = 0
  for (let left = limit; left > 0;) {
    const entries = await index.entries('dataset', last, idsPerPage, signal)
    const ids = entries.map(({ id }) => id)
    const wanted = ids.slice(Math.max(offset - passed, 0)).slice(0, left)
    passed += ids.length
    left -= wanted.length
    if (wanted.length > 0) {
      yield opening + wanted.map((id) => JSON.stringify(id)).join(',')
      opening = ','
    }
    last = ids.at(-1) ?? ''
    if (ids.length < idsPerPage) break
  }
  yield opening === '[' ? '[]' : ']'
}

/** One package, by platform id or by IRI. Throws `invalid-parameter`, `unknown-dataset`. */
async function* packageShow(
  { index }: { readonly index: SearchIndex },
  given: GivenParameters,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { id } = callOf(showCall, given)
  // The last step of an IRI that the platform gave out is the id.
  const isIri = /[/:#]/.test(id)
  const candidate = isIri ? (id.split(/[/:#]/).at(-1) ?? '') : id
  const record = recordFields((await readDataset(index, candidate, signal)).text)
  if (isIri && textAt(record, 'resource') !== id) {
    throw new Failure('unknown-dataset', `there is no dataset ${id}`)
  }
  yield JSON.stringify(packageOf(record))
}

// `package_search`: the request to the index, and its answer in the words of CKAN.

type CkanDeps = Pick<SearchDeps, 'index' | 'settings' | 'limits' | 'window' | 'boosts' | 'http'>

type Call = z.output<typeof searchCall>

/** CKAN gives fewer rows rather than none where more are asked for; portals ask for very many. */
const most = { rows: 1000, items: 1000 }

const usualSort = 'score desc, metadata_modified desc'

/** Packages that are written at once, so that others get their turn in between. */
const packagesPerPiece = 50

/** The result in pieces. Throws `invalid-parameter`, `malformed-query`, `query-too-complex` and what the engine throws. */
async function* packageSearch(
  deps: CkanDeps,
  given: GivenParameters,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const call = callOf(searchCall, given)
  const settings = deps.settings().filter(({ index }) => index === 'dataset')
  const request = requestOf(call, deps, settings)
  const answer: Answer =
    settings.length === 0 ? { count: 0, hits: [] } : await deps.index.search(request, signal)
  const sort = JSON.stringify(call.sort ?? usualSort)
  yield `{"count":${answer.count},"sort":${sort},${facetsText(call, answer)},"results":[`
  for (let from = 0; from < answer.hits.length; from += packagesPerPiece) {
    const packages = answer.hits
      .slice(from, from + packagesPerPiece)
      .map(({ record }) => JSON.stringify(packageOf(recordFields(record))))
    yield (from === 0 ? '' : ',') + packages.join(',')
  }
  yield ']}'
}

function requestOf(
  call: Call,
  { limits, window = 10_000, boosts = {} }: CkanDeps,
  settings: readonly IndexSettings[],
): SearchRequest {
  const known = scopesOf(settings)
  const scopes: Scopes = (name) => known(fieldOf(name))
  const shows = call.start <= window
  const facets = facetsOf(call, settings)
  return {
    indices: ['dataset'],
    tree: both(
      parseQuery(call.q ?? '', scopes, { limits }),
      filterTree(call.fq ?? '', scopes, limits),
    ),
    filter: {},
    ...(facets && { facets }),
    order: sortedBy(call.sort ?? usualSort, settings),
    boosts,
    offset: shows ? call.start : 0,
    limit: shows ? Math.min(call.rows, most.rows) : 0,
    score: false,
  }
}

function both(query: QueryTree, filter: QueryTree): QueryTree {
  if (filter.kind === 'all') return query
  return query.kind === 'all' ? filter : { kind: 'and', of: [query, filter] }
}

/** Fields that cannot be sorted by are left out. */
const sortedBy = (sort: string, settings: readonly IndexSettings[]): readonly OrderKey[] =>
  sortOrder(
    sort.split(',').map((entry) => {
      const [name = '', direction = ''] = entry.trim().split(/[\s+]+/, 2)
      return `${name === 'score' ? 'relevance' : fieldOf(name)} ${direction}`
    }),
    settings,
  )

function facetsOf(call: Call, settings: readonly IndexSettings[]): SearchRequest['facets'] {
  const wanted = new Set(namesOf(call).map(fieldOf))
  const ids = settings.flatMap(({ facets }) => facets.map(({ id }) => id))
  const size = call['facet.limit'] < 0 ? most.items : Math.min(call['facet.limit'], most.items)
  const counted = ids.filter((id) => wanted.has(id))
  return size === 0 || counted.length === 0 ? undefined : { ids: counted, size, global: false }
}

/** The facets asked for, as CKAN calls them. */
const namesOf = (call: Call): readonly string[] => [
  ...new Set(call.facet ? call['facet.field'] : []),
]

/** `facets` and `search_facets`: both for every name that was asked for. */
function facetsText(call: Call, { facets = [] }: Answer): string {
  const named = namesOf(call).map((name) => {
    const facet = facets.find(({ id }) => id === fieldOf(name))
    const items = facet?.items.filter(({ count }) => count >= call['facet.mincount']) ?? []
    return { name, title: facet?.title ?? name, items }
  })
  const counts = named.map(({ name, items }) => [
    name,
    Object.fromEntries(items.map(({ id, count }) => [id, count])),
  ])
  const shown = named.map(({ name, title, items }) => [
    name,
    {
      title,
      items: items.map(({ id, title, count }) => ({ name: id, display_name: title, count })),
    },
  ])
  const text = (entries: readonly unknown[][]) => JSON.stringify(Object.fromEntries(entries))
  return `"facets":${text(counts)},"search_facets":${text(shown)}`
}

type Act = (deps: CkanDeps, given: GivenParameters, signal: AbortSignal) => AsyncGenerator<string>

const acts = {
  package_list: packageList,
  package_show: packageShow,
  package_search: packageSearch,
} as const satisfies Readonly<Record<CkanAction, Act>>

/** `/ckan/{action}` and `/ckan/api/3/action/{action}`, each by GET and by POST. */
export function bindCkan(app: App, deps: CkanDeps): void {
  const { log, requestMs: pieceMs = 60_000 } = deps.http
  const answer = async (
    c: AppContext,
    act: Act,
    given: () => GivenParameters | Promise<GivenParameters>,
  ) => {
    try {
      const help = `${c.get('address')}/`
      const pieces = enveloped(help, act(deps, await given(), c.var.signal))
      const headers = { 'Content-Type': jsonType }
      return await longAnswer(c, () => answerFlow(c, pieces, { log, pieceMs, headers }))
    } catch (error) {
      return refused(c, error, log)
    }
  }
  const byQuery = (c: AppContext) => () => givenByQuery(new URL(c.req.url).searchParams)
  const byBody = (c: AppContext) => async () => givenByBody(await bodyOf(c, deps))
  for (const prefix of ckanPrefixes) {
    for (const action of names) {
      app.openapi(getRoute(action, prefix), (c) => answer(c, acts[action], byQuery(c)))
      app.openapi(postRoute(action, prefix), (c) => answer(c, acts[action], byBody(c)))
    }
    const none = (c: AppContext) => refused(c, unknownAction(c), log)
    app.on(['GET', 'POST'], `${prefix}/:action`, none)
  }
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are those of the table's type
const names = Object.keys(actions) as CkanAction[]

const unknownAction = (c: AppContext): Failure =>
  new Failure('not-found', `there is no action at ${c.req.path}, only ${names.join(', ')}`)

/** Calls are small. */
const mostBytes = 2 ** 20

/** Whatever the media type: clients of CKAN send JSON as forms. */
async function bodyOf(c: AppContext, { limits }: CkanDeps): Promise<string> {
  const bytes = Math.min(limits.bodyBytes, mostBytes)
  return new TextDecoder().decode(await readBody(c.req.raw, { bytes }, c.var.signal))
}

// Answers of CKAN's action API: one envelope for what went well, one for what did not.

/** Around the pieces of a result. The first piece comes before anything, so that its failure can still be told. */
async function* enveloped(help: string, result: AsyncGenerator<string>): AsyncGenerator<string> {
  try {
    const first = await result.next()
    yield `{"help":${JSON.stringify(help)},"success":true,"result":${first.value ?? ''}`
    yield* result
    yield '}'
  } finally {
    await result.return(undefined)
  }
}

/**
 * The clients of CKAN read this form and no problem documents: 409 for what is wrong with a call, 404 for what is not there;
 * everything else keeps its status. Throws what is no `Failure`.
 */
function refused(c: AppContext, error: unknown, log: Log): Response {
  if (!(error instanceof Failure)) throw error
  const problem = problemOf(error, c.req.path)
  if (problem.status >= 500) log.warn({ err: error, requestId: c.get('requestId') }, 'ckan.refused')
  const status = problem.status === 400 ? 409 : problem.status
  const body = {
    success: false,
    error: { __type: typeOf(status), message: problem.body.detail ?? problem.body.title },
  }
  return c.body(JSON.stringify(body), status, { ...problem.headers, 'Content-Type': jsonType })
}

function typeOf(status: number): string {
  if (status === 409) return 'Validation Error'
  return status === 404 ? 'Not Found Error' : 'Search Error'
}
