/** Endpoints of searching: single pages, snapshots read page by page, parameters by GET and POST. */

import type { AppContext } from '../http/app.ts'
import { readBodyText } from '../http/body.ts'
import { anyone } from '../http/endpoint.ts'
import { BoundedCache } from '../workers/bounded-cache.ts'
import type { AnswerSchemas } from './answer-schemas.ts'
import { datasetCounts } from './record-routes.ts'
import { withExtras } from './page-extras.ts'
import type { SearchRequest } from '../search-index/search-index.ts'
import { completionsOf } from './completions.ts'
import { parametersOfBody } from './request/body-parameters.ts'
import { type Parameters, parametersOf } from './request/search-parameters.ts'
import { type SearchPlan, planSearch } from './request/search-request.ts'
import {
  jsonAnswers,
  jsonType,
  queryParameters,
  requiredParameter,
  requiredQuery,
  searchEndpoint,
  stateAnswers,
} from './search-answers.ts'
import { type EnvelopeForm, envelopeText, isIncluded } from './search-envelope.ts'
import type {
  SearchAnswer,
  SearchAppContext,
  SearchServiceContext,
} from './search-service-context.ts'
import { isRelatable, withNearWords } from './near-words.ts'
import { placesOf } from './places.ts'
import { otherQueries } from './suggestions.ts'
import { afterPage, firstPage, scrolledPage, type SnapshotPage } from './snapshot-pages.ts'

/** Endpoints of searching: `GET` and `POST /search`, and `/scroll` for further pages of a snapshot. */
export function queryEndpoints(schemas: AnswerSchemas) {
  const hits = 'Hits, exact count and facets'
  const searchByQuery = searchEndpoint({
    method: 'get',
    path: '/search',
    operation: 'getSearch',
    summary: 'Search datasets, catalogues, vocabularies and resources of other types',
    auth: anyone,
    parameters: queryParameters(),
    answers: stateAnswers(hits, schemas.search),
    handle: ({ c }, context) => {
      const parameters = parametersOf(new URL(c.req.url).searchParams, context.limits)
      const plan = planOf(context, parameters)
      const make = () => runSearch(c, context, plan, parameters)
      if (plan.pages) return sendUncached(c, make())
      // Some parts have a time limit, so a later answer may have more of them and is not cached.
      const isLimited = limitedParts.some((part) => parameters[part] === true)
      return context.withEntityTag(c, async (tag) =>
        sendAnswer(c, isLimited ? await make() : await context.cachedAnswer(tag, make)),
      )
    },
  })
  const searchByBody = searchEndpoint({
    method: 'post',
    path: '/search',
    operation: 'postSearch',
    summary: 'The same search with its parameters as JSON; those of the address are ignored',
    auth: anyone,
    body: { required: true, content: { [jsonType]: { schema: searchBody, example } } },
    answers: jsonAnswers(hits, schemas.search),
    handle: async ({ c }, context) => {
      const { limits } = context
      const parameters = parametersOfBody(await bodyOf(c, limits.bodyBytes), limits)
      return sendUncached(c, runSearch(c, context, planOf(context, parameters), parameters))
    },
  })
  const readNextPage = searchEndpoint({
    method: 'get',
    path: '/scroll',
    operation: 'getScroll',
    summary: 'The next page of a search with scroll=true; empty at the end',
    auth: anyone,
    parameters: [requiredQuery('scrollId', 'result.scrollId of the page before')],
    answers: jsonAnswers('Hits and exact count', schemas.search),
    handle: async ({ c, signal }, context) => {
      const page = await scrolledPage(context.index, requiredParameter(c, 'scrollId'), signal)
      return sendUncached(c, answerOf(c, context, page))
    },
  })
  return [searchByQuery, searchByBody, readNextPage]
}

/** Parameters of parts of an answer that have a time limit. */
const limitedParts = ['suggestions', 'related', 'completions', 'places'] as const

/** Number of cached answers, and characters of each: at most 16 MB together. */
const [mostAnswers, longestAnswer] = [64, 2 ** 17]

/** Makes `cachedAnswer`: a cache of the last answers by their entity tags, which change with every write. */
export function answerCache(): SearchServiceContext['cachedAnswer'] {
  const cache = new BoundedCache<SearchAnswer>('search-answers', mostAnswers)
  return async (tag, make) => {
    const cached = cache.get(tag)
    if (cached) return cached
    const answer = await make()
    if (answer.text.length <= longestAnswer) cache.set(tag, answer)
    return answer
  }
}

const sendAnswer = (c: AppContext, { text, headers }: SearchAnswer): Response =>
  c.body(text, 200, headers)

/** Maximum bytes of a body: parameters are small, and other requests wait while a large body is parsed. */
const maxBytes = 2 ** 20

async function bodyOf(c: AppContext, bodyBytes: number): Promise<string> {
  const bytes = Math.min(bodyBytes, maxBytes)
  const limits = { bytes, name: `bodyBytes, at most ${maxBytes} for a search,` }
  return readBodyText(c.req.raw, limits, c.var.signal)
}

