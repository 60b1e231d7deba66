/** Filters of the search: the form with groups of facet values and fields, and a chip for each active filter. */

import type { FormEntries } from '../addresses.ts'
import type { PageContext } from '../context.ts'
import type { CountedFacetValue, SearchResult } from '../search-result.ts'
import { html, type HtmlContent, type HtmlMarkup, icon } from '../html.ts'
import {
  searchFacetOf,
  isFacetField,
  onlyFields,
  toggleValue,
  formValues,
  withoutFields,
} from '../search-form.ts'

/** Most values of a facet in the form, unless more are chosen; a link leads to all of them. */
const mostValues = 10
/** Number of the first facets whose groups are open by default. */
const openFacets = 5
/** Further fields of the form → type of their input. */
const inputs = { from: 'date', to: 'date', place: 'text' } as const

/** Search whose filters are shown. */
type FilterState = {
  readonly query: FormEntries
  readonly result: SearchResult
  /** Name of the group that a link wants open (`?open=`); `null` without one. */
  readonly openGroup: string | null
}

/** Configured facets that the search form has. */
export const configuredFacets = ({ config }: PageContext): readonly string[] =>
  config.facets.filter(isFacetField)

/** Configured facets, and others that a search is filtered by: their values have titles. */
export const countedFacets = (context: PageContext, query: FormEntries): readonly string[] => [
  ...new Set([...configuredFacets(context), ...query.map(([name]) => name).filter(isFacetField)]),
]

/** Label of a facet value; high-value datasets and bands of quality have messages of the portal. */
export function valueLabel(context: PageContext, name: string, { id, title }: CountedFacetValue) {
  if (name === 'hvd' || name === 'quality') return context.t(`${name}-${id}`)
  return context.labelOf(title) ?? id
}

/** Hidden inputs for fields that a form sends but does not show. */
export const hiddenFields = (query: FormEntries): readonly HtmlMarkup[] =>
  query.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)

/** Values of a facet: the chosen ones, also without hits, and the others that have hits. */
function facetValuesOf({ query, result }: FilterState, name: string) {
  const counted = result.facets.get(searchFacetOf(name)) ?? []
  const values = formValues(query, name)
  return {
    chosen: values.map(
      (id) => counted.find((entry) => entry.id === id) ?? { id, title: id, count: 0 },
    ),
    others: counted.filter(({ id, count }) => count > 0 && !values.includes(id)),
  }
}

/** Chip for each active filter; its link removes the filter. */
export function filterChips(context: PageContext, search: FilterState): HtmlContent {
  const { t, searchTo } = context
  const { query } = search
  const filters = withoutFields(query, 'q', 'sort', 'words', 'explain')
  if (filters.length === 0) return false
  const chip = (label: HtmlContent, href: string) =>
    html`<a class="chip" href="${href}"><span>
      <span class="vh">${t('remove-filter')} </span>${label}</span>${icon('x')}</a>`
  const links = filters.map(([name, value]) => {
    if (name === 'related')
      return chip(t('only-these-words'), searchTo(withoutFields(query, 'words', 'related')))
    const choice = facetValuesOf(search, name).chosen.find(({ id }) => id === value)
    const label = choice && isFacetField(name) ? valueLabel(context, name, choice) : value
    const field = t(isFacetField(name) ? `facet-${name}` : name)
    return chip([field, ': ', label], searchTo(toggleValue(query, name, value)))
  })
  return html`<div class="active" role="group" aria-label="${t('active-filters')}">${links}
    ${links.length > 1 && html`<a href="${searchTo(onlyFields(query, 'q'))}">${t('remove-all')}</a>`}</div>`
}

/** Form with all filters. Fields that it does not show are sent as hidden inputs. */
export function filterForm(context: PageContext, search: FilterState): HtmlMarkup {
  const { t, pathTo, searchTo } = context
  const { query, openGroup } = search
  const facets = configuredFacets(context)
  const hidden = withoutFields(query, ...facets, ...Object.keys(inputs))
  const count = query.filter(([name]) => isFacetField(name)).length
  return html`<details class="filters"${openGroup !== null && html` open`}>
    <summary>${icon('sliders-horizontal')} ${t('filters')}
    ${count > 0 && html`<span class="soft">${t('n-active', { count })}</span>`}</summary>
    <form action="${pathTo('datasets')}" data-auto aria-label="${t('filters')}">${hiddenFields(hidden)}
    ${facets.map((name) => facetGroup(context, search, name))}
    ${datesAndPlace(context, search)}
    <div class="filter-actions"><button class="button primary">${t('apply')}</button>
    <a class="button quiet" href="${searchTo(onlyFields(query, 'q'))}">${t('reset')}</a></div></form></details>`
}

/** Collapsible group of the form. */
const group = (name: HtmlMarkup, isOpen: boolean, body: HtmlContent): HtmlMarkup =>
  html`<details class="facet"${isOpen && html` open`}><summary>${name}${icon('chevron-down')}</summary>${body}</details>`

/** Group of the values of a facet, checked ones first. */
function facetGroup(context: PageContext, search: FilterState, name: string): HtmlContent {
  const { t, formats, searchTo } = context
  const { chosen, others } = facetValuesOf(search, name)
  const count = chosen.length + others.length
  if (count === 0) return false
  const listed = [...chosen, ...others].slice(0, Math.max(mostValues, chosen.length))
  const rows = listed.map((choice) => {
    const isChecked = chosen.includes(choice)
    return html`<label><input type="checkbox" name="${name}" value="${choice.id}"${isChecked && html` checked`} />
      <span>${valueLabel(context, name, choice)}</span>
      <span class="n">${formats.number(choice.count)}<span class="vh"> ${t('datasets')}</span></span></label>`
  })
  const allValuesPath = searchTo(search.query, 'datasets', 'facets', name)
  const isFirst = configuredFacets(context).indexOf(name) < openFacets
  const isOpen = isFirst || chosen.length > 0 || search.openGroup === name
  return group(
    html`<span id="f-${name}">${t(`facet-${name}`)}</span>`,
    isOpen,
    html`<div role="group" aria-labelledby="f-${name}">${rows}
      ${count > mostValues && html`<a class="more-link" href="${allValuesPath}">${t('all-values')}</a>`}</div>`,
  )
}

/** Group of the fields for dates and place. */
function datesAndPlace({ t }: PageContext, { query, openGroup }: FilterState): HtmlMarkup {
  const fields = Object.entries(inputs).map(([name, type]) => {
    const [value = ''] = formValues(query, name)
    return html`<div class="field"><label for="${name}">${t(name)}</label>
      <input type="${type}" id="${name}" name="${name}" value="${value}" />
      ${name === 'place' && html`<span class="hint">${t('place-hint')}</span>`}</div>`
  })
  const isOpen = openGroup === 'place' || onlyFields(query, ...Object.keys(inputs)).length > 0
  const heading = html`<span>${t('dates-and-place')}</span>`
  return group(heading, isOpen, html`<div class="stack">${fields}</div>`)
}
