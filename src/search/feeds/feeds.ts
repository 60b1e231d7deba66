/** The feeds bound to their routes. */

import {
  type FeedDocument,
  type Pages,
  atomText,
  atomType,
  rssText,
  rssType,
} from './feed-formats.ts'
import { hash } from 'node:crypto'
import { createRoute, z } from '@hono/zod-openapi'
import { Failure, invalidParameter } from '../../errors.ts'
import type { App, AppContext } from '../../http/app.ts'
import { isFresh } from '../../http/conditions.ts'
import { problem } from '../../http/contract/problem.ts'
import { longAnswer } from '../../http/shell/flow.ts'
import type { SearchDeps } from '../search-deps.ts'
import {
  type ParameterLimits,
  type Parameters,
  parametersOf,
} from '../request/search-parameters.ts'
import { searchOf } from '../request/search-request.ts'
import { queryParameters } from '../search-answers.ts'
import { entryFields, entryOf } from './feed-entries.ts'

const forms = {
  atom: { type: atomType, write: atomText },
  rss: { type: rssType, write: rssText },
} as const satisfies Record<string, { type: string; write: (feed: FeedDocument) => string }>

/** `/{lang}/feeds/datasets.atom` and `.rss`. */
export function bindFeeds(app: App, deps: FeedDeps): void {
  const answer = async (c: AppContext, lang: string, form: keyof typeof forms) => {
    const { address, root } = c.var
    const { searchParams: query } = new URL(c.req.url)
    const wanted = { address, root, query, language: languageOf(lang), form }
    const { type, write } = forms[form]
    const text = write(await feedOf(deps, wanted, c.var.signal))
    const tag = hash('sha256', text, 'hex').slice(0, 32)
    c.header('ETag', `W/"${tag}"`)
    if (isFresh(c.req.raw.headers, tag)) return c.body(null, 304)
    return c.body(text, 200, { 'Content-Type': `${type}; charset=utf-8` })
  }
  app.openapi(feedRoutes.atom, (c) =>
    longAnswer(c, () => answer(c, c.req.valid('param').lang, 'atom')),
  )
  app.openapi(feedRoutes.rss, (c) =>
    longAnswer(c, () => answer(c, c.req.valid('param').lang, 'rss')),
  )
}

/** Throws `not-found`. */
function languageOf(lang: string): string {
  if (/^[a-z]{2,3}$/.test(lang)) return lang
  throw new Failure('not-found', 'a feed is named by a language code such as en')
}

// The parameters of a feed: those of a search that say which datasets are in it and in which order.

/** Names that a feed knows, besides `boost.<field>`; all others are ignored. */
const feedParameters: ReadonlySet<string> = new Set([
  'q',
  'facets',
  'page',
  'limit',
  'fields',
  'minDate',
  'maxDate',
  'dateType',
  'facetOperator',
  'facetGroupOperator',
  'bboxMinLon',
  'bboxMaxLon',
  'bboxMinLat',
  'bboxMaxLat',
  'sort',
  'minScoring',
  'maxScoring',
  'countryData',
  'dataServices',
])

const boost = 'boost.'

/** A search of datasets, the last changed ones first unless the client sorts. Throws what `parametersOf` throws. */
function feedSearch(query: URLSearchParams, limits?: ParameterLimits): Parameters {
  const parameters = parametersOf(knownOnly(query), limits)
  if (parameters.limit === 0) throw noEntries()
  return {
    ...parameters,
    filters: ['dataset'],
    aggregation: false,
    includes: [...entryFields],
    sort: parameters.sort ?? ['modified desc'],
  }
}

/** The query as far as it means something, so that addresses of pages repeat nothing else. */
const knownOnly = (query: URLSearchParams): URLSearchParams =>
  new URLSearchParams(
    [...query].filter(([key, value]) => {
      const name = key.replace(/\[\]$/, '')
      return value.trim() !== '' && (feedParameters.has(name) || name.startsWith(boost))
    }),
  )

