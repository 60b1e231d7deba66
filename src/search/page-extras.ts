/** What a page of hits gets when a request asks for it: marked words, titles of catalogues, facets that ignore their own values. */

import type { Answer, Facet, SearchIndex, SearchRequest } from '../search-index/search-index.ts'
import { isJsonObject, type Fields } from '../text/json.ts'
import { namedIn } from './facet-labels.ts'
import { highlightOf } from './highlights.ts'
import type { Parameters } from './request/search-parameters.ts'
import { recordFields } from './record-values.ts'

type Extras = {
  readonly request: SearchRequest
  readonly answer: Answer
  readonly parameters: Pick<Parameters, 'highlight' | 'facetSelf' | 'locale' | 'includes'>
}

/** The answer with what was asked for; the answer itself where nothing was. */
export async function withExtras(
  index: SearchIndex,
  { request, answer, parameters }: Extras,
  signal: AbortSignal,
): Promise<Answer> {
  const { highlight = [], facetSelf = true, locale, includes = [] } = parameters
  const shownFacets = async () => {
    const facets = facetSelf
      ? answer.facets
      : await otherwise(index, request, answer.facets, signal)
    if (!facets || locale === undefined) return facets
    return namedIn(index, { facets, language: locale }, signal)
  }
  const isTitled = includes.some((path) => path.startsWith('catalog.title'))
  const [facets, titles] = await Promise.all([
    shownFacets(),
    isTitled ? catalogueTitles(index, answer, signal) : undefined,
  ])
  const options = { locale: locale ?? 'en', highlight }
  const hits = answer.hits.map((hit) => {
    if (highlight.length === 0 && !titles) return hit
    const record = recordFields(hit.record)
    const marks = highlightOf(record, request.tree, options)
    const catalog = titled(record, titles)
    const extra = { ...(catalog && { catalog }), ...(marks && { _highlight: marks }) }
    return { ...hit, record: JSON.stringify({ ...record, ...extra }) }
  })
  return { ...answer, hits, ...(facets && { facets }) }
}

/** Facets with chosen values are counted once more without them, so that a second value can be added. */
async function otherwise(
  index: SearchIndex,
  request: SearchRequest,
  facets: readonly Facet[] | undefined,
  signal: AbortSignal,
): Promise<readonly Facet[] | undefined> {
  const { facets: chosen } = request.filter
  if (!facets || !chosen) return facets
  const again = await Promise.all(
    chosen.groups.map(async ({ facet }) => {
      const groups = chosen.groups.filter((group) => group.facet !== facet)
      const filter = { ...request.filter, facets: { ...chosen, groups } }
      const size = request.facets?.size ?? 50
      const answer = await index.search(
        { ...request, filter, facets: { ids: [facet], size, global: false }, limit: 0, offset: 0 },
        signal,
      )
      return answer.facets?.[0]
    }),
  )
  return facets.map((facet) => again.find((other) => other?.id === facet.id) ?? facet)
}

/** Catalogue → title, of those that the hits are in. */
async function catalogueTitles(
  index: SearchIndex,
  { hits }: Answer,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, unknown>> {
  const ids = new Set(
    hits.map(({ record }) => catalogueOf(recordFields(record))).filter((id) => id !== undefined),
  )
  const titles = await Promise.all(
    [...ids].map(async (id) => {
      const record = await index.get('catalogue', id, signal)
      return [id, record === undefined ? undefined : recordFields(record)['title']] as const
    }),
  )
  return new Map(titles)
}

function catalogueOf({ catalog }: Fields): string | undefined {
  const id = isJsonObject(catalog) ? catalog['id'] : undefined
  return typeof id === 'string' ? id : undefined
}

function titled(
  record: Fields,
  titles: ReadonlyMap<string, unknown> | undefined,
): object | undefined {
  const id = catalogueOf(record)
  const title = id === undefined ? undefined : titles?.get(id)
  return title === undefined ? undefined : { ...Object(record['catalog']), title }
}
