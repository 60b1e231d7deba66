/** Values of a record that its document does not show, as the search reports them: counted, and in a table with the reasons. */

import type { Fields } from '../../text/json.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent } from '../html.ts'
import { listAt, textAt } from '../record.ts'
import { pageSection } from './blocks.ts'
import { prefixedName } from './shacl-results.ts'
import { textTable } from './table.ts'

/** Rows of the table; further ones are counted. */
const mostRows = 50

/** A missing mandatory field is a finding, too, but there is no value to show. */
const leftOutValues = (answer: Fields | undefined): readonly Fields[] =>
  listAt(answer, 'result.findings').filter((one) => textAt(one, 'value') !== undefined)

/** How many there are, with a link to the table on the quality page. */
export function leftOutCount({ t, pathTo }: PageContext, id: string, answer?: Fields): HtmlContent {
  const { length: count } = leftOutValues(answer)
  const href = `${pathTo('datasets', id, 'quality')}#left-out`
  return count > 0 && html`<a href="${href}">${t('n-values-left-out', { count })}</a>`
}

export function leftOutTable(context: PageContext, answer: Fields | undefined): HtmlContent {
  const { t } = context
  const all = leftOutValues(answer)
  if (all.length === 0) return false
  const rows = all.slice(0, mostRows).map((one) => {
    const property = textAt(one, 'property')
    const name = property === undefined ? textAt(one, 'field') : prefixedName(property)
    const reason = t(`reason-${textAt(one, 'reason') ?? ''}`)
    return [html`<code>${name}</code>`, html`<bdi>${textAt(one, 'value')}</bdi>`, reason]
  })
  const more = all.length - mostRows
  const table = textTable(context, 'values-left-out', ['property', 'value', 'what-is-wrong'], rows)
  return pageSection(
    'left-out',
    t('values-left-out'),
    html`<p>${t('values-left-out-text')}</p>${table}${more > 0 && html`<p>${t('more-left-out', { count: more })}</p>`}`,
  )
}
