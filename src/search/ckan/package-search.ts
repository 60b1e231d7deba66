/** `package_search`: the request to the index, and its answer in the words of CKAN. */

import type { Answer, OrderKey, SearchRequest } from '../../search-index/search-index.ts'
import type { IndexSettings } from '../../search-index/index-settings.ts'
import type { QueryTree } from '../../search-index/query-tree.ts'
import type { z } from 'zod'
import { fieldsOf } from '../feeds/reading.ts'
import { parseQuery } from '../query/parser.ts'
import { scopesOf, type Scopes } from '../query/scopes.ts'
import type { SearchDeps } from '../deps.ts'
import { orderOf } from '../request/sorting.ts'
import { filterTree } from './filter-query.ts'
import { fieldOf } from './names.ts'
import { packageOf } from './packages.ts'
import { callOf, searchCall, type Given } from './parameters.ts'

export type CkanDeps = Pick<
  SearchDeps,
  'index' | 'settings' | 'limits' | 'window' | 'boosts' | 'http'
>

type Call = z.output<typeof searchCall>

/** CKAN gives fewer rows rather than none where more are asked for; portals ask for very many. */
const most = { rows: 1000, items: 1000 }

const usualSort = 'score desc, metadata_modified desc'

/** Packages that are written at once, so that others get their turn in between. */
const step = 50

/** The result in pieces. Throws `invalid-parameter`, `malformed-query`, `query-too-complex` and what the engine throws. */
export async function* packageSearch(
  deps: CkanDeps,
  given: Given,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const call = callOf(searchCall, given)
  const settings = deps.settings().filter(({ index }) => index === 'dataset')
  const request = requestOf(call, deps, settings)
  const answer: Answer =
    settings.length === 0 ? { count: 0, hits: [] } : await deps.index.search(request, signal)
  const sort = JSON.stringify(call.sort ?? usualSort)
  yield `{"count":${answer.count},"sort":${sort},${facetsText(call, answer)},"results":[`
  for (let from = 0; from < answer.hits.length; from += step) {
    const packages = answer.hits
      .slice(from, from + step)
      .map(({ record }) => JSON.stringify(packageOf(fieldsOf(record))))
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
  orderOf(
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
