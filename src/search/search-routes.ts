/** Searching bound to its routes: single pages, snapshots read page by page, parameters by GET and by POST. */

import { createRoute } from '@hono/zod-openapi'
import type { App, AppContext } from '../http/app.ts'
import { readBodyText } from '../http/body.ts'
import { BoundedCache } from '../workers/bounded-cache.ts'
import { datasetCounts } from './record-routes.ts'
import { withExtras } from './page-extras.ts'
import { parametersOfBody } from './request/body-parameters.ts'
import { type Parameters, parametersOf } from './request/search-parameters.ts'
import { type SearchPlan, searchOf } from './request/search-request.ts'
import {
  type AnswerContext,
  getRoute,
  jsonType,
  queryParameters,
  required,
  requiredQuery,
  searchResponses,
  stateAnswers,
} from './search-answers.ts'
import type { SearchDeps } from './search-deps.ts'
import { type EnvelopeForm, envelopeText, isIncluded } from './search-envelope.ts'
import { otherQueries } from './suggestions.ts'
import { afterPage, firstPage, scrolledPage, type SnapshotPage } from './snapshot-pages.ts'

/** `GET` and `POST /search`, and `/scroll` for the pages after the first of a snapshot. */
export function bindSearching(
  app: App,
  deps: SearchDeps,
  { schemas, tagged }: AnswerContext,
): void {
  const { limits, index } = deps
  const hits = 'Hits, exact count and facets'
  const byQuery = {
    parameters: queryParameters(),
    responses: stateAnswers(hits, schemas.search),
  }
  const what = 'Search datasets, catalogues, vocabularies and resources of other types'
  const remember = answerCache()
  app.openapi(getRoute('/search', what, byQuery), (c) => {
    const parameters = parametersOf(new URL(c.req.url).searchParams, limits)
    const plan = planOf(deps, parameters)
    const make = () => searched(c, deps, plan, parameters)
    if (plan.run) return uncached(c, make())
    // Suggestions stop when their time is over: the next answer may have more of them.
    const isWhole = !parameters.suggestions
    return tagged(c, async (tag) => sent(c, isWhole ? await remember(tag, make) : await make()))
  })
  const byBody = createRoute({
    method: 'post',
    path: '/search',
    summary: 'The same search with its parameters as JSON; those of the address are ignored',
    request: { body: { required: true, content: { [jsonType]: { schema: searchBody, example } } } },
    responses: searchResponses(hits, schemas.search),
  })
  app.openapi(byBody, async (c) => {
    const parameters = parametersOfBody(await bodyOf(c, limits.bodyBytes), limits)
    return uncached(c, searched(c, deps, planOf(deps, parameters), parameters))
  })
  const byCursor = {
    parameters: [requiredQuery('scrollId', 'result.scrollId of the page before')],
    responses: searchResponses('Hits and exact count', schemas.search),
  }
  const next = 'The next page of a search with scroll=true; empty at the end'
  app.openapi(getRoute('/scroll', next, byCursor), async (c) => {
    const page = await scrolledPage(index, required(c, 'scrollId'), c.var.signal)
    return uncached(c, answerOf(c, deps, page))
  })
}

/** Answers that are kept, of at most so many characters: at most 16 MB. */
const [mostAnswers, longestAnswer] = [64, 2 ** 17]

/** The last answers by their entity tags, which are others whenever something is written: what many people ask for is found once. */
function answerCache() {
  const known = new BoundedCache<SearchAnswer>('search-answers', mostAnswers)
  return async (tag: string, make: () => Promise<SearchAnswer>): Promise<SearchAnswer> => {
    const kept = known.get(tag)
    if (kept) return kept
    const answer = await make()
    if (answer.text.length <= longestAnswer) known.set(tag, answer)
    return answer
  }
}

type SearchAnswer = { readonly text: string; readonly headers: Readonly<Record<string, string>> }

const sent = (c: AppContext, { text, headers }: SearchAnswer): Response =>
  c.body(text, 200, headers)