/** Makes the plan of a search. Throws as `planSearch`. */
function planOf(context: SearchAppContext, parameters: Parameters): SearchPlan {
  const { resources } = context.profile
  const bounds = new Map(resources.map(({ id, search }) => [`resource_${id}`, search]))
  return planSearch(parameters, { ...context, bounds, settings: context.settings() })
}

/** Runs a search and writes its page with all requested parts. */
async function runSearch(
  c: AppContext,
  context: SearchAppContext,
  plan: SearchPlan,
  parameters: Parameters,
): Promise<SearchAnswer> {
  const { index } = context
  const { q, suggestions = false, related = false, ignored } = parameters
  const isRelated = related && plan.pages === undefined && isRelatable(plan.request)
  const { request, instead } = isRelated
    ? await relatedRequest(q ?? '', plan.request, context, c.var.signal)
    : { request: plan.request, instead: {} }
  const explain = parameters.explain === true && plan.pages === undefined
  const read = explain ? { ...request, include: undefined } : request
  const page = await pageOf(c, context, { ...plan, request: read })
  const hasNearWords = Object.keys(instead).length > 0
  const requestOf = (otherQ: string) =>
    planOf(context, { ...parameters, autocomplete: false, q: otherQ }).request
  const treeOf = (otherQ: string) => requestOf(otherQ).tree
  const [answer, typing, suggested] = await Promise.all([
    withExtras(index, { request, answer: page.answer, parameters, explain }, c.var.signal),
    partsForTyping(context, { request: plan.request, parameters, requestOf }, c.var.signal),
    suggestions && q !== undefined && (!hasNearWords || page.answer.count === 0)
      ? otherQueries(
          index,
          { q, request: plan.request, count: page.answer.count, treeOf },
          c.var.signal,
        )
      : [],
  ])
  const extra = {
    ...page.extra,
    ...typing,
    ...(suggestions && { suggestions: suggested }),
    ...(hasNearWords && { instead }),
    ...(answer.related !== undefined && { related: answer.related }),
    ...(ignored.length > 0 && { ignored }),
  }
  return answerOf(c, context, { ...page, answer, extra })
}

/** Request that also finds near words and records that are close in meaning. */
async function relatedRequest(
  q: string,
  plain: SearchRequest,
  { index, meaningOf }: SearchAppContext,
  signal: AbortSignal,
): ReturnType<typeof withNearWords> {
  const [{ request, instead }, meaning] = await Promise.all([
    withNearWords(index, plain, signal),
    meaningOf?.(q, signal),
  ])
  return { request: { ...request, ...(meaning && { meaning }) }, instead }
}

type TypedQuery = {
  readonly request: SearchRequest
  readonly parameters: Parameters
  readonly requestOf: (q: string) => SearchRequest
}

/** Parts of an answer about what was typed: `completions` and `places`, where they are requested. */
async function partsForTyping(
  { index, settings }: SearchAppContext,
  { request, parameters, requestOf }: TypedQuery,
  signal: AbortSignal,
) {
  const { q, autocomplete, completions, places, locale = 'en' } = parameters
  if (q === undefined) return {}
  const context = { q, request, requestOf, locale, settings: settings() }
  return {
    ...(completions &&
      autocomplete && { completions: await completionsOf(index, context, signal) }),
    ...(places && !autocomplete && { places: await placesOf(index, context, signal) }),
  }
}

/** Returns the requested page. Throws the errors of the engine, and `unknown-cursor` for a continuation. */
async function pageOf(
  c: AppContext,
  { index }: SearchAppContext,
  { request, named, countOnly, include, partFilter, pages }: SearchPlan,
): Promise<SnapshotPage> {
  const { client, signal } = c.var
  const { indices, score } = request
  const form: EnvelopeForm = {
    indices,
    named,
    countOnly,
    score,
    include,
    partFilter,
  }
  // Without a known index the engine is not asked.
  if (indices.length === 0) return { form, answer: { count: 0, hits: [] } }
  if (!pages) return { form, answer: await index.search(request, signal) }
  if (pages.kind === 'search-after' && pages.from)
    return afterPage(index, { request, form, from: pages.from }, signal)
  return firstPage(index, { request, form, kind: pages.kind, client }, signal)
}

async function answerOf(
  c: AppContext,
  { index }: SearchAppContext,
  { form, answer, extra }: SnapshotPage,
): Promise<SearchAnswer> {
  const hasCatalogues = answer.hits.some(({ index }) => index === 'catalogue')
  const isCounted = hasCatalogues && isIncluded(form, 'count')
  const counts = isCounted ? await datasetCounts(index, c.var.signal) : new Map()
  const text = envelopeText(form, answer, counts, extra)
  // A wildcard is expanded to a limited number of words; the answer says when it was shortened.
  const { length } = answer.truncatedPatterns ?? []
  const headers: Record<string, string> =
    length > 0 ? { 'Wildcards-Shortened': String(length) } : {}
  return { text, headers: { 'Content-Type': jsonType, ...headers } }
}

/** Forbids caches: the next page has the same address, and so has the answer to another body. */
async function sendUncached(c: AppContext, answer: Promise<SearchAnswer>): Promise<Response> {
  const { text, headers } = await answer
  return sendAnswer(c, { text, headers: { ...headers, 'Cache-Control': 'no-store' } })
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
