/** What was deleted and can be restored, for those who may. */

import type { PageContext } from '../../context.ts'
import { html } from '../../html.ts'
import type { PageContent } from '../../page.ts'
import { actionForm, stewardPage } from './steward-parts.ts'
import { dataTable } from '../../parts/table.ts'
import { askJson } from '../../ports.ts'
import { listed, memberFields, textAt, textOr } from '../../record.ts'

const mostDeleted = 200
const folders: Readonly<Record<string, string>> = { dataset: 'datasets', catalogue: 'catalogues' }

/** What restoring a record asks of the repository. */
const restoreCall = (kind: string, id: string, catalogue: string | undefined) => ({
  method: 'POST',
  path: `/${folders[kind] ?? 'customresources'}/${encodeURIComponent(id)}/restore`,
  catalogue: kind === 'catalogue' ? id : catalogue,
})

/** The newest of them. Throws `ServiceRefusal` and `Failure`. */
export async function deletedRecords({ ports, signal, steward }: PageContext) {
  const headers = ports.authority?.() ?? {}
  const path = `/tombstones?limit=${mostDeleted}`
  const found = listed(await askJson(ports.repository, path, { signal, headers }))
  return found.map(memberFields).flatMap((one) => {
    const [kind, id, catalogue] = [textAt(one, 'kind'), textAt(one, 'id'), textAt(one, 'catalogue')]
    if (kind === undefined || id === undefined) return []
    const call = restoreCall(kind, id, catalogue)
    return steward?.may(call) === true ? [{ ...one, kind, id, catalogue, call }] : []
  })
}

export async function deletedPage(context: PageContext): Promise<PageContent> {
  const { t, formats, pathTo } = context
  const all = await deletedRecords(context)
  const rows = all.map((one) => {
    const { kind, id, catalogue, deletedAt, restorableUntil }: Record<string, unknown> = one
    const path = pathTo('harvest', 'deleted', String(kind), String(id))
    const label = html`${t('restore')}<span class="vh"> ${String(id)}</span>`
    return [
      html`<bdi>${String(id)}</bdi>`,
      textOr(catalogue),
      formats.moment(deletedAt),
      formats.moment(restorableUntil),
      actionForm(context, path, 'restore', label),
    ]
  })
  const heads = ['record', 'facet-catalog', 'deleted-on', 'restorable-until']
  const columns = [
    ...heads.map((key) => ({ label: t(key) })),
    { label: t('actions'), isHidden: true },
  ]
  const title = t('steward-deleted')
  return stewardPage(context, {
    title,
    tab: 'deleted',
    body:
      rows.length === 0
        ? html`<p class="close">${t('no-deleted')}</p>`
        : dataTable({ label: title, columns, rows }),
  })
}
