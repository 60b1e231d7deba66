/** The first rows of a distribution, or why they cannot be shown. */

import type { PageContext } from '../context.ts'
import { html, type HtmlContent, safeAddress } from '../html.ts'
import type { PageContent } from '../page.ts'
import { crumbs } from '../parts/blocks.ts'
import { gridTable } from '../parts/table.ts'
import type { Previews } from '../preview/previews.ts'
import type { PreviewResult, PreviewTable } from '../preview/tables.ts'
import { listAt, listed, textAt } from '../record.ts'

/** Only addresses of stored distributions are fetched, never one that a request names. Throws `Failure`. */
export async function previewPage(
  context: PageContext,
  previews: Previews,
  ids: { readonly dataset: string; readonly distribution: string },
): Promise<PageContent | undefined> {
  const { t, signal, pathTo, titleOf, readRecord } = context
  const record = await readRecord('datasets', ids.dataset)
  const distribution = listAt(record, 'distributions').find(({ id }) => id === ids.distribution)
  if (!distribution) return undefined
  const address = safeAddress(listed(distribution['download_url'])[0])
  const result: PreviewResult | undefined =
    address?.startsWith('http') === true ? await previews.of(address, signal) : undefined
  return {
    title: t('preview'),
    section: 'data',
    isIndexed: false,
    body: html`${crumbs(context, { href: pathTo('datasets', textAt(record, 'id') ?? ''), label: titleOf(record) })}<h1>${t('preview')}</h1><div class="section" id="preview">${result ? shown(context, result) : html`<p>${t('preview-address')}</p>`}</div>`,
  }
}

function shown({ t }: PageContext, result: PreviewResult): HtmlContent {
  if ('reason' in result)
    return html`<p>${t(`preview-${result.reason}`, { status: result.status ?? 0 })}</p>`
  return result.tables.map((table) => tableMarkup(table, t('preview')))
}

function tableMarkup({ name, head, rows }: PreviewTable, label: string): HtmlContent {
  const cells = rows.map((row) => row.map((text) => ({ text })))
  return [name !== undefined && html`<h2>${name}</h2>`, gridTable(name ?? label, head, cells)]
}
