/** Values of a record that its document does not show, as the search reports them: counted, and in a table with the reasons. */

import { shortNames } from '../../rdf/namespaces.ts'
import type { Fields } from '../../text/json.ts'
import { html, type HtmlContent } from '../html.ts'
import { pageSection, pathTo, type PageContext } from '../page.ts'
import { listed, memberFields, textOr, valueAt } from '../record.ts'

/** Rows of the table; further ones are counted. */
const mostRows = 50

/** `dct:title` where the IRI has a short name. */
export const prefixedName = (iri: string): string => shortNames().shorten(iri) ?? iri

/** A missing mandatory field is a finding, too, but there is no value to show. */
const leftOutValues = (answer: Fields | undefined): readonly Fields[] =>
  listed(valueAt(answer, 'result.findings'))
    .map(memberFields)
    .filter(({ value }) => textOr(value) !== undefined)

/** How many there are, with a link to the table on the quality page. */
export function leftOutCount(
  context: PageContext,
  id: string,
  answer: Fields | undefined,
): HtmlContent {
  const { length: count } = leftOutValues(answer)
  const href = `${pathTo(context, 'datasets', id, 'quality')}#left-out`
  return count > 0 && html`<a href="${href}">${context.t('n-values-left-out', { count })}</a>`
}

export function leftOutTable(context: PageContext, answer: Fields | undefined): HtmlContent {
  const { t } = context
  const all = leftOutValues(answer)
  if (all.length === 0) return false
  const rows = all.slice(0, mostRows).map((one) => {
    const property = textOr(one['property'])
    const name = property === undefined ? textOr(one['field']) : prefixedName(property)
    return html`<tr><th scope="row"><code>${name}</code></th><td><bdi>${textOr(one['value'])}</bdi></td><td>${t(`reason-${textOr(one['reason']) ?? ''}`)}</td></tr>`
  })
  const more = all.length - rows.length
  return pageSection(
    'left-out',
    t('values-left-out'),
    html`<p>${t('values-left-out-text')}</p><div class="scroll close" tabindex="0" role="group" aria-labelledby="left-out"><table class="table"><thead><tr><th scope="col">${t('property')}</th><th scope="col">${t('value')}</th><th scope="col">${t('what-is-wrong')}</th></tr></thead><tbody>${rows}</tbody></table></div>${more > 0 && html`<p>${t('more-left-out', { count: more })}</p>`}`,
  )
}
