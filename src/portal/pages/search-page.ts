/** The search: hits, filters, chips, pages, and what helps when nothing is found. */

import type { Fields } from '../../text/json.ts'
import { searchParametersOf, type SearchQuery } from '../addresses.ts'
import type { PageContext } from '../context.ts'
import type { FacetChoice, Found } from '../found.ts'
import { html, type HtmlContent, type HtmlMarkup, icon } from '../html.ts'
import type { PageContent } from '../page.ts'
import { pageSection } from '../parts/blocks.ts'
import { entries, hit } from '../parts/hits.ts'
import {
  facetParameters,
  facetsAsSparql,
  formQuery,
  lastHit,
  pageSize,
  searchForm,
  type SearchForm,
  serviceQuery,
  sorts,
  toggled,
} from '../search-query.ts'

/** Values of a facet before the link to all of them. */
const mostValues = 10
/** Facets that are open at first. */
const openFacets = 5

const fieldsShown = [
  'id',
  'title',
  'description',
  'identifier',
  'publisher',
  'catalog',
  'catalog.title',
  'modified',
  'issued',
  'is_hvd',
  'language',
  'quality_meas.scoring',
  'distributions.format',
  'distributions.license',
  '_highlight',
].join(',')

/** Throws `ServiceRefusal` and `Failure` of the search. */
export async function searchPage(
  context: PageContext,
  parameters: URLSearchParams,
): Promise<PageContent> {
  const form = searchForm(parameters)
  const found = await context.find(
    serviceQuery(form, context.language, {
      includes: fieldsShown,
      highlight: 'title,description',
      suggestions: 'true',
      aggregationAllFields: 'false',
      aggregationFields: shownFacets(context)
        .map((name) => facetParameters[name] ?? name)
        .join(','),
    }),
  )
  const near = found.count === 0 ? await nearTo(context, form, found) : undefined
  const title = titleOf(context, form, found.count)
  const isBare = formQuery(form).length === 0
  return {
    title,
    section: 'data',
    query: form.q,
    isIndexed: isBare,
    canonical: form.q === '' ? 'datasets' : `datasets?q=${encodeURIComponent(form.q)}`,
    head: html`${feedLink(context, form)}${neighbours(context, form, found.count)}`,
    body: html`<div class="search-head"> <h1>${title}</h1> ${chips(context, form, found)} </div> ${
      found.count === 0 && near !== undefined
        ? near
        : html`<div class="with-filters"> ${filters(context, form, found)}
          <div>${hitList(context, form, found)}</div> </div>`
    }`,
  }
}

const shownFacets = ({ config }: PageContext): readonly string[] =>
  config.facets.filter((name) => Object.hasOwn(facetParameters, name))

const titleOf = ({ t, formats }: PageContext, { q }: SearchForm, count: number): string =>
  q === ''
    ? t('n-datasets', { count })
    : t('n-datasets-for', { count, number: formats.number(count), query: q })

/** A link for each filter that removes it. */
function chips(context: PageContext, form: SearchForm, found: Found): HtmlContent {
  const { t, searchTo } = context
  const chip = (label: HtmlContent, query: SearchQuery) =>
    html`<a class="chip" href="${searchTo(query)}"><span><span class="vh">${t('remove-filter')}
      </span>${label}</span>${icon('x')}</a>`
  const all = [
    ...[...form.facets].flatMap(([name, values]) =>
      values.map((value) => {
        const item = found.facets.get(facetParameters[name] ?? name)?.find(({ id }) => id === value)
        const label = valueLabel(context, name, item ?? { id: value, title: value, count: 0 })
        return chip(
          html`${t(`facet-${name}`)}: ${label}`,
          formQuery(form, { facets: toggled(form, name, value) }),
        )
      }),
    ),
    ...(['from', 'to', 'place', 'bbox'] as const).flatMap((name) => {
      const value = form[name]
      return value === undefined || value === ''
        ? []
        : [chip(html`${t(name)}: ${String(value)}`, formQuery(form, { [name]: undefined }))]
    }),
  ]
  if (all.length === 0) return false
  const none = searchTo(form.q === '' ? [] : [['q', form.q]])
  return html`<div class="active" role="group" aria-label="${t('active-filters')}">
    ${all}<a href="${none}">${t('remove-all')}</a> </div>`
}

