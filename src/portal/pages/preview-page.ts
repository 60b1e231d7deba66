/** The first rows of a distribution, or why they cannot be shown. */

import type { PageContext } from '../context.ts'
import { html, type HtmlContent, webAddress } from '../html.ts'
import type { MaybePage } from '../page.ts'
import { crumbs } from '../parts/blocks.ts'
import { areaMap, boxText } from '../parts/map.ts'
import { gridTable } from '../parts/table.ts'
import type { Previews } from '../preview/previews.ts'
import type { PreviewResult } from '../preview/tables.ts'
import { listed } from '../../text/json.ts'
import { listAt } from '../record.ts'

/** Only addresses of stored distributions are fetched, never one that a request names. Throws `Failure`. */
export async function previewPage(
  context: PageContext,
  previews: Previews,
  ids: { readonly dataset: string; readonly distribution: string },
): MaybePage {
  const { t, pathTo, titleOf, readRecord } = context
  const record = await readRecord('datasets', ids.dataset, Infinity)
  const distribution = listAt(record, 'distributions').find(({ id }) => id === ids.distribution)
  if (!distribution) return undefined
  const result = await previews.of(webAddress(listed(distribution['download_url'])[0]))
  const above = { href: pathTo('datasets', ids.dataset), label: titleOf(record) }
  return {
    title: t('preview'),
    section: 'data',
    isIndexed: false,
    body: html`${crumbs(context, above)}<h1>${t('preview')}</h1>
      <div class="section" id="preview">${shown(context, result)}</div>`,
  }
}

function shown(context: PageContext, result: PreviewResult): HtmlContent {
  const { t } = context
  if ('reason' in result)
    return html`<p>${t(`preview-${result.reason}`, { status: result.status ?? 0 })}</p>`
  const { box, tables } = result
  const label = t('map-of', { place: box ? boxText(context, box) : '' })
  const map = box && areaMap(context, [box], { label, width: 640, height: 360 })
  return [
    map,
    tables.map(({ name, head, rows }) => {
      const cells = rows.map((row) => row.map((text) => ({ text })))
      return [name && html`<h2>${name}</h2>`, gridTable(name ?? t('preview'), head, cells)]
    }),
  ]
}
