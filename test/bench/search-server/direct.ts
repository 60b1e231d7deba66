/** Calls that a client who knows our filters would send to an engine itself. */

import type { ServerName } from '../search-servers.ts'
import type { Call } from './recording.ts'

/** Search among the calls of one request to our index, and calls in its place from the best to the last; none where we need not ask. */
export function directly(name: ServerName, calls: readonly Call[]) {
  const isSearch = ({ path, body }: Call) =>
    /search(?:\?|$)/.test(path) && !path.startsWith('/_msearch') && !body.includes('"size":0,')
  // Meilisearch is asked for words before, and OpenSearch for the titles of facet values afterwards.
  const own = name === 'opensearch' ? calls.find(isSearch) : calls.findLast(isSearch)
  const direct = name === 'opensearch' ? directOnOpensearch : directOnMeilisearch
  return { own, direct: own ? direct(own) : [] }
}

/** The search with its filter, scores, order and facets, and the ten records; not the texts of the hits that we order. */
function directOnOpensearch({ path, body }: Call): readonly Call[] {
  const { stored_fields: _, ...query }: Query & { readonly stored_fields?: unknown } =
    JSON.parse(body)
  return [{ path, body: JSON.stringify({ ...query, from: 0, size: 10 }) }]
}

type Query = Readonly<Record<string, unknown>> & { readonly q?: string }
type Merged = {
  readonly federation: {
    readonly facetsByIndex?: Readonly<Record<string, readonly string[]>>
    readonly limit: number
    readonly offset: number
  }
  readonly queries: readonly (Query & { readonly indexUid: string })[]
}

/** What every document holds, so that a ranked search finds those that have none of the words as they are. */
const sentinel = /^"zzz" ?/

/**
 * Plain searches with the same filter, order, facets and attributes. Where we rank, the first has the words as they are, which may find
 * less than the filter does, and the second has none.
 */
function directOnMeilisearch(own: Call): readonly Call[] {
  const { path, query } = own.path === '/multi-search' ? firstOf(own) : parsed(own)
  const { q, filter, sort, attributesToRetrieve, facets, limit, offset } = query
  const common = { filter, sort, attributesToRetrieve, facets, limit, offset }
  const asked = q === undefined ? [common] : [{ ...common, q: q.replace(sentinel, '') }, common]
  return asked.map((body) => ({ path, body: JSON.stringify(body) }))
}

function parsed({ path, body }: Call): { readonly path: string; readonly query: Query } {
  const query: Query = JSON.parse(body)
  return { path, query }
}

function firstOf({ body }: Call): { readonly path: string; readonly query: Query } {
  const { federation, queries }: Merged = JSON.parse(body)
  const { facetsByIndex, limit, offset } = federation
  const { indexUid = '', ...query } = queries[0] ?? {}
  const facets = facetsByIndex?.[indexUid]
  return { path: `/indexes/${indexUid}/search`, query: { ...query, facets, limit, offset } }
}
