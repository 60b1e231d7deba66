/** Lists of records of one index, fifty a page, with a field to search in them: catalogues, concepts, types of a profile. */

import type { Fields } from '../../text/json.ts'
import type { PageContext } from '../context.ts'
import type { Found } from '../found.ts'
import { html, type HtmlContent } from '../html.ts'

const [perPage, mostPages] = [50, 200]

type PagedList = {
  /** Parameters of the search that say which records the list has. */
  readonly query: Readonly<Record<string, string>>
  /** Sort of the search where nobody looks for words. */
  readonly sort: string
  /** Path of the list. */
  readonly path: string
  /** `q` and `page` of the request. */
  readonly parameters: URLSearchParams
  /** Label of the search field; without one there is none. */
  readonly searchLabel?: string
  readonly style: 'entries' | 'index'
  readonly item: (record: Fields) => HtmlContent
}

/** The list, and what the search answered. Throws `ServiceRefusal` and `Failure`. */
export async function pagedList(
  context: PageContext,
  list: PagedList,
): Promise<{ readonly found: Found; readonly q: string; readonly body: HtmlContent }> {
  const { t, language, find } = context
  const { query, sort, path, parameters, searchLabel, style, item } = list
  const page = Math.max(1, Math.min(mostPages, Math.trunc(Number(parameters.get('page'))) || 1))
  const q = searchLabel === undefined ? '' : (parameters.get('q') ?? '').slice(0, 200)
  const asked = new URLSearchParams({
    limit: String(perPage),
    page: String(page - 1),
    locale: language,
    ...query,
    ...(q === '' ? { sort } : { q }),
  })
  const found = await find(asked.toString())
  const step = (to: number, key: 'previous' | 'next'): HtmlContent => {
    const more = new URLSearchParams({ ...(q !== '' && { q }), page: String(to) })
    return html`<a href="${path}?${more}" rel="${key === 'next' ? 'next' : 'prev'}">${t(key)}</a>`
  }
  const field =
    searchLabel !== undefined &&
    html`<search><form class="searchbar close" action="${path}">
      <label class="vh" for="qlist">${searchLabel}</label>
      <input type="search" id="qlist" name="q" value="${q}" placeholder="${searchLabel}" />
      <button class="button primary">${t('search')}</button></form></search>`
  const body = html`${field}
    <ul class="${style} close" role="list">${found.records.map(item)}</ul>
    <nav class="pages" aria-label="${t('pages')}">${page > 1 && step(page - 1, 'previous')}
    ${page * perPage < found.count && step(page + 1, 'next')}</nav>`
  return { found, q, body }
}
