/** The search: hits, pages, the search for other programs, and what helps when nothing is found. */

import type { Fields } from '../../text/json.ts'
import type { SearchQuery } from '../addresses.ts'
import type { PageContext } from '../context.ts'
import { askedParameters, type Found } from '../found.ts'
import { html, type HtmlContent, type HtmlMarkup, icon } from '../html.ts'
import type { MaybePage, PageContent } from '../page.ts'
import { countedLinks, pageSection } from '../parts/blocks.ts'
import { chips, filterForm, hiddenFields, shownFacets, valueLabel } from '../parts/filters.ts'
import { entries, hit, hitFields } from '../parts/hits.ts'
import {
  askedBy,
  facetId,
  facetsAsSparql,
  isFacet,
  lastHit,
  only,
  pageSize,
  searchForm,
  sortOf,
  sorts,
  toggled,
  valuesOf,
  without,
} from '../search-query.ts'

type Search = {
  readonly query: SearchQuery
  readonly page: number
  readonly pages: ReturnType<typeof pageLinks>
  readonly found: Found
}

/** Throws `Failure` of the search. */
export async function searchPage(context: PageContext): Promise<PageContent> {
  const { t, language, find } = context
  const { query, page } = searchForm(context.query)
  const [q = ''] = valuesOf(query, 'q')
  const asked = askedBy(query, language, page)
  const found = await find({
    ...asked,
    includes: [...hitFields, '_highlight'],
    counted: shownFacets(context).map(facetId),
    more: { ...asked.more, highlight: 'title,description', suggestions: 'true' },
  })
  const { count } = found
  const pages = pageLinks(context, query, page, count)
  const search = { query, page, pages, found, opened: context.query.get('open') }
  const title = t(q === '' ? 'n-datasets' : 'n-datasets-for', { count, query: q })
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
    body: html`<div class="search-head"><h1>${title}</h1> ${chips(context, search)}</div>
      ${count === 0 ? await nearTo(context, query, found) : hits()}`,
  }
}

function hitList(context: PageContext, search: Search): HtmlMarkup {
  const { t } = context
  const { query, page, found } = search
  const before = (page - 1) * pageSize
  const range = { first: before + 1, last: before + found.records.length, count: found.count }
  const status = found.records.length === 0 ? t('no-hits-here') : t('hits-from-to', range)
  return html`<div class="listbar"><p class="soft small" role="status">${status}</p> ${sortForm(context, query)}</div>
    <ol class="hits" role="list">${found.records.map((record) => hit(context, record))}</ol>
    ${pageList(context, search)} ${take(context, query)}`
}

function sortForm({ t, pathTo }: PageContext, query: SearchQuery): HtmlMarkup {
  const hasWords = valuesOf(query, 'q').length > 0
  const names = Object.keys(sorts).filter((name) => name !== 'relevance' || hasWords)
  const options = names.map((name) => {
    const isChosen = name === sortOf(query)
    return html`<option value="${name}"${isChosen && html` selected`}>${t(`sort-${name}`)}</option>`
  })
  return html`<form action="${pathTo('datasets')}">${hiddenFields(without(query, 'sort'))}
    <label for="sort">${t('sort-by')}</label><select id="sort" name="sort">${options}</select>
    <button class="button small">${t('sort')}</button></form>`
}

