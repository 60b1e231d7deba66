/** Searching bound to its routes: single pages, snapshots read page by page, parameters by GET and by POST. */

import { createRoute } from '@hono/zod-openapi'
import { invalidParameter } from '../errors.ts'
import type { App, AppContext } from '../http/app.ts'
import { readBody } from '../http/body.ts'
import type { Answer, Hit } from '../search-index/search-index.ts'
import type { AnswerSchemas } from './answer-schemas.ts'
import type { SearchDeps } from './search-deps.ts'
import { envelopeText, type EnvelopeForm, shownBy } from './search-envelope.ts'
import { afterPage, firstPage, scrolledPage, type Turned } from './snapshot-pages.ts'
import { datasetCounts } from './record-routes.ts'
import { parametersOfBody } from './request/body-parameters.ts'
import { type Parameters, parametersOf } from './request/search-parameters.ts'
import { type SearchPlan, searchOf } from './request/search-request.ts'
import {
  searchResponses,
  jsonType,
  queryParameters,
  requiredQuery,
  stateAnswers,
  type Tagged,
} from './search-answers.ts'

export function bindSearching(
  app: App,
  deps: SearchDeps,
  { schemas, tagged }: { readonly schemas: AnswerSchemas; readonly tagged: Tagged },
): void {
  const { limits } = deps
  const routes = searchRoutes(schemas)
  app.openapi(routes.search, (c) => {
    const search = searchFor(deps, parametersOf(queryOf(c), limits))
    const make = async () => answerText(c, await answered(deps, search, callerOf(c)))
    return search.run ? unkept(make) : tagged(c, make)
  })
  app.openapi(routes.searchByBody, async (c) => {
    const search = searchFor(deps, parametersOfBody(await bodyOf(c, limits.bodyBytes), limits))
    return unkept(async () => answerText(c, await answered(deps, search, callerOf(c))))
  })
  app.openapi(routes.scroll, (c) =>
    unkept(async () => answerText(c, await scrolled(deps, scrollIdOf(c), callerOf(c)))),
  )
}

const queryOf = (c: AppContext): URLSearchParams => new URL(c.req.url).searchParams

const callerOf = (c: AppContext): Caller => ({ client: c.get('client'), signal: c.var.signal })

/** Parameters are small; whoever sends more keeps everybody waiting while it is read. */
const mostBytes = 2 ** 20

async function bodyOf(c: AppContext, bodyBytes: number): Promise<string> {
  const bytes = Math.min(bodyBytes, mostBytes)
  const limits = { bytes, name: `bodyBytes, at most ${mostBytes} for a search,` }
  return new TextDecoder().decode(await readBody(c.req.raw, limits, c.var.signal))
}

function scrollIdOf(c: AppContext): string {
  const id = queryOf(c).get('scrollId')?.trim()
  if (id) return id
  const detail = 'the parameter scrollId is missing'
  throw invalidParameter('scrollId', detail)
}

/** Nobody may keep a page for the next one, nor the answer to a body for that of another. */
async function unkept(make: () => Promise<Response>): Promise<Response> {
  const answer = await make()
  answer.headers.set('Cache-Control', 'no-store')
  return answer
}

function answerText(c: AppContext, { answer, text }: Answered): Response {
  // A wildcard that stands for more words than are looked for finds less than it says.
  const { length } = answer.shortened ?? []
  const shortened = length > 0 ? { 'Wildcards-Shortened': String(length) } : {}
  return c.body(text, 200, { 'Content-Type': jsonType, ...shortened })
}

// The contract of searching.

const example = {
  q: 'water',
  filters: ['dataset'],
  facets: { country: ['it', 'es'] },
  searchParams: { minDate: '2023-01-01T00:00:00Z', scoring: { min: 221 } },
  sort: ['modified desc'],
  includes: ['id', 'title'],
}

const searchBody = { $ref: '#/components/schemas/SearchBody' }

const searchRoutes = (schemas: AnswerSchemas) => ({
  search: createRoute({
    method: 'get',
    path: '/search',
    summary: 'Search datasets, catalogues, vocabularies and resources of other types',
    parameters: queryParameters(),
    responses: stateAnswers('Hits, exact count and facets', schemas.search),
  }),
  searchByBody: createRoute({
    method: 'post',
    path: '/search',
    summary: 'The same search with its parameters as JSON; those of the address are ignored',
    request: { body: { required: true, content: { [jsonType]: { schema: searchBody, example } } } },
    responses: searchResponses('Hits, exact count and facets', schemas.search),
  }),
  scroll: createRoute({
    method: 'get',
    path: '/scroll',
    summary: 'The next page of a search with scroll=true; empty at the end',
    parameters: [requiredQuery('scrollId', 'result.scrollId of the page before')],
    responses: searchResponses('Hits and exact count', schemas.search),
  }),
})

// The one place where searches are answered, whichever way they came.

type Caller = {
  /** Who pays for cursors. */
  readonly client: string
  readonly signal: AbortSignal
}

type Answered = {
  readonly answer: Answer
  /** The envelope as JSON. */
  readonly text: string
}

/** What the parameters ask for. Throws as `searchOf`. */
function searchFor(deps: SearchDeps, parameters: Parameters): SearchPlan {
  const { resources } = deps.profile
  const bounds = new Map(resources.map(({ id, search }) => [`resource_${id}`, search]))
  return searchOf(parameters, { ...deps, bounds, settings: deps.settings() })
}

/** The answer to a search. Throws as the engine, and `unknown-cursor` for a continuation. */
async function answered(deps: SearchDeps, search: SearchPlan, caller: Caller): Promise<Answered> {
  const { request, run } = search
  const form = formOf(search)
  // Without a known index there is nothing to ask the engine.
  if (request.indices.length === 0) return shownAs(deps, { form, answer: nothing }, caller)
  if (!run) {
    const answer = await deps.index.search(request, caller.signal)
    return shownAs(deps, { form, answer }, caller)
  }
  const { from } = run.kind === 'scroll' ? {} : run
  const wanted = { request, form, kind: run.kind }
  const page = from
    ? await afterPage(deps.index, { ...wanted, from }, caller.signal)
    : await firstPage(deps.index, { ...wanted, client: caller.client }, caller.signal)
  return shownAs(deps, page, caller)
}

/** The next page of a scroll. Throws `unknown-cursor`. */
async function scrolled(deps: SearchDeps, scrollId: string, caller: Caller): Promise<Answered> {
  return shownAs(deps, await scrolledPage(deps.index, scrollId, caller.signal), caller)
}

const nothing: Answer = { count: 0, hits: [] }

const formOf = ({ request, named, countOnly, include, narrowing }: SearchPlan): EnvelopeForm => ({
  indices: request.indices,
  named,
  countOnly,
  score: request.score,
  ...(include && { include }),
  ...(narrowing && { narrowing }),
})

async function shownAs(
  deps: SearchDeps,
  { form, answer, more }: Turned,
  { signal }: Caller,
): Promise<Answered> {
  const isCounted = ({ index }: Hit) => index === 'catalogue'
  const shown = shownBy(form.include)('count') && answer.hits.some(isCounted)
  const counts = shown ? await datasetCounts(deps.index, signal) : new Map<string, number>()
  const scene = { settings: deps.settings(), counts, ...(more && { more }) }
  return { answer, text: envelopeText(form, answer, scene) }
}
