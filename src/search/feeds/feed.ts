/** A page of datasets as a feed, before it is written in one of the two formats. */

import type { SearchDeps } from '../deps.ts'
import { searchOf } from '../request/search-request.ts'
import { entryOf, type Entry } from './entries.ts'
import { pagesOf, type Pages } from './paging.ts'
import { feedSearch, knownOnly } from './parameters.ts'

export type FeedDeps = Pick<
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

export type Feed = {
  readonly language: string
  readonly title: string
  readonly description: string
  /** Who answers for entries without an author. */
  readonly author: string
  /** Where people find the service. */
  readonly site: string
  readonly pages: Pages
  /** That of the newest entry; now where there is none. */
  readonly updated: Date
  readonly entries: readonly Entry[]
}

type Wanted = {
  /** Where the client reaches the service, without a slash at its end, and the platform. */
  readonly address: string
  readonly root: string
  readonly query: URLSearchParams
  readonly language: string
  readonly form: 'atom' | 'rss'
}

/** Throws what a search throws. */
export async function feedOf(deps: FeedDeps, wanted: Wanted, signal: AbortSignal): Promise<Feed> {
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