/** Parameters are small; whoever sends more keeps everybody waiting while it is read. */
const mostBytes = 2 ** 20

async function bodyOf(c: AppContext, bodyBytes: number): Promise<string> {
  const bytes = Math.min(bodyBytes, mostBytes)
  const limits = { bytes, name: `bodyBytes, at most ${mostBytes} for a search,` }
  return readBodyText(c.req.raw, limits, c.var.signal)
}

/** What the parameters ask for. Throws as `searchOf`. */
function planOf(deps: SearchDeps, parameters: Parameters): SearchPlan {
  const { resources } = deps.profile
  const bounds = new Map(resources.map(({ id, search }) => [`resource_${id}`, search]))
  return searchOf(parameters, { ...deps, bounds, settings: deps.settings() })
}

/** The page with all that the parameters ask for beside it. */
async function searched(
  c: AppContext,
  deps: SearchDeps,
  plan: SearchPlan,
  parameters: Parameters,
): Promise<SearchAnswer> {
  const { index } = deps
  const page = await pageOf(c, deps, plan)
  const { request } = plan
  const { q, suggestions = false, ignored } = parameters
  const treeOf = (other: string) => planOf(deps, { ...parameters, q: other }).request.tree
  const [answer, others] = await Promise.all([
    withExtras(index, { request, answer: page.answer, parameters }, c.var.signal),
    suggestions && q !== undefined
      ? otherQueries(index, { q, request, count: page.answer.count, treeOf }, c.var.signal)
      : [],
  ])
  const more = {
    ...page.more,
    ...(suggestions && { suggestions: others }),
    ...(ignored.length > 0 && { ignored }),
  }
  return answerOf(c, deps, { ...page, answer, more })
}

/** The page that is asked for. Throws as the engine, and `unknown-cursor` for a continuation. */
async function pageOf(
  c: AppContext,
  { index }: SearchDeps,
  { request, named, countOnly, include, narrowing, run }: SearchPlan,
): Promise<SnapshotPage> {
  const { client, signal } = c.var
  const { indices, score } = request
  const form: EnvelopeForm = {
    indices,
    named,
    countOnly,
    score,
    ...(include && { include }),
    ...(narrowing && { narrowing }),
  }
  // Without a known index there is nothing to ask the engine.
  if (indices.length === 0) return { form, answer: { count: 0, hits: [] } }
  if (!run) return { form, answer: await index.search(request, signal) }
  if (run.kind === 'search-after' && run.from)
    return afterPage(index, { request, form, from: run.from }, signal)
  return firstPage(index, { request, form, kind: run.kind, client }, signal)
}

async function answerOf(
  c: AppContext,
  deps: SearchDeps,
  { form, answer, more }: SnapshotPage,
): Promise<SearchAnswer> {
  const hasCatalogues = answer.hits.some(({ index }) => index === 'catalogue')
  const isCounted = hasCatalogues && isIncluded(form, 'count')
  const counts = isCounted ? await datasetCounts(deps.index, c.var.signal) : new Map()
  const text = envelopeText(form, answer, counts, more)
  // A wildcard that stands for more words than are looked for finds less than it says.
  const { length } = answer.shortened ?? []
  const shortened = length > 0 ? { 'Wildcards-Shortened': String(length) } : {}
  return { text, headers: { 'Content-Type': jsonType, ...shortened } }
}

/** Nobody may keep a page for the next one, nor the answer to a body for that of another. */
async function uncached(c: AppContext, making: Promise<SearchAnswer>): Promise<Response> {
  const { text, headers } = await making
  return sent(c, { text, headers: { ...headers, 'Cache-Control': 'no-store' } })
}

const example = {
  q: 'water',
  filters: ['dataset'],
  facets: { country: ['it', 'es'] },
  searchParams: { minDate: '2023-01-01T00:00:00Z', scoring: { min: 221 } },
  sort: ['modified desc'],
  includes: ['id', 'title'],
}

const searchBody = { $ref: '#/components/schemas/SearchBody' }
