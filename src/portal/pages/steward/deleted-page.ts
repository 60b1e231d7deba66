/** What was deleted and can be restored, for those who may. */

import type { StewardContext } from '../../context.ts'
import { html } from '../../html.ts'
import type { PageContent } from '../../page.ts'
import { actionForm, stewardPage } from './steward-parts.ts'
import { textTable } from '../../parts/table.ts'
import { listed, textAt } from '../../record.ts'

const mostDeleted = 200
const folders: Readonly<Record<string, string>> = { dataset: 'datasets', catalogue: 'catalogues' }

/** The newest of them, each with what restoring it asks of the repository. Rejects with `ServiceRefusal` and `Failure`. */
export async function deletedRecords({ ask, steward }: StewardContext) {
  const found = await ask('keeper', `/tombstones?limit=${mostDeleted}`)
  return listed(found).flatMap((one) => {
    const [kind = '', id = ''] = [textAt(one, 'kind'), textAt(one, 'id')]
    const catalogue = kind === 'catalogue' ? id : textAt(one, 'catalogue')
    // That of a resource is its type and its id: `gauges/rhine`.
    const steps = [folders[kind] ?? 'customresources', ...id.split('/'), 'restore']
    const path = steps.map((step) => `/${encodeURIComponent(step)}`).join('')
    const restore = { method: 'POST', path, catalogue }
    const [deletedAt, until] = [textAt(one, 'deletedAt'), textAt(one, 'restorableUntil')]
    return steward.may(restore) ? [{ kind, id, catalogue, deletedAt, until, restore }] : []
  })
}

/** Rejects with `ServiceRefusal` and `Failure`. */
export async function deletedPage(context: StewardContext): Promise<PageContent> {
  const { t, formats, pathTo } = context
  const all = await deletedRecords(context)
  const rows = all.map(({ kind, id, catalogue, deletedAt, until }) => [
    html`<bdi>${id}</bdi>`,
    kind === 'catalogue' ? '' : catalogue,
    formats.moment(deletedAt),
    formats.moment(until),
    actionForm(
      context,
      pathTo('harvest', 'deleted', kind, id),
      'restore',
      html`${t('restore')}<span class="vh"> ${id}</span>`,
    ),
  ])
  const heads = ['record', 'facet-catalog', 'deleted-on', 'restorable-until', 'actions']
  const empty = html`<p class="close">${t('no-deleted')}</p>`
  const body = rows.length > 0 ? textTable(context, 'steward-deleted', heads, rows) : empty
  return stewardPage(context, { tab: 'deleted', body })
}
