/** Places that the query of a search names. */

import type { FormEntries } from '../addresses.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent } from '../html.ts'
import { isFacetField, withoutFields } from '../search-form.ts'
import type { SearchResult } from '../search-result.ts'

/** Links to the search at each place that its query names, with their numbers of hits; nothing if it names none. */
export function placeLinks(
  { t, searchTo }: PageContext,
  query: FormEntries,
  { places }: SearchResult,
): HtmlContent {
  return places
    .filter(({ facet }) => isFacetField(facet))
    .map(({ facet, id, title, count, q }) => {
      const words: FormEntries = q === '' ? [] : [['q', q]]
      const href = searchTo([...words, ...withoutFields(query, 'q'), [facet, id]])
      return html`<p><a href="${href}">${t('only-place')} <strong>${title}</strong></a>
        <span class="soft">· ${t('n-datasets', { count })}</span></p>`
    })
}
