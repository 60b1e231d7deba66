/** Optional parts of a page of hits: marked words, titles of catalogues, facets that ignore their own filter. */

import type { Answer, Facet, SearchIndex, SearchRequest } from '../search-index/search-index.ts'
import { catalogueTitles, withTitlesIn } from './facet-labels.ts'
import { highlightOf } from './highlights.ts'
import type { Parameters } from './request/search-parameters.ts'
import { recordFields } from './record-values.ts'
import { textAt } from '../text/json.ts'

type Extras = {
  readonly request: SearchRequest
  readonly answer: Answer
  readonly parameters: Pick<Parameters, 'highlight' | 'facetSelf' | 'locale' | 'includes'>
}

/** Adds the requested parts to an answer; returns the answer itself when there are none. */
export async function withExtras(
  index: SearchIndex,
  { request, answer, parameters }: Extras,
  signal: AbortSignal,
): Promise<Answer> {
  const { highlight = [], facetSelf = true, locale, includes = [] } = parameters
  const isTitled = includes.some((path) => path.startsWith('catalog.title'))
  const isRead = isTitled || highlight.length > 0
  const read = isRead
    ? answer.hits.map((hit) => ({ ...hit, fields: recordFields(hit.record) }))
    : []
  const catalogues = isTitled
    ? read.flatMap(({ fields }) => textAt(fields, 'catalog.id') ?? [])
    : []
  const [titles, ...facets] = await Promise.all([
    catalogueTitles(index, catalogues, signal),
    ...(answer.facets ?? []).map(async (facet) => {
      const counted = facetSelf ? facet : await countWithoutOwnFilter(index, request, facet, signal)
      return locale === undefined ? counted : withTitlesIn(counted, locale, index, signal)
    }),
  ])
  const hits = read.map(({ fields, ...hit }) => {
    const marks = highlightOf(fields, request.tree, parameters)
    const title = titles.get(textAt(fields, 'catalog.id') ?? '')
    const catalog = title === undefined ? undefined : { ...Object(fields['catalog']), title }
    const extra = { catalog, _highlight: marks }
    return { ...hit, record: JSON.stringify({ ...fields, ...extra }) }
  })
  return { ...answer, ...(isRead && { hits }), ...(answer.facets && { facets }) }
}

/** Counts a facet again without its own filter, so that a client can offer further values. */
async function countWithoutOwnFilter(
  index: SearchIndex,
  request: SearchRequest,
  facet: Facet,
  signal: AbortSignal,
): Promise<Facet> {
  const { facets: chosen } = request.filter
  const groups = chosen?.groups.filter((group) => group.facet !== facet.id) ?? []
  if (!chosen || groups.length === chosen.groups.length) return facet
  const filter = { ...request.filter, facets: { ...chosen, groups } }
  const facets = { ids: [facet.id], size: request.facets?.size ?? 50, global: false }
  const answer = await index.search({ ...request, filter, facets, limit: 0, offset: 0 }, signal)
  return answer.facets?.[0] ?? facet
}