/** Links to the first page, to this one and those beside it, and to the last one. */
function pageLinks({ searchTo }: PageContext, query: SearchQuery, page: number, count: number) {
  const last = Math.ceil(Math.min(count, lastHit) / pageSize)
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

function pageList({ t }: PageContext, { page, pages, found }: Search): HtmlContent {
  if (pages.length < 2) return false
  const numbers = pages.map(({ number, href }) => {
    const label = t('page-n', { page: number })
    return number === page
      ? html`<span aria-current="page" aria-label="${label}">${number}</span>`
      : html`<a href="${href}" aria-label="${label}">${number}</a>`
  })
  const next = pages.find(({ rel }) => rel === 'next')
  const isEnd = page * pageSize === lastHit && found.count > lastHit
  return html`<nav class="pages" aria-label="${t('pages')}">${numbers}
    ${next && html`<a href="${next.href}" rel="next">${t('next')} ${icon('arrow-right')}</a>`}</nav>
    ${isEnd && html`<p class="soft small">${t('beyond-pages', { count: lastHit })}</p>`}`
}

/** The same search as the search service takes it. */
const parametersOf = ({ language }: PageContext, query: SearchQuery, counted?: readonly string[]) =>
  askedParameters({ ...askedBy(query, language), counted }, language)

const feedAddress = (context: PageContext, query: SearchQuery, kind = 'atom'): string =>
  `${context.root}api/hub/search/${context.language}/feeds/datasets.${kind}?${parametersOf(context, query)}`

/** The same search for other programs. */
function take(context: PageContext, query: SearchQuery): HtmlMarkup {
  const { t, root, pathTo, searchTo } = context
  const api = `${root}api/hub/search/search?${parametersOf(context, query, shownFacets(context).map(facetId))}`
  const sparql =
    query.some(([name]) => isFacet(name)) &&
    `${pathTo('sparql')}?query=${encodeURIComponent(facetsAsSparql(query))}`
  return html`<p class="take"><span>${t('take-search')}</span>
    <a href="${feedAddress(context, query)}">${icon('rss')} Atom</a>
    <a href="${feedAddress(context, query, 'rss')}">RSS</a>
    <a href="${api}">JSON</a> <a href="${searchTo(query, 'datasets.csv')}">CSV</a>
    ${sparql && html`<a href="${sparql}">SPARQL</a>`}</p>`
}

/** The words without the filters, and the filters without the words, each with what it finds. */
async function alternatives(context: PageContext, query: SearchQuery): Promise<HtmlContent> {
  const { t, language, find, searchTo } = context
  const [q] = valuesOf(query, 'q')
  const bare = only(query, 'q', 'sort')
  if (q === undefined || bare.length === query.length) return false
  const others = [
    [t('without-filters', { query: q }), bare],
    [t('without-words'), without(query, 'q')],
  ] as const
  return Promise.all(
    others.map(async ([label, other]) => {
      const { count } = await find({ ...askedBy(other, language), limit: 0 })
      return html`<li><a href="${searchTo(other)}">${label}</a> · ${t('n-datasets', { count })}</li>`
    }),
  )
}

/** What was probably meant: under the same filters where that finds something, else without them, as suggestions are counted. */
async function meantBy(context: PageContext, query: SearchQuery, { suggestions: [first] }: Found) {
  const { language, find } = context
  if (!first) return undefined
  const searches = [without(query, 'q'), only(query, 'sort')].map(async (kept) => {
    const meant: SearchQuery = [...kept, ['q', first.q]]
    const asked = { ...askedBy(meant, language), limit: 3, includes: hitFields }
    return { ...(await find(asked)), q: first.q, meant }
  })
  return (await Promise.all(searches)).find(({ count }) => count > 0)
}

/** Other searches that find something, each with its count, and the first hits of the best one. */
async function nearTo(
  context: PageContext,
  query: SearchQuery,
  found: Found,
): Promise<HtmlContent> {
  const { t, formats, labelOf, pathTo, searchTo } = context
  const [others, best] = await Promise.all([
    alternatives(context, query),
    meantBy(context, query, found),
  ])
  const below = (record: Fields) => [labelOf(record['publisher']), formats.day(record['modified'])]
  return html`<div class="stack prose">${
    best &&
    html`<p>${t('did-you-mean')} <a href="${searchTo(best.meant)}"><strong>${best.q}</strong></a>?
      ${t('that-finds', { count: best.count })}</p>`
  }<ul>${others}<li><a href="${pathTo('')}">${t('browse-themes')}</a></li></ul></div>
    ${
      best &&
      pageSection('near', t('would-find', { query: best.q }), entries(context, best.records, below))
    }<p class="section">${missing(context, query)}
    <a href="${feedAddress(context, query)}">${icon('rss')} ${t('subscribe-search')}</a></p>`
}

/** Where somebody can ask for what is missing, if the operator names a place. */
function missing({ t, config }: PageContext, query: SearchQuery): HtmlContent {
  const [q = ''] = valuesOf(query, 'q')
  const address = config.feedback
    ?.replaceAll(/\{(?:id|title)\}/g, encodeURIComponent(q))
    .replaceAll('{iri}', '')
  return address && html`${t('is-missing')} <a href="${address}">${t('ask-for-it')}</a> · `
}

/** All values of one facet, with a field that narrows them down. */
export async function facetPage(context: PageContext, name: string): MaybePage {
  if (!isFacet(name)) return undefined
  const { t, language, nameOf, searchTo, find } = context
  const { query } = searchForm(context.query)
  const wanted = (context.query.get('filter') ?? '').trim().toLocaleLowerCase(language)
  const asked = askedBy(query, language)
  const more = { ...asked.more, facetSize: '500' }
  const found = await find({ ...asked, limit: 0, counted: [facetId(name)], more })
  const items = (found.facets.get(facetId(name)) ?? []).filter(({ id, title, count }) => {
    const label = nameOf(title) ?? id
    return count > 0 && label.toLocaleLowerCase(language).includes(wanted)
  })
  const links = items.map((item) => ({
    href: searchTo(toggled(query, name, item.id)),
    label: valueLabel(context, name, item),
    count: item.count,
  }))
  const title = t('all-of-facet', { facet: t(`facet-${name}`) })
  return {
    title,
    section: 'data',
    query: valuesOf(query, 'q')[0] ?? '',
    isIndexed: false,
    body: html`<h1>${title}</h1><form class="row close" action="${searchTo([], 'datasets', 'facets', name)}">
      ${hiddenFields(query)}<div class="field"><label for="filter">${t('narrow-down')}</label>
      <input type="search" id="filter" name="filter" value="${wanted}" /></div>
      <button class="button">${t('apply')}</button></form>
      <p class="soft small close" role="status">${t('n-values', { count: items.length })}</p>
      ${countedLinks(context, links, t('datasets'))}
      <p class="close"><a href="${searchTo(query)}">${icon('arrow-left')} ${t('back-to-search')}</a></p>`,
  }
}
