/**
 * Optional parts of a page of `/search`: marked words (`highlight`), explanations of the order (`explain`), titles of catalogues
 * (`includes`), facets that ignore their own filter (`facetSelf`).
 */

import type { Answer, Facet, SearchIndex, SearchRequest } from '../search-index/search-index.ts'
import { rankingLeaves, type Leaf, type Term } from '../search-index/query-tree.ts'
import { includeFields } from '../search-index/include.ts'
import { catalogueTitles, withTitlesIn } from './facet-labels.ts'
import { explanationOf } from './explanation.ts'
import { highlightOf } from './highlights.ts'
import type { Parameters } from './request/search-parameters.ts'
import { recordFields } from './record-values.ts'
import { textAt } from '../text/json.ts'

type Extras = {
  readonly request: SearchRequest
  readonly answer: Answer
  readonly parameters: Pick<Parameters, 'highlight' | 'facetSelf' | 'locale' | 'includes'>
  /** Whether hits are explained; they must be whole records then, and get the members that `request` includes. */
  readonly explain: boolean
}

/** Adds the requested parts to an answer; returns the answer itself when there are none. */
export async function withExtras(
  index: SearchIndex,
  { request, answer, parameters, explain }: Extras,
  signal: AbortSignal,
): Promise<Answer> {
  const { highlight = [], facetSelf = true, locale, includes = [] } = parameters
  const needsTitles = includes.some((path) => path.startsWith('catalog.title'))
  const needsWords = explain || highlight.length > 0
  const needsFields = needsTitles || needsWords
  const parsedHits = needsFields
    ? answer.hits.map((hit) => ({ ...hit, fields: recordFields(hit.record) }))
    : []
  const catalogues = needsTitles
    ? parsedHits.flatMap(({ fields }) => textAt(fields, 'catalog.id') ?? [])
    : []
  const words = needsWords ? rankingLeaves(request.tree).filter(isTerm) : []
  const [titles, forms, ...facets] = await Promise.all([
    catalogueTitles(index, catalogues, signal),
    words.length > 0 ? index.wordForms(words, signal) : [],
    ...(answer.facets ?? []).map(async (facet) => {
      const countedFacet = facetSelf
        ? facet
        : await countWithoutOwnFilter(index, request, facet, signal)
      return locale === undefined ? countedFacet : withTitlesIn(countedFacet, locale, index, signal)
    }),
  ])
  const formsOf = new Map(words.map((term, i) => [term, forms[i] ?? []]))
  const settings = new Map(index.currentSettings().map((each) => [each.index, each]))
  const hits = parsedHits.map(({ fields, ...hit }) => {
    const marks = highlightOf(fields, request.tree, { ...parameters, forms: formsOf })
    const shown = explain && request.include ? includeFields(fields, request.include) : fields
    const title = titles.get(textAt(shown, 'catalog.id') ?? '')
    const catalog = title === undefined ? undefined : { ...Object(shown['catalog']), title }
    const texts = settings.get(hit.index)?.texts ?? []
    const explained = { request, texts, forms: formsOf, closeness: hit.closeness }
    const why = explain ? explanationOf(fields, explained) : undefined
    const extra = { catalog, _highlight: marks, _why: why }
    return { ...hit, record: JSON.stringify({ ...shown, ...extra }) }
  })
  return { ...answer, ...(needsFields && { hits }), ...(answer.facets && { facets }) }
}

const isTerm = (leaf: Leaf): leaf is Term => leaf.kind === 'term'

/** Counts a facet again without its own filter, so that a client can offer further values. */
async function countWithoutOwnFilter(
  index: SearchIndex,
  request: SearchRequest,
  facet: Facet,
  signal: AbortSignal,
): Promise<Facet> {
  // Counts over all records follow from no filter.
  if (request.facets?.global === true) return facet
  const { facets: facetFilter } = request.filter
  const groups = facetFilter?.groups.filter((group) => group.facet !== facet.id) ?? []
  if (!facetFilter || groups.length === facetFilter.groups.length) return facet
  const filter = { ...request.filter, facets: { ...facetFilter, groups } }
  const facets = { ids: [facet.id], size: request.facets?.size ?? 50, global: false }
  const answer = await index.search({ ...request, filter, facets, limit: 0, offset: 0 }, signal)
  return answer.facets?.[0] ?? facet
}
