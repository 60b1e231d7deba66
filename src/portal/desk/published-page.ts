/** Page of a published record without a draft: where it is, and how it is withdrawn. */

import { valueAt } from '../../text/json.ts'
import type { StewardContext } from '../context.ts'
import { html } from '../html.ts'
import type { PageContent } from '../layout.ts'
import { sessionForm } from '../pages/steward/steward-parts.ts'
import { breadcrumbs } from '../parts/blocks.ts'
import { othersNotice, outcome, type Posted } from './outcome.ts'
import { deskFrame, publishedTitle } from './desk-frame.ts'
import { readModel, repositoryPath, type VersionPlace } from './drafts.ts'

/** Page of a published record; `undefined` for one that is not published. Rejects with `not-found` for who may not see versions. */
export async function publishedPage(
  context: StewardContext,
  { type, id }: VersionPlace,
  posted?: Posted,
): Promise<PageContent | undefined> {
  const { t, pathTo, steward } = context
  const history = await context.ask('deskRepository', `${repositoryPath({ type, id })}/versions`)
  const model = context.query.has('others') ? await readModel(context, type) : undefined
  if (valueAt(history, 'isStored') !== true) return undefined
  const isBuiltIn = type === 'datasets' || type === 'catalogues'
  const own = isBuiltIn ? pathTo(type, id) : pathTo('resources', type, id)
  const typed = (name: string) => posted?.field(name) ?? ''
  // Without a catalogue its datasets would be away too.
  const mayWithdraw = valueAt(history, 'mayWithdraw') === true && type !== 'catalogues'
  const change =
    type === 'datasets' &&
    mayWithdraw &&
    sessionForm(
      context,
      pathTo('desk', 'new'),
      html`<input type="hidden" name="of" value="${id}"><button class="button quiet">${t('edit')}</button>`,
    )
  const form = html`<button class="vh" name="do" value="" tabindex="-1">${t('publish-again')}</button>
    <div class="field"><label for="reason">${t('withdraw-reason')}</label><textarea id="reason" name="reason" rows="3" maxlength="2000">
${typed('reason')}</textarea></div>
    <div class="field"><label for="replacement">${t('withdraw-replacement')}</label><input type="url" id="replacement" name="replacement" value="${typed('replacement')}" maxlength="2000"></div>
    <p class="row"><button class="button danger" name="do" value="withdraw">${t('withdraw')}</button></p>`
  const title = await publishedTitle(context, { type, id })
  return deskFrame(context, {
    title: `${t('form-state-published')}: ${title}`,
    body: html`${breadcrumbs(context, steward.hasDesk && { href: pathTo('desk'), label: t('desk') })}
      <div class="form-title"><h1>${title}</h1><span class="flag public">${t('form-state-published')}</span></div>${outcome(context, posted)}${model && othersNotice(context, { type, id, model })}
      <div class="row close"><a class="button" href="${own}">${t('published-see')}</a>${change}<a class="button quiet" href="${pathTo('desk', type, id, 'history')}">${t('versions')}</a></div>
      ${mayWithdraw && html`<details class="f" id="withdraw"${posted && html` open`}><summary>${t('withdraw')} …</summary><p class="soft">${t('withdraw-hint')}</p>${sessionForm(context, pathTo('desk', type, id, 'check'), form, 'stack close')}</details>`}`,
  })
}
