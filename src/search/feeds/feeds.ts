/** `/{lang}/feeds/datasets.atom` and `.rss`: a search of datasets as a feed, by default sorted by last change. */

import { z } from '@hono/zod-openapi'
import { Failure, invalidParameter } from '../../errors.ts'
import { tagOfText } from '../../http/conditions.ts'
import type { AppContext } from '../../http/app.ts'
import { anyone } from '../../http/endpoint.ts'
import { type FeedDocument, feedFormats } from '../../http/feed-formats.ts'
import { longAnswer } from '../../http/long-answers.ts'
import { parametersOf } from '../request/search-parameters.ts'
import { planSearch } from '../request/search-request.ts'
import { setEntityTag, queryParameters, searchEndpoint } from '../search-answers.ts'
import type { SearchAppContext } from '../search-service-context.ts'
import { entryFields, entryOf } from './feed-entries.ts'

type FeedRequest = { readonly format: keyof typeof feedFormats; readonly language: string }

async function feedAnswer(
  c: AppContext,
  context: SearchAppContext,
  request: FeedRequest,
): Promise<Response> {
  if (!/^[a-z]{2,3}$/.test(request.language))
    throw new Failure('not-found', 'a feed is named by a language code such as en')
  const { type, write } = feedFormats[request.format]
  const text = write(await feedOf(c, context, request))
  if (setEntityTag(c, tagOfText(text))) return c.body(null, 304)
  return c.body(text, 200, { 'Content-Type': `${type}; charset=utf-8` })
}

/** Search parameters that choose and order the datasets of a feed; others are ignored. */
const feedParameters: ReadonlySet<string> = new Set(
  (
    'q facets page limit fields minDate maxDate dateType facetOperator facetGroupOperator bboxMinLon bboxMaxLon bboxMinLat ' +
    'bboxMaxLat sort minScoring maxScoring countryData dataServices'
  ).split(' '),
)

const isFeedParameter = (name: string): boolean =>
  feedParameters.has(name) || name.startsWith('boost.')

/** Endpoints of feeds, one for each format. */
export const feedEndpoints = (['atom', 'rss'] as const).map((format) =>
  searchEndpoint({
    method: 'get',
    path: `/{lang}/feeds/datasets.${format}`,
    operation: `getByLangFeedsDatasets${{ atom: 'Atom', rss: 'Rss' }[format]}`,
    summary: `Datasets as ${feedFormats[format].name}, the last changed first`,
    auth: anyone,
    parameters: queryParameters().filter(({ name }) => isFeedParameter(name)),
    params: z.object({
      lang: z.string().meta({ description: 'Language of the texts: en, de, fr, …' }),
    }),
    answers: {
      200: {
        description: 'The feed',
        content: { [feedFormats[format].type]: { schema: z.string() } },
      },
      304: { description: 'Not changed since the state named in If-None-Match' },
    },
    handle: ({ c, params: { lang: language } }, context) =>
      longAnswer(c, () => feedAnswer(c, context, { format, language })),
  }),
)

/** Makes a page of datasets, independent of its format. Throws the errors of a search. */
async function feedOf(
  c: AppContext,
  context: SearchAppContext,
  { language, format }: FeedRequest,
): Promise<FeedDocument> {
  const { address, root, signal } = c.var
  const { recordPages, window = 10_000 } = context
  // Parameters that have an effect, so that addresses of pages contain no others.
  const query = new URLSearchParams(
    [...new URL(c.req.url).searchParams].filter(
      ([key, value]) => value.trim() !== '' && isFeedParameter(key.replace(/\[\]$/, '')),
    ),
  )
  const parameters = parametersOf(query, context.limits)
  const { page = 0, limit = 10, q, sort = ['modified desc'] } = parameters
  if (limit === 0) throw invalidParameter('limit', 'limit must be 1..1000 in a feed, got 0')
  const { request } = planSearch(
    { ...parameters, filters: ['dataset'], aggregation: false, includes: [...entryFields], sort },
    { ...context, settings: context.settings() },
  )
  const { count, hits } = await context.index.search(request, signal)
  const entries = hits.map((hit) => entryOf(hit, { language, root, recordPages }))
  const newest = Math.max(...entries.map(({ updated }) => updated.getTime()))
  const feedAddress = `${address}/${language}/feeds/datasets.${format}`
  const last = Math.min(Math.max(Math.ceil(count / limit) - 1, 0), Math.floor(window / limit))
  return {
    language,
    title: q === undefined ? 'Datasets' : `Datasets: ${q}`,
    description: q === undefined ? 'Datasets of the catalogues' : `Datasets found by ${q}`,
    author: new URL(address).host,
    site: `${address}/`,
    pages: pagesOf((number) => pageAddress(feedAddress, query, number), page, last),
    updated: entries.length === 0 ? context.now() : new Date(newest),
    entries,
  }
}

/** Makes the links to other pages; `last` is the last page that can be reached. */
const pagesOf = (
  addressOf: (page: number) => string,
  page: number,
  last: number,
): FeedDocument['pages'] => ({
  feed: addressOf(0),
  self: addressOf(page),
  first: addressOf(0),
  previous: page > 0 ? addressOf(Math.min(page - 1, last)) : undefined,
  next: page < last ? addressOf(page + 1) : undefined,
  last: addressOf(last),
})

/** Makes the address of a page; the first page has no number. */
function pageAddress(address: string, query: URLSearchParams, page: number): string {
  const parameters = new URLSearchParams(query)
  parameters.delete('page')
  if (page > 0) parameters.set('page', String(page))
  return parameters.size === 0 ? address : `${address}?${parameters.toString()}`
}