/** What a value of a facet is called: in words of ours where the value is a sign. */
function valueLabel(context: PageContext, name: string, { id, title }: FacetChoice): HtmlContent {
  if (name === 'hvd' || name === 'quality') return context.t(`${name}-${id}`)
  return context.labelOf(title) ?? context.nameOf(title) ?? id
}

function filters(context: PageContext, form: SearchForm, found: Found): HtmlMarkup {
  const { t, pathTo, searchTo } = context
  const groups = shownFacets(context).map((name, at) =>
    facetGroup(context, { form, found, name, isOpen: at < openFacets || form.facets.has(name) }),
  )
  const active = [...form.facets.values()].flat().length
  return html`<details class="filters"> <summary> ${icon('sliders-horizontal')} ${t('filters')}
    ${active > 0 && html`<span class="soft">${t('n-active', { count: active })}</span>`} </summary>
    <form action="${pathTo('datasets')}" data-auto aria-label="${t('filters')}">
    ${form.q !== '' && html`<input type="hidden" name="q" value="${form.q}" />`}${form.sort !== undefined && html`<input type="hidden" name="sort" value="${form.sort}" />`}
    ${groups} <details class="facet" ${(form.from ?? form.to ?? (form.place || undefined)) !== undefined && html` open`} >
    <summary><span>${t('dates-and-place')}</span>${icon('chevron-down')}</summary> <div class="stack">
    <div class="field"> <label for="from">${t('from')}</label><input type="date" id="from" name="from" value="${form.from ?? ''}" />
    </div> <div class="field">
    <label for="to">${t('to')}</label><input type="date" id="to" name="to" value="${form.to ?? ''}" /> </div>
    <div class="field"> <label for="place">${t('place')}</label><input type="text" id="place" name="place" value="${form.place}" /><span class="hint">${t('place-hint')}</span>
    </div> </div> </details> <div class="filter-actions">
    <button class="button primary">${t('apply')}</button><a class="button quiet" href="${searchTo(form.q === '' ? [] : [['q', form.q]])}">${t('reset')}</a>
    </div> </form> </details>`
}

type FacetGroup = {
  readonly form: SearchForm
  readonly found: Found
  readonly name: string
  readonly isOpen: boolean
}

/** Checked values first; those that would find nothing only where they are checked. */
function facetGroup(context: PageContext, { form, found, name, isOpen }: FacetGroup): HtmlContent {
  const { t, searchTo } = context
  const checked = form.facets.get(name) ?? []
  const items = found.facets.get(facetParameters[name] ?? name) ?? []
  const known = items.filter(({ id, count }) => count > 0 || checked.includes(id))
  const unknown = checked
    .filter((id) => !items.some((item) => item.id === id))
    .map((id) => ({ id, title: id, count: 0 }))
  const isChecked = ({ id }: FacetChoice) => checked.includes(id)
  const all = [...unknown, ...known.filter(isChecked), ...known.filter((item) => !isChecked(item))]
  if (all.length === 0) return false
  const rows = all.slice(0, Math.max(mostValues, checked.length)).map(
    (item) =>
      html`<label><input type="checkbox" name="${name}" value="${item.id}" ${isChecked(item) && html` checked`} /><span>${valueLabel(context, name, item)}</span><span class="n">${context.formats.number(item.count)}<span class="vh">
          ${t('datasets')}</span></span></label>`,
  )
  const more = searchTo(formQuery(form), { facet: name })
  return html`<details class="facet" ${isOpen && html` open`}>
    <summary><span id="f-${name}">${t(`facet-${name}`)}</span>${icon('chevron-down')}</summary>
    <div role="group" aria-labelledby="f-${name}">
    ${rows}${all.length > mostValues && html`<a class="more-link" href="${more}">${t('all-values')}</a>`} </div>
    </details>`
}

function hitList(context: PageContext, form: SearchForm, found: Found): HtmlContent {
  const { t, formats } = context
  const first = (form.page - 1) * pageSize + 1
  const last = Math.min(first + found.records.length - 1, found.count)
  const status =
    found.records.length === 0
      ? t('no-hits-here')
      : t('hits-from-to', {
          first: formats.number(first),
          last: formats.number(last),
          count: formats.number(found.count),
        })
  return html`<div class="listbar"> <p class="soft small" role="status">${status}</p> ${sortForm(context, form)}
    </div> <ol class="hits" role="list"> ${found.records.map((record) => hit(context, record))} </ol>
    ${pageLinks(context, form, found.count)} ${take(context, form)}`
}

