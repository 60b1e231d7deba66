/**
 * Search page with hits, links to further pages and other formats, and alternatives when there are no hits; and the page of the
 * values of a facet.
 */

import type { Fields } from '../../text/json.ts'
import type { FormEntries } from '../addresses.ts'
import type { PageContext } from '../context.ts'
import { searchQueryString, type SearchResult } from '../search-result.ts'
import { html, type HtmlContent, type HtmlMarkup, icon, joinHtml } from '../html.ts'
import type { MaybePage, PageContent } from '../layout.ts'
import { countedLinks, pageSection } from '../parts/blocks.ts'
import {
  filterChips,
  filterForm,
  hiddenFields,
  configuredFacets,
  countedFacets,
  valueLabel,
} from '../parts/filters.ts'
import { datasetList, searchHit, hitFields } from '../parts/hits.ts'
import { placeLinks } from '../parts/places.ts'
import {
  searchParamsOf,
  searchFacetOf,
  sparqlOfFacets,
  isFacetField,
  lastReachableHit,
  onlyFields,
  pageSize,
  searchForm,
  sortNameOf,
  sortOrders,
  toggleValue,
  formValues,
  withoutFields,
  wordsAlone,
} from '../search-form.ts'

/** Name of the built-in page that says how the search works. */
export const aboutSearch = 'about-search'

/** Search that is shown. */
type Search = {
  readonly query: FormEntries
  readonly page: number
  readonly pages: ReturnType<typeof pageLinks>
  readonly result: SearchResult
}

/** Page of hits. Rejects with the `Failure` of the search. */
export async function searchPage(context: PageContext): Promise<PageContent> {
  const { t, language, find } = context
  const { query, page } = searchForm(context.query)
  const [q = ''] = formValues(query, 'q')
  const params = searchParamsOf(query, language, page)
  const result = await find({
    ...params,
    includes: [...hitFields, '_highlight'],
    counted: countedFacets(context, query).map(searchFacetOf),
    parameters: {
      ...params.parameters,
      highlight: 'title,description',
      suggestions: 'true',
      // With the field for a place, the words of the search are not those of the query.
      places: formValues(query, 'place').length > 0 ? undefined : 'true',
      explain: formValues(query, 'explain')[0],
    },
  })
  const { count } = result
  const pages = pageLinks(context, query, page, count)
  const search = { query, page, pages, result, openGroup: context.query.get('open') }
  const found = isOnlyRelated(result) ? 0 : count
  const title = t(q === '' ? 'n-datasets' : 'n-datasets-for', { count: found, query: q })
  const hits = () => html`<div class="with-filters">${filterForm(context, search)}
    <div>${hitList(context, search)}</div></div>`
  return {
    title,
    section: 'data',
    query: q,
    isIndexed: query.length === 0,
    canonical: q === '' ? 'datasets' : `datasets?q=${encodeURIComponent(q)}`,
    head: html`<link rel="alternate" type="application/atom+xml" title="${t('feed')}" href="${feedAddress(context, query)}"/>
      ${pages.map(({ rel, href }) => rel && html`<link rel="${rel}" href="${href}" />`)}`,
    body: html`<div class="search-head"><h1>${title}</h1> ${filterChips(context, search)}
      ${placeLinks(context, query, result)}</div>
      ${count === 0 ? await contentWithoutHits(context, query, result) : hits()}`,
  }
}

/** Whether no hit has any of the words: related ones are not called hits. */
const isOnlyRelated = ({ count, related }: SearchResult): boolean => count > 0 && related === count

function hitList(context: PageContext, search: Search): HtmlMarkup {
  const { t } = context
  const { query, page, result } = search
  const before = (page - 1) * pageSize
  const range = { first: before + 1, last: before + result.records.length, count: result.count }
  const positions = result.records.length === 0 ? t('no-hits-here') : t('hits-from-to', range)
  const status = isOnlyRelated(result) ? t('no-words-related') : positions
  return html`<div class="listbar"><p class="soft small" role="status">${status}</p> ${sortForm(context, query)}</div>
    ${nearWords(context, search)}${aboutOrder(context, search)}
    <ol class="hits" role="list">${result.records.map((record) => searchHit(context, record))}</ol>
    ${pageList(context, search)} ${otherFormats(context, query)}`
}

/** Words of the query that no record has, and those found in their place; nothing if there are none. */
function nearWords({ t, language }: PageContext, { result }: Search): HtmlContent {
  if (result.instead.length === 0) return false
  const list = new Intl.ListFormat(language, { type: 'disjunction' })
  const lines = result.instead.map(([word, near]) =>
    t('near-words', { word, near: list.format(near) }),
  )
  return html`<p class="prose close">${lines.join(' ')}</p>`
}

const severalWords = /\S\s+\S/

