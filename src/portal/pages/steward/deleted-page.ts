/** What was deleted and can be restored, for those who may. */

import { html } from '../../html.ts'
import { pathTo, type PageContent, type PageContext } from '../../page.ts'
import { dataTable } from '../../parts/table.ts'
import { askJson } from '../../ports.ts'
import { listed, memberFields, textOr } from '../../record.ts'
import { actionForm, stewardPage } from './steward-parts.ts'

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
    const [kind, id, catalogue] = [textOr(one['kind']), textOr(one['id']), textOr(one['catalogue'])]
    if (kind === undefined || id === undefined) return []
    const call = restoreCall(kind, id, catalogue)
    return steward?.may(call) === true ? [{ ...one, kind, id, catalogue, call }] : []
  })
}

export async function deletedPage(context: PageContext): Promise<PageContent> {
  const { t, formats } = context
  const all = await deletedRecords(context)
  const rows = all.map((one) => {
    const { kind, id, catalogue, deletedAt, restorableUntil }: Record<string, unknown> = one
    const path = pathTo(context, 'harvest', 'deleted', String(kind), String(id))
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