function sortForm(context: PageContext, form: SearchForm): HtmlMarkup {
  const { t, pathTo } = context
  const chosen = form.sort ?? (form.q === '' ? 'modified' : 'relevance')
  const options = Object.keys(sorts)
    .filter((name) => name !== 'relevance' || form.q !== '')
    .map(
      (name) =>
        html`<option value="${name}" ${name === chosen && html` selected`}> ${t(`sort-${name}`)} </option>`,
    )
  const rest = formQuery(form).filter(([name]) => name !== 'sort')
  return html`<form action="${pathTo('datasets')}">
    ${rest.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}<label for="sort">${t('sort-by')}</label><select id="sort" name="sort">
    ${options}</select><button class="button small">${t('sort')}</button> </form>`
}

/** Links to pages around this one, the first and the last. */
function pageLinks(context: PageContext, form: SearchForm, count: number): HtmlContent {
  const { t, searchTo } = context
  const last = Math.ceil(Math.min(count, lastHit) / pageSize)
  if (last < 2) return false
  const query = formQuery(form)
  const near = [1, form.page - 1, form.page, form.page + 1, last].filter(
    (page) => page >= 1 && page <= last,
  )
  const numbers = [...new Set(near)]
    .toSorted((a, b) => a - b)
    .map((page) =>
      page === form.page
        ? html`<span aria-current="page" aria-label="${t('page-n', { page })}">${page}</span>`
        : html`<a href="${searchTo(query, { page })}" aria-label="${t('page-n', { page })}">${page}</a>`,
    )
  const next =
    form.page < last &&
    html`<a href="${searchTo(query, { page: form.page + 1 })}" rel="next">${t('next')}
      ${icon('arrow-right')}</a>`
  const beyond =
    form.page === last &&
    count > lastHit &&
    html`<p class="soft small">${t('beyond-pages', { count: lastHit })}</p>`
  return html`<nav class="pages" aria-label="${t('pages')}">${numbers}${next}</nav> ${beyond}`
}

function neighbours(context: PageContext, form: SearchForm, count: number): HtmlContent {
  const query = formQuery(form)
  const last = Math.ceil(Math.min(count, lastHit) / pageSize)
  return [
    form.page > 1 &&
      html`<link rel="prev" href="${context.searchTo(query, { page: form.page - 1 })}" />`,
    form.page < last &&
      html`<link rel="next" href="${context.searchTo(query, { page: form.page + 1 })}" />`,
  ]
}

const feedAddress = (
  { root, language }: PageContext,
  form: SearchForm,
  kind: 'atom' | 'rss',
): string =>
  `${root}api/hub/search/${language}/feeds/datasets.${kind}?${serviceQuery({ ...form, page: 1 }, language)}`

const feedLink = (context: PageContext, form: SearchForm): HtmlMarkup =>
  html`<link rel="alternate" type="application/atom+xml" title="${context.t('feed')}" href="${feedAddress(context, form, 'atom')}"/>`

/** The same search for other programs. */
function take(context: PageContext, form: SearchForm): HtmlMarkup {
  const { t, root, language, pathTo } = context
  const query = searchParametersOf(formQuery(form)).toString()
  return html`<p class="take"> <span>${t('take-search')}</span>
    <a href="${feedAddress(context, form, 'atom')}">${icon('rss')} Atom</a>
    <a href="${feedAddress(context, form, 'rss')}">RSS</a>
    <a href="${root}api/hub/search/search?${serviceQuery(form, language)}">JSON</a>
    <a href="${pathTo('datasets.csv')}${query === '' ? '' : `?${query}`}">CSV</a>
    ${form.facets.size > 0 && html`<a href="${pathTo('sparql')}?query=${encodeURIComponent(facetsAsSparql(form))}">SPARQL</a>`}</p>`
}

const withoutFilters = (form: SearchForm): SearchForm => ({
  ...searchForm(new URLSearchParams({ q: form.q })),
  sort: form.sort,
})

/** The words without the filters, and the filters without the words, each with what it finds. */
async function alternatives(context: PageContext, form: SearchForm) {
  const bare = withoutFilters(form)
  if (formQuery(bare).length === formQuery(form).length) return []
  return Promise.all(
    [bare, { ...form, q: '', page: 1 }].map(async (other) => {
      const own = { limit: '0', aggregation: 'false' }
      const { count } = await context.find(serviceQuery(other, context.language, own))
      return { other, count }
    }),
  )
}

