/**
 * Lists of records: the values of a facet, all records of a kind in pages of fifty, and the most recently changed datasets with a
 * facet value.
 */

import type { Fields } from '../../text/json.ts'
import type { PageContext } from '../context.ts'
import type { SearchParams, SearchResult } from '../search-result.ts'
import { html, type HtmlContent, type HtmlMarkup } from '../html.ts'
import { countedLinks, headedSection, pageList } from './blocks.ts'
import { datasetList } from './hits.ts'

/** Fields of datasets that lists and the pages around them need, as the parameter `includes` takes them. */
const shownFields =
  'id,title,identifier,language,modified,catalog,catalog.title,publisher,contact_point,distributions'

const [perPage, mostPages, mostNew] = [50, 200, 6]

/** Links to the pages of the values of a facet, 500 at most, below the path `page`, with their counts. Rejects with `Failure`. */
export async function valueLinks(
  context: PageContext,
  page: string,
  filters: 'dataset' | 'vocabulary',
  facet: string,
): Promise<HtmlContent> {
  const { t, labelOf, pathTo, find } = context
  const parameters = { facetSize: '500' }
  const { facets } = await find({ filters, limit: 0, counted: [facet], parameters })
  const links = (facets.get(facet) ?? []).map(({ id, title, count }) => {
    return { href: pathTo(page, id), label: labelOf(title) ?? id, count }
  })
  const kind = t(filters === 'dataset' ? 'datasets' : 'concepts')
  return links.length > 0 && countedLinks(context, links, kind)
}

/** Options of `pagedList`. */
type PagedList = {
  /** Search for the records; its sort order applies without search words. */
  readonly params: SearchParams
  /** Label of the search field; absent for a list without one. */
  readonly searchLabel?: string
  readonly style: 'entries' | 'index'
  /** Makes the list item of a record. */
  readonly item: (record: Fields) => HtmlContent
}

/** Searches for the parameters `q` and `page` of the request, and makes the list. Rejects with `Failure`. */
export async function pagedList(
  context: PageContext,
  { params, searchLabel, style, item }: PagedList,
): Promise<{ readonly result: SearchResult; readonly body: HtmlContent }> {
  const { t, find, query } = context
  const page = Math.max(1, Math.min(mostPages, Math.trunc(Number(query.get('page'))) || 1))
  const q = searchLabel === undefined ? '' : (query.get('q') ?? '').slice(0, 200)
  const words = q === '' ? {} : { q, sort: undefined }
  const result = await find({ ...params, ...words, limit: perPage, page: page - 1 })
  const pathOf = (to: string) =>
    `?${new URLSearchParams({ ...(q !== '' && { q }), page: to }).toString()}`
  const last = Math.min(Math.ceil(result.count / perPage), mostPages)
  const field =
    searchLabel !== undefined &&
    html`<search><form class="searchbar close">
    <label class="vh" for="qlist">${searchLabel}</label>
    <input type="search" id="qlist" name="q" value="${q}" placeholder="${searchLabel}" />
    <button class="button primary">${t('search')}</button></form></search>`
  const body = html`${field}<ul class="${style} close" role="list">${result.records.map(item)}</ul>
    ${pageList(context, pathOf, { page, last })}`
  return { result, body }
}

/** Options of `datasetsWith`. */
type DatasetsWith = {
  readonly facet: string
  readonly value: string
  /** Heading of the section; by default “Datasets”. */
  readonly heading?: string
  /** Text below a title, before the date of the last change. */
  readonly about: (record: Fields) => HtmlContent
  /** Content above the list. */
  readonly above?: HtmlContent
  /** Facets whose values are counted. */
  readonly counted?: readonly string[]
}

/** Searches for the datasets with a facet value; makes a section with the most recently changed ones. Rejects with `Failure`. */
export async function datasetsWith(
  context: PageContext,
  { facet, value, heading, about, above, counted }: DatasetsWith,
): Promise<{ readonly result: SearchResult; readonly section: HtmlMarkup }> {
  const { t, formats, searchTo, find } = context
  const newest = { filters: 'dataset', limit: mostNew, sort: 'modified+desc' }
  const facets = { [facet]: [value] }
  const result = await find({ ...newest, facets, counted, includes: [shownFields] })
  const details = (record: Fields) => {
    const day = formats.day(record['modified'])
    return [about(record), day && html`${t('updated')} ${day}`]
  }
  const linkToAll = html`<a href="${searchTo([[facet, value]])}">${t('all-n', { count: result.count })}</a>`
  const list = datasetList(context, result.records, details, above ? 'entries close' : 'entries')
  return {
    result,
    section: headedSection('in', heading ?? t('datasets-title'), linkToAll, [above, list]),
  }
}