function noEntries(): Failure {
  const detail = 'limit must be 1..1000 in a feed, got 0'
  return invalidParameter('limit', detail)
}

// The contract of the feeds.

const feed = (form: string, summary: string, type: string) =>
  createRoute({
    method: 'get',
    path: `/{lang}/feeds/datasets.${form}`,
    summary,
    parameters: queryParameters().filter(
      ({ name }) => feedParameters.has(name) || name.startsWith(boost),
    ),
    request: {
      params: z.object({
        lang: z.string().meta({ description: 'Language of the texts: en, de, fr, …' }),
      }),
    },
    responses: {
      200: { description: 'The feed', content: { [type]: { schema: z.string() } } },
      304: { description: 'Not changed since the state named in If-None-Match' },
      default: problem(),
    },
  })

const feedRoutes = {
  atom: feed('atom', 'Datasets as an Atom feed (RFC 4287), the last changed first', atomType),
  rss: feed('rss', 'Datasets as an RSS 2.0 feed, the last changed first', rssType),
}

// A page of datasets as a feed, before it is written in one of the two formats.

type FeedDeps = Pick<
  SearchDeps,
  | 'index'
  | 'settings'
  | 'now'
  | 'recordPages'
  | 'limits'
  | 'window'
  | 'boosts'
  | 'scoreField'
  | 'dateTypes'
>

type Wanted = {
  /** Where the client reaches the service, without a slash at its end, and the platform. */
  readonly address: string
  readonly root: string
  readonly query: URLSearchParams
  readonly language: string
  readonly form: 'atom' | 'rss'
}

/** Throws what a search throws. */
async function feedOf(deps: FeedDeps, wanted: Wanted, signal: AbortSignal): Promise<FeedDocument> {
  const { language, form, address, root, query } = wanted
  const { recordPages } = deps
  const parameters = feedSearch(query, deps.limits)
  const { request } = searchOf(parameters, { ...deps, settings: deps.settings() })
  const { count, hits } = await deps.index.search(request, signal)
  const entries = hits.map((hit) => entryOf(hit, { language, root, recordPages }))
  const { page = 0, limit = 10, q } = parameters
  const newest = Math.max(...entries.map(({ updated }) => updated.getTime()))
  return {
    language,
    title: q === undefined ? 'Datasets' : `Datasets: ${q}`,
    description: q === undefined ? 'Datasets of the catalogues' : `Datasets found by ${q}`,
    author: new URL(address).host,
    site: `${address}/`,
    pages: pagesOf(`${address}/${language}/feeds/datasets.${form}`, knownOnly(query), {
      count,
      page,
      limit,
      window: deps.window ?? 10_000,
    }),
    updated: entries.length === 0 ? deps.now() : new Date(newest),
    entries,
  }
}

// The addresses of the pages of a feed (RFC 5005 3).

type Paging = {
  /** Exact number of all hits. */
  readonly count: number
  readonly page: number
  readonly limit: number
  /** Hits reachable by page. */
  readonly window: number
}

/** `address` is that of the feed without its query. */
function pagesOf(address: string, query: URLSearchParams, paging: Paging): Pages {
  const { count, page, limit, window } = paging
  const reachable = Math.floor(window / limit)
  const last = Math.min(Math.max(Math.ceil(count / limit) - 1, 0), reachable)
  const to = (page: number | undefined) => addressed(address, query, page)
  return {
    feed: to(undefined),
    self: addressed(address, query, page > 0 ? page : undefined),
    first: to(undefined),
    previous: page > 0 ? to(Math.min(page - 1, last) || undefined) : undefined,
    next: page < last ? to(page + 1) : undefined,
    last: to(last || undefined),
  }
}

function addressed(address: string, query: URLSearchParams, page: number | undefined): string {
  const parameters = new URLSearchParams(query)
  parameters.delete('page')
  if (page !== undefined) parameters.set('page', String(page))
  return parameters.size === 0 ? address : `${address}?${parameters.toString()}`
}
