/** What narrows a search down: groups of values and fields, and a chip for each that is chosen. */

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

/** Values of a facet before the link to all of them. */
const mostValues = 10
/** Facets that are open at first. */
const openFacets = 5
/** Fields beside the facets, with their kind of input. */
const inputs = { from: 'date', to: 'date', place: 'text' } as const

type FilterState = {
  readonly query: FormEntries
  readonly found: SearchResult
  /** Name of a group that a link asked to open. */
  readonly openGroup: string | null
}

/** Facets that the operator chose, of those that there are. */
export const configuredFacets = ({ config }: PageContext): readonly string[] =>
  config.facets.filter(isFacetField)

/** What a value of a facet is called: in words of ours where the value is a sign. */
export function valueLabel(context: PageContext, name: string, { id, title }: CountedFacetValue) {
  if (name === 'hvd' || name === 'quality') return context.t(`${name}-${id}`)
  return context.labelOf(title) ?? id
}

/** Fields that a form does not show but has to send. */
export const hiddenFields = (query: FormEntries): readonly HtmlMarkup[] =>
  query.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)

/** Values of a facet: those that are chosen, each with what it finds, and others that find something. */
function facetValuesOf({ query, found }: FilterState, name: string) {
  const counted = found.facets.get(searchFacetOf(name)) ?? []
  const values = formValues(query, name)
  return {
    chosen: values.map((id) => counted.find((one) => one.id === id) ?? { id, title: id, count: 0 }),
    others: counted.filter(({ id, count }) => count > 0 && !values.includes(id)),
  }
}

/** A link for each filter that removes it. */
export function filterChips(context: PageContext, search: FilterState): HtmlContent {
  const { t, searchTo } = context
  const { query } = search
  const filters = withoutFields(query, 'q', 'sort')
  if (filters.length === 0) return false
  const links = filters.map(([name, value]) => {
    const choice = facetValuesOf(search, name).chosen.find(({ id }) => id === value)
    const label = choice && isFacetField(name) ? valueLabel(context, name, choice) : value
    const field = t(isFacetField(name) ? `facet-${name}` : name)
    return html`<a class="chip" href="${searchTo(toggleValue(query, name, value))}"><span>
      <span class="vh">${t('remove-filter')} </span>${field}: ${label}</span>${icon('x')}</a>`
  })
  return html`<div class="active" role="group" aria-label="${t('active-filters')}">${links}
    ${links.length > 1 && html`<a href="${searchTo(onlyFields(query, 'q'))}">${t('remove-all')}</a>`}</div>`
}

/** The form of all filters; what it does not show stays as it is. */
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

const group = (name: HtmlMarkup, isOpen: boolean, body: HtmlContent): HtmlMarkup =>
  html`<details class="facet"${isOpen && html` open`}><summary>${name}${icon('chevron-down')}</summary>${body}</details>`

/** Checked values first; those that would find nothing only where they are checked. */
function facetGroup(context: PageContext, search: FilterState, name: string): HtmlContent {
  const { t, formats, searchTo } = context
  const { chosen, others } = facetValuesOf(search, name)
  const count = chosen.length + others.length
  if (count === 0) return false
  const shown = [...chosen, ...others].slice(0, Math.max(mostValues, chosen.length))
  const rows = shown.map((choice) => {
    const isChecked = chosen.includes(choice)
    return html`<label><input type="checkbox" name="${name}" value="${choice.id}"${isChecked && html` checked`} />
      <span>${valueLabel(context, name, choice)}</span>
      <span class="n">${formats.number(choice.count)}<span class="vh"> ${t('datasets')}</span></span></label>`
  })
  const all = searchTo(search.query, 'datasets', 'facets', name)
  const isFirst = configuredFacets(context).indexOf(name) < openFacets
  const isOpen = isFirst || chosen.length > 0 || search.openGroup === name
  return group(
    html`<span id="f-${name}">${t(`facet-${name}`)}</span>`,
    isOpen,
    html`<div role="group" aria-labelledby="f-${name}">${rows}
      ${count > mostValues && html`<a class="more-link" href="${all}">${t('all-values')}</a>`}</div>`,
  )
}

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
