/** Lists of records: those of one index, fifty a page, with a field to search in them; and the newest datasets with a value. */

import type { Fields } from '../../text/json.ts'
import type { PageContext } from '../context.ts'
import type { SearchParams, SearchResult } from '../search-result.ts'
import { html, type HtmlContent, type HtmlMarkup } from '../html.ts'
import { countedLinks, headedSection } from './blocks.ts'
import { datasetList } from './hits.ts'

/** Fields of datasets that lists of them and the pages around them show, as the search takes them. */
const shownFields =
  'id,title,identifier,language,modified,catalog,catalog.title,publisher,contact_point,distributions'

const [perPage, mostPages, mostNew] = [50, 200, 6]

/** Links to the pages below `page` of all values of a facet, with how many records have each. Throws `Failure`. */
export async function valueLinks(
  context: PageContext,
  page: string,
  filters: 'dataset' | 'vocabulary',
  facet: string,
): Promise<HtmlContent> {
  const { t, labelOf, pathTo, find } = context
  const more = { facetSize: '500' }
  const { facets } = await find({ filters, limit: 0, counted: [facet], more })
  const links = (facets.get(facet) ?? []).map(({ id, title, count }) => {
    return { href: pathTo(page, id), label: labelOf(title) ?? id, count }
  })
  const kind = t(filters === 'dataset' ? 'datasets' : 'concepts')
  return links.length > 0 && countedLinks(context, links, kind)
}

type PagedList = {
  /** Which records the list has; sorted where nobody looks for words. */
  readonly asked: SearchParams
  /** Label of the search field; without one there is none. */
  readonly searchLabel?: string
  readonly style: 'entries' | 'index'
  readonly item: (record: Fields) => HtmlContent
}

/** The list, and what the search answered to `q` and `page` of the request. Throws `Failure`. */
export async function pagedList(
  { t, find, query }: PageContext,
  { asked, searchLabel, style, item }: PagedList,
): Promise<{ readonly found: SearchResult; readonly body: HtmlContent }> {
  const page = Math.max(1, Math.min(mostPages, Math.trunc(Number(query.get('page'))) || 1))
  const q = searchLabel === undefined ? '' : (query.get('q') ?? '').slice(0, 200)
  const words = q === '' ? {} : { q, sort: undefined }
  const found = await find({ ...asked, ...words, limit: perPage, page: page - 1 })
  const step = (to: number, key: 'previous' | 'next', rel: string): HtmlMarkup =>
    html`<a href="?${new URLSearchParams({ ...(q !== '' && { q }), page: String(to) })}" rel="${rel}">${t(key)}</a>`
  const field =
    searchLabel !== undefined &&
    html`<search><form class="searchbar close">
    <label class="vh" for="qlist">${searchLabel}</label>
    <input type="search" id="qlist" name="q" value="${q}" placeholder="${searchLabel}" />
    <button class="button primary">${t('search')}</button></form></search>`
  const body = html`${field}<ul class="${style} close" role="list">${found.records.map(item)}</ul>
    <nav class="pages" aria-label="${t('pages')}">${page > 1 && step(page - 1, 'previous', 'prev')}
    ${page * perPage < found.count && step(page + 1, 'next', 'next')}</nav>`
  return { found, body }
}

type DatasetsWith = {
  readonly facet: string
  readonly value: string
  /** “Datasets” where it is absent. */
  readonly heading?: string
  /** What stands below a title, before the day of the last change. */
  readonly about: (record: Fields) => HtmlContent
  readonly above?: HtmlContent
  /** Facets of them that are counted. */
  readonly counted?: readonly string[]
}

/** Datasets with a value of a facet: what the search answered, and a section with the newest of them. Throws `Failure`. */
export async function datasetsWith(
  context: PageContext,
  { facet, value, heading, about, above, counted }: DatasetsWith,
): Promise<{ readonly found: SearchResult; readonly section: HtmlMarkup }> {
  const { t, formats, searchTo, find } = context
  const newest = { filters: 'dataset', limit: mostNew, sort: 'modified+desc' }
  const facets = { [facet]: [value] }
  const found = await find({ ...newest, facets, counted, includes: [shownFields] })
  const below = (record: Fields) => {
    const day = formats.day(record['modified'])
    return [about(record), day && html`${t('updated')} ${day}`]
  }
  const all = html`<a href="${searchTo([[facet, value]])}">${t('all-n', { count: found.count })}</a>`
  const list = datasetList(context, found.records, below, above ? 'entries close' : 'entries')
  return { found, section: headedSection('in', heading ?? t('datasets-title'), all, [above, list]) }
}