/** Links to the search by the words alone, where that may find others, and to explanations of the order of hits by relevance. */
function aboutOrder({ t, pathTo, searchTo }: PageContext, { query, result }: Search): HtmlContent {
  const [q] = formValues(query, 'q')
  if (q === undefined || sortNameOf(query) !== 'relevance') return false
  const names = wordsAlone.map(([name]) => name)
  const others = withoutFields(query, ...names)
  const mayDiffer = result.instead.length > 0 || result.related > 0 || severalWords.test(q)
  const isAlone = others.length < query.length
  const withoutWhy = withoutFields(query, 'explain')
  const isExplained = withoutWhy.length < query.length
  const links = [
    mayDiffer &&
      !isAlone &&
      html`<a href="${searchTo([...others, ...wordsAlone])}">${t('only-these-words')}</a>`,
    isExplained
      ? html`<a href="${searchTo(withoutWhy)}">${t('hide-why')}</a>`
      : html`<a href="${searchTo([...query, ['explain', 'true']])}">${t('why-order')}</a>`,
  ]
  return html`<p class="small close">${joinHtml(links, ' · ')}</p>
    ${isExplained && html`<p class="prose">${t('why-intro')} <a href="${pathTo('pages', aboutSearch)}">${t('about-search')}</a></p>`}`
}

function sortForm({ t, pathTo }: PageContext, query: FormEntries): HtmlMarkup {
  const hasWords = formValues(query, 'q').length > 0
  const names = Object.keys(sortOrders).filter((name) => name !== 'relevance' || hasWords)
  const options = names.map((name) => {
    const isChosen = name === sortNameOf(query)
    return html`<option value="${name}"${isChosen && html` selected`}>${t(`sort-${name}`)}</option>`
  })
  return html`<form action="${pathTo('datasets')}">${hiddenFields(withoutFields(query, 'sort'))}
    <label for="sort">${t('sort-by')}</label><select id="sort" name="sort">${options}</select>
    <button class="button small">${t('sort')}</button></form>`
}

/** Links to the first page, to the current page and its neighbours, and to the last reachable page. */
function pageLinks({ searchTo }: PageContext, query: FormEntries, page: number, count: number) {
  const last = Math.ceil(Math.min(count, lastReachableHit) / pageSize)
  const numbers = new Set([1, page - 1, page, page + 1, last])
  return [...numbers]
    .filter((number) => number >= 1 && number <= last)
    .toSorted((a, b) => a - b)
    .map((number) => ({
      number,
      href: searchTo(number > 1 ? [...query, ['page', String(number)]] : query),
      rel: number === page - 1 ? 'prev' : number === page + 1 && 'next',
    }))
}

function pageList({ t }: PageContext, { page, pages, result }: Search): HtmlContent {
  if (pages.length < 2) return false
  const numbers = pages.map(({ number, href }) => {
    const label = t('page-n', { page: number })
    return number === page
      ? html`<span aria-current="page" aria-label="${label}">${number}</span>`
      : html`<a href="${href}" aria-label="${label}">${number}</a>`
  })
  const next = pages.find(({ rel }) => rel === 'next')
  const isEnd = page * pageSize === lastReachableHit && result.count > lastReachableHit
  return html`<nav class="pages" aria-label="${t('pages')}">${numbers}
    ${next && html`<a href="${next.href}" rel="next">${t('next')} ${icon('arrow-right')}</a>`}</nav>
    ${isEnd && html`<p class="soft small">${t('beyond-pages', { count: lastReachableHit })}</p>`}`
}

/** Query string of the search for the search API. */
const parametersOf = ({ language }: PageContext, query: FormEntries, counted?: readonly string[]) =>
  searchQueryString({ ...searchParamsOf(query, language), counted }, language)

const feedAddress = (context: PageContext, query: FormEntries, kind = 'atom'): string =>
  `${context.root}api/hub/search/${context.language}/feeds/datasets.${kind}?${parametersOf(context, query)}`

/** Links to the search as feeds, JSON and CSV, and to a SPARQL query with its facet values, if it has any. */
function otherFormats(context: PageContext, query: FormEntries): HtmlMarkup {
  const { t, root, pathTo, searchTo } = context
  const api = `${root}api/hub/search/search?${parametersOf(context, query, configuredFacets(context).map(searchFacetOf))}`
  const sparql =
    query.some(([name]) => isFacetField(name)) &&
    `${pathTo('sparql')}?query=${encodeURIComponent(sparqlOfFacets(query))}`
  return html`<p class="take"><span>${t('take-search')}</span>
    <a href="${feedAddress(context, query)}">${icon('rss')} Atom</a>
    <a href="${feedAddress(context, query, 'rss')}">RSS</a>
    <a href="${api}">JSON</a> <a href="${searchTo(query, 'datasets.csv')}">CSV</a>
    ${sparql && html`<a href="${sparql}">SPARQL</a>`}</p>`
}

/**
 * Links to the search words without the filters and to the filters without the words, each with its number of hits, which may be
 * 0; nothing where the search has no words or no filters.
 */