/** Other searches that find something, each with its count, and the first hits of the best one. */
async function nearTo(context: PageContext, form: SearchForm, found: Found): Promise<HtmlContent> {
  const { t, formats, language, labelOf, pathTo, searchTo, find } = context
  const [first] = found.suggestions
  const others = await alternatives(context, form)
  const own = { limit: '3', includes: fieldsShown, aggregation: 'false' }
  const best = first && serviceQuery({ ...withoutFilters(form), q: first.q }, language, own)
  const records = best === undefined ? [] : (await find(best)).records
  const links = others.map(({ other, count }) => {
    const label = other.q === '' ? t('without-words') : t('without-filters', { query: other.q })
    return html`<li><a href="${searchTo(formQuery(other))}">${label}</a> (${t('n-datasets', { count })})</li>`
  })
  const below = (record: Fields) => [labelOf(record['publisher']), formats.day(record['modified'])]
  return html`<div class="stack prose">
    ${
      first &&
      html`<p>${t('did-you-mean')} <a href="${searchTo([['q', first.q]])}"><strong>${first.q}</strong></a>?
        ${t('that-finds', { count: first.count, number: formats.number(first.count) })}</p>`
    }
    <ul>${links}<li><a href="${pathTo('')}">${t('browse-themes')}</a></li></ul></div>
    ${
      records.length > 0 &&
      pageSection(
        'near',
        t('would-find', { query: first?.q ?? '' }),
        entries(context, records, below),
      )
    }
    <p class="section">${ask(context, form)}<a href="${feedAddress(context, form, 'atom')}">${icon('rss')}
      ${t('subscribe-search')}</a></p>`
}

/** Where somebody can ask for what is missing, if the operator names a place. */
function ask({ t, config }: PageContext, { q }: SearchForm): HtmlContent {
  const address = config.feedback?.replaceAll(/\{(?:id|title)\}/g, encodeURIComponent(q))
  return (
    address !== undefined &&
    html`${t('is-missing')} <a href="${address.replaceAll('{iri}', '')}">${t('ask-for-it')}</a> · `
  )
}

/** All values of one facet, with a field that narrows them down. */
export async function facetPage(
  context: PageContext,
  name: string,
  parameters: URLSearchParams,
): Promise<PageContent | undefined> {
  if (!Object.hasOwn(facetParameters, name)) return undefined
  const { t, formats, nameOf, searchTo, find } = context
  const form = searchForm(parameters)
  const wanted = (parameters.get('filter') ?? '').trim().toLocaleLowerCase(context.language)
  const id = facetParameters[name] ?? name
  const found = await find(
    serviceQuery(form, context.language, {
      limit: '0',
      aggregationAllFields: 'false',
      aggregationFields: id,
      facetSize: '500',
    }),
  )
  const items = (found.facets.get(id) ?? []).filter((item) => {
    const label = nameOf(item.title) ?? item.id
    return item.count > 0 && label.toLocaleLowerCase(context.language).includes(wanted)
  })
  const title = t('all-of-facet', { facet: t(`facet-${name}`) })
  const hidden = formQuery(form).map(
    ([key, value]) => html`<input type="hidden" name="${key}" value="${value}" />`,
  )
  const links = items.map((item) => {
    const query = formQuery(form, { facets: toggled(form, name, item.id) })
    return html`<li> <a href="${searchTo(query)}"><span>${valueLabel(context, name, item)}</span><span class="n">${formats.number(item.count)}<span class="vh">
      ${t('datasets')}</span></span></a> </li>`
  })
  return {
    title,
    section: 'data',
    query: form.q,
    isIndexed: false,
    body: html`<h1>${title}</h1> <form class="row close" action="${searchTo([], { facet: name })}">
      ${hidden} <div class="field">
      <label for="filter">${t('narrow-down')}</label><input type="search" id="filter" name="filter" value="${wanted}" />
      </div> <button class="button">${t('apply')}</button> </form>
      <p class="soft small close" role="status">${t('n-values', { count: items.length })}</p>
      <ul class="index close" role="list"> ${links} </ul> <p class="close">
      <a href="${searchTo(formQuery(form))}">${icon('arrow-left')} ${t('back-to-search')}</a> </p>`,
  }
}
