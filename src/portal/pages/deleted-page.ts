/** What was deleted and can be restored, for those who may. */

import { may } from '../../http/keys/permission.ts'
import { html } from '../html.ts'
import { pathTo, type PageContent, type PageContext } from '../page.ts'
import { askJson } from '../ports.ts'
import { listed, memberFields, textOr } from '../record.ts'
import type { Session } from '../sessions.ts'
import { actionForm, stewardFrame, stewardMenu } from './harvest-pages.ts'

const mostDeleted = 200
const folders: Readonly<Record<string, string>> = { dataset: 'datasets', catalogue: 'catalogues' }

/** What restoring a record asks of the repository. */
const restoreCall = (kind: string, id: string, catalogue: string | undefined) => ({
  method: 'POST',
  path: `/${folders[kind] ?? 'customresources'}/${encodeURIComponent(id)}/restore`,
  catalogue: kind === 'catalogue' ? id : catalogue,
})

/** The newest of them. Throws `Refused` and `Failure`. */
export async function deletedRecords({ ports, signal }: PageContext, session: Session) {
  const headers = ports.authority?.() ?? {}
  const path = `/tombstones?limit=${mostDeleted}`
  const found = listed(await askJson(ports.repository, path, { signal, headers }))
  return found.map(memberFields).flatMap((one) => {
    const [kind, id, catalogue] = [textOr(one['kind']), textOr(one['id']), textOr(one['catalogue'])]
    if (kind === undefined || id === undefined) return []
    const call = restoreCall(kind, id, catalogue)
    return may(session, call) ? [{ ...one, kind, id, catalogue, call }] : []
  })
}

export async function deletedPage(context: PageContext, session: Session): Promise<PageContent> {
  const { t, formats } = context
  const all = await deletedRecords(context, session)
  const rows = all.map((one) => {
    const { kind, id, catalogue, deletedAt, restorableUntil }: Record<string, unknown> = one
    const path = pathTo(context, 'harvest', 'deleted', String(kind), String(id))
    return html`<tr><th scope="row"><bdi>${String(id)}</bdi></th><td>${textOr(catalogue)}</td><td>${formats.moment(deletedAt)}</td><td>${formats.moment(restorableUntil)}</td><td>${actionForm(context, path, 'restore', html`${t('restore')}<span class="vh"> ${String(id)}</span>`)}</td></tr>`
  })
  const heads = ['record', 'facet-catalog', 'deleted-on', 'restorable-until']
  const title = t('steward-deleted')
  return stewardFrame(
    title,
    html`${stewardMenu(context, 'deleted')}<h1>${title}</h1>${rows.length === 0 ? html`<p class="close">${t('no-deleted')}</p>` : html`<div class="scroll close" tabindex="0" role="group" aria-label="${title}"><table class="table"><thead><tr>${heads.map((key) => html`<th scope="col">${t(key)}</th>`)}<th scope="col"><span class="vh">${t('actions')}</span></th></tr></thead><tbody>${rows}</tbody></table></div>`}`,
  )
}