async function alternatives(context: PageContext, query: FormEntries): Promise<HtmlContent> {
  const { t, language, find, searchTo } = context
  const [q] = formValues(query, 'q')
  const bare = onlyFields(query, 'q', 'sort', 'words', 'related', 'explain')
  if (q === undefined || bare.length === query.length) return false
  const others = [
    [t('without-filters', { query: q }), bare],
    [t('without-words'), withoutFields(query, 'q')],
  ] as const
  return Promise.all(
    others.map(async ([label, other]) => {
      const { count } = await find({ ...searchParamsOf(other, language), limit: 0 })
      return html`<li><a href="${searchTo(other)}">${label}</a> · ${t('n-datasets', { count })}</li>`
    }),
  )
}

/**
 * Search with the suggested spelling: with the same filters where that has hits, else without them. `undefined` without a
 * suggestion, or where neither has hits.
 */
async function suggestedSearch(
  context: PageContext,
  query: FormEntries,
  { suggestions: [first] }: SearchResult,
) {
  const { language, find } = context
  if (!first) return undefined
  const searches = [withoutFields(query, 'q'), onlyFields(query, 'sort')].map(async (entries) => {
    const suggested: FormEntries = [...entries, ['q', first.q]]
    const params = { ...searchParamsOf(suggested, language), limit: 3, includes: hitFields }
    return { ...(await find(params)), q: first.q, suggested }
  })
  return (await Promise.all(searches)).find(({ count }) => count > 0)
}

/** Content in place of hits: other searches with their numbers of hits, the first hits of the suggested one, and a feed. */
async function contentWithoutHits(
  context: PageContext,
  query: FormEntries,
  result: SearchResult,
): Promise<HtmlContent> {
  const { t, formats, labelOf, pathTo, searchTo } = context
  const [others, best] = await Promise.all([
    alternatives(context, query),
    suggestedSearch(context, query, result),
  ])
  const about = (record: Fields) => [labelOf(record['publisher']), formats.day(record['modified'])]
  return html`<div class="stack prose">${
    best &&
    html`<p>${t('did-you-mean')} <a href="${searchTo(best.suggested)}"><strong>${best.q}</strong></a>?
      ${t('that-finds', { count: best.count })}</p>`
  }<ul>${others}<li><a href="${pathTo('')}">${t('browse-themes')}</a></li></ul></div>
    ${
      best &&
      pageSection(
        'near',
        t('would-find', { query: best.q }),
        datasetList(context, best.records, about),
      )
    }<p class="section">${missing(context, query)}
    <a href="${feedAddress(context, query)}">${icon('rss')} ${t('subscribe-search')}</a></p>`
}

/** Link for requests of missing data, where the operator has configured one. */
function missing({ t, config }: PageContext, query: FormEntries): HtmlContent {
  const [q = ''] = formValues(query, 'q')
  const address = config.feedback
    ?.replaceAll(/\{(?:id|title)\}/g, encodeURIComponent(q))
    .replaceAll('{iri}', '')
  return address && html`${t('is-missing')} <a href="${address}">${t('ask-for-it')}</a> · `
}

/**
 * Page of the values of a facet that have hits in the search, 500 at most, with a field that filters them; `undefined` for an
 * unknown facet. Rejects with `Failure`.
 */
export async function facetPage(context: PageContext, name: string): MaybePage {
  if (!isFacetField(name)) return undefined
  const { t, language, nameOf, searchTo, find } = context
  const { query } = searchForm(context.query)
  const filterText = (context.query.get('filter') ?? '').trim().toLocaleLowerCase(language)
  const params = searchParamsOf(query, language)
  const parameters = { ...params.parameters, facetSize: '500' }
  const result = await find({ ...params, limit: 0, counted: [searchFacetOf(name)], parameters })
  const items = (result.facets.get(searchFacetOf(name)) ?? []).filter(({ id, title, count }) => {
    const label = nameOf(title) ?? id
    return count > 0 && label.toLocaleLowerCase(language).includes(filterText)
  })
  const links = items.map((item) => ({
    href: searchTo(toggleValue(query, name, item.id)),
    label: valueLabel(context, name, item),
    count: item.count,
  }))
  const title = t('all-of-facet', { facet: t(`facet-${name}`) })
  return {
    title,
    section: 'data',
    query: formValues(query, 'q')[0] ?? '',
    isIndexed: false,
    body: html`<h1>${title}</h1><form class="row close" action="${searchTo([], 'datasets', 'facets', name)}">
      ${hiddenFields(query)}<div class="field"><label for="filter">${t('narrow-down')}</label>
      <input type="search" id="filter" name="filter" value="${filterText}" /></div>
      <button class="button">${t('apply')}</button></form>
      <p class="soft small close" role="status">${t('n-values', { count: items.length })}</p>
      ${countedLinks(context, links, t('datasets'))}
      <p class="close"><a href="${searchTo(query)}">${icon('arrow-left')} ${t('back-to-search')}</a></p>`,
  }
}
