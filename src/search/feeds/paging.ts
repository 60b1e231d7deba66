/** The addresses of the pages of a feed (RFC 5005 3). */

export type Paging = {
  /** Exact number of all hits. */
  readonly count: number
  readonly page: number
  readonly limit: number
  /** Hits reachable by page. */
  readonly window: number
}

export type Pages = {
  /** The feed whatever the page: what names it. */
  readonly feed: string
  readonly self: string
  readonly first: string
  readonly previous: string | undefined
  readonly next: string | undefined
  readonly last: string
}

/** `address` is that of the feed without its query. */
export function pagesOf(address: string, query: URLSearchParams, paging: Paging): Pages {
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
