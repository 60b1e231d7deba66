/** Page with the preview of a distribution, or with the reason why there is none. */

import type { PageContext } from '../context.ts'
import { html, type HtmlContent, webAddress } from '../html.ts'
import type { PageContent } from '../layout.ts'
import { breadcrumbs } from '../parts/blocks.ts'
import { areaMap, boxText } from '../parts/map.ts'
import { gridTable } from '../parts/table.ts'
import type { PreviewMap } from '../preview/preview-map.ts'
import type { PreviewResult } from '../preview/read-preview.ts'
import { type Fields, listed, textAt } from '../../text/json.ts'
import { listAt } from '../record.ts'

/**
 * Download URL of a distribution, `href` is `undefined` without an http(s) one; the result is `undefined` where the record has no
 * such distribution. Only URLs of stored distributions are fetched, never one of a request.
 */
export function previewAddress(
  record: Fields,
  distribution: string,
): { readonly href: string | undefined } | undefined {
  const match = listAt(record, 'distributions').find(({ id }) => id === distribution)
  return match && { href: webAddress(listed(match['download_url'])[0]) }
}

/** Page with the result of a preview. */
export function previewPage(
  context: PageContext,
  record: Fields,
  result: PreviewResult,
): PageContent {
  const { t, pathTo, titleOf } = context
  const parentLink = {
    href: pathTo('datasets', textAt(record, 'id') ?? ''),
    label: titleOf(record),
  }
  return {
    title: t('preview'),
    section: 'data',
    isIndexed: false,
    body: html`${breadcrumbs(context, parentLink)}<h1>${t('preview')}</h1>
      <div class="section" id="preview">${previewContent(context, result)}</div>`,
  }
}

function placesMap(context: PageContext, { box, shapes }: PreviewMap): HtmlContent {
  const label = context.t('map-of', { place: boxText(context, box) })
  return areaMap(context, [box], { label, width: 640, height: 360, shapes })
}

function previewContent(context: PageContext, result: PreviewResult): HtmlContent {
  const { t } = context
  if ('reason' in result)
    return html`<p>${t(`preview-${result.reason}`, { status: result.status ?? 0 })}</p>`
  const { map, tables } = result
  return [
    map && placesMap(context, map),
    tables.map(({ name, notes, head, rows }) => {
      const cells = rows.map((row) => row.map((text) => ({ text })))
      return [
        name && html`<h2>${name}</h2>`,
        notes.map((note) => html`<p>${note}</p>`),
        gridTable(name ?? t('preview'), head, cells),
      ]
    }),
  ]
}
