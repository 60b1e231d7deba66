/** Pages about keys: people and programs for administrators, the own key, and the acceptance of an invitation. */

import { Failure } from '../../errors.ts'
import type { FormFields } from '../../http/form.ts'
import { grantOf, mainGrant } from '../../http/roles.ts'
import { dayMs } from '../../text/duration.ts'
import { listed, textAt, valueAt } from '../../text/json.ts'
import type { PageContext, StewardContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup, icon, joinHtml } from '../html.ts'
import type { PageContent, PageStatus } from '../layout.ts'
import { sessionForm, stewardPage } from '../pages/steward/steward-parts.ts'
import { deskHead } from './desk-frame.ts'
import { notice, pageSection, pairList, stateBadge } from '../parts/blocks.ts'
import { textTable } from '../parts/table.ts'

/** Most accounts that are looked through, the newest. */
export const mostAccounts = 1000
/** Most catalogues of the form. */
const mostCatalogues = 500

/** Whether an account ends in the next 14 days, or has ended. */
export function isEndingSoon(account: unknown): boolean {
  const ends = textAt(account, 'ends')
  return ends !== undefined && Date.parse(ends) - Date.now() < 14 * dayMs
}

const roleNames = ['reader', 'publisher', 'steward', 'administrator'] as const

/** Result of a form: a new key or invitation, which is shown once, or the reason why there is none. */
export type Outcome = {
  readonly name?: string | undefined
  readonly key?: string | undefined
  readonly invitation?: string | undefined
  readonly refusal?: 'people-last' | 'people-wrong'
  /** Field of the form that was sent, to show it again. */
  readonly field?: FormFields
}

const send = ({ ask }: StewardContext, method: string, path: string, body?: object) =>
  ask('deskRepository', path, {
    method,
    ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  })

const accountPath = (id: string) => `/accounts/${encodeURIComponent(id)}`

/** Permissions of the form: a role in the ticked catalogues, or everything. */
const permissionsIn = (field: FormFields, catalogues: readonly string[]): readonly string[] => {
  const role = field('role')
  if (role === 'administrator') return ['*']
  const ticked = ['*', ...catalogues].filter((id) => field(`in-${id}`) !== '')
  return ticked.map((id) => `${role}:${id}`)
}

/** Runs the action of a form of the page. Rejects with `not-found` where the session does not permit it. */
export async function changePeople(context: StewardContext, field: FormFields): Promise<Outcome> {
  const [action, id] = [field('do'), field('id')]
  try {
    if (action === 'revoke') await send(context, 'DELETE', accountPath(id))
    else if (action === 'permit')
      await send(context, 'PATCH', accountPath(id), { isBlocked: false })
    else return await saveAccount(context, field)
    return {}
  } catch (error) {
    const kind = error instanceof Failure ? error.kind : undefined
    if (kind === 'conflict') return { refusal: 'people-last', field }
    if (kind === 'invalid-parameter') return { refusal: 'people-wrong', field }
    throw error
  }
}

/** Makes an account, or changes the one of `id`. */
async function saveAccount(context: StewardContext, field: FormFields): Promise<Outcome> {
  const catalogues = (await cataloguesOf(context)).map(([id]) => id)
  const permissions = permissionsIn(field, catalogues)
  if (permissions.length === 0) return { refusal: 'people-wrong', field }
  const [ends, id] = [field('ends'), field('id')]
  const facts = {
    name: field('name'),
    mail: field('mail').trim(),
    permissions,
    ...(ends !== '' && { ends: `${ends}T23:59:59Z` }),
  }
  if (id !== '')
    return { name: textAt(await send(context, 'PATCH', accountPath(id), facts), 'name') }
  const kind = field('do') === 'program' ? 'program' : 'person'
  const made = await send(context, 'POST', '/accounts', { ...facts, kind })
  const token = textAt(made, 'token')
  const { root, language } = context
  return {
    name: facts.name,
    key: textAt(made, 'key'),
    invitation: token === undefined ? undefined : `${root}${language}/invitation/${token}`,
  }
}

/** Ids and titles of the catalogues. */
async function cataloguesOf({ find, titleOf }: StewardContext) {
  const includes = ['id', 'title']
  const { records } = await find({ filters: 'catalogue', limit: mostCatalogues, includes })
  return records.flatMap((record) => {
    const id = textAt(record, 'id')
    return id === undefined ? [] : [[id, titleOf(record)] as const]
  })
}

/** Page of people and programs. Rejects with `not-found` for all but administrators. */
export async function peoplePage(
  context: StewardContext,
  outcome: Outcome = {},
): Promise<PageContent> {
  const { t, query } = context
  const [answer, catalogues] = await Promise.all([
    context.ask('deskRepository', `/accounts?limit=${mostAccounts}`),
    cataloguesOf(context),
  ])
  const accounts = listed(answer).filter(
    (account) => textAt(account, 'state') !== 'revoked' || textAt(account, 'kind') === 'user',
  )
  const isPerson = (account: unknown) => ['person', 'user'].includes(textAt(account, 'kind') ?? '')
  const titles = new Map(catalogues)
  const rows = (list: readonly unknown[]) => list.map((account) => rowOf(context, account, titles))
  const heads = ['name', 'may', 'key', 'last-used', 'ends', 'actions']
  const edited = accounts.find((account) => textAt(account, 'id') === query.get('edit'))
  return stewardPage(context, {
    tab: 'people',
    head: deskHead(context),
    body: html`${resultOf(context, outcome)}
      ${pageSection('pp', t('people'), textTable(context, 'people', heads, rows(accounts.filter(isPerson))))}
      ${pageSection('pr', t('programs'), textTable(context, 'programs', heads, rows(accounts.filter((one) => !isPerson(one)))))}
      ${accountForm(context, catalogues, edited, outcome.field)}`,
  })
}

/** Notice with what the form made, or why it did not. */
function resultOf(
  { t }: PageContext,
  { name = '', key, invitation, refusal }: Outcome,
): HtmlContent {
  if (refusal) return html`<div role="alert">${notice('bad', t(refusal))}</div>`
  if (key !== undefined)
    return notice('good', t('key-ready', { name }), html`<p>${t('key-once')}</p>${secret(t, key)}`)
  return (
    invitation !== undefined &&
    notice(
      'good',
      t('invitation-ready', { name }),
      html`<p>${t('invitation-once')}</p>${secret(t, invitation)}`,
    )
  )
}

const secret = (t: PageContext['t'], text: string): HtmlMarkup =>
  html`<p class="row"><code id="secret">${text}</code>
    <button type="button" class="button small" data-copy="secret" hidden>${icon('copy')} ${t('copy')}</button></p>`

function rowOf(
  context: StewardContext,
  account: unknown,
  titles: ReadonlyMap<string, HtmlContent>,
) {
  const { t, formats, pathTo, steward } = context
  const [id = '', kind, state] = ['id', 'kind', 'state'].map((key) => textAt(account, key))
  const [name = '', prefix] = ['name', 'prefix'].map((key) => textAt(account, key))
  const about = kind === 'configured' ? t('from-configuration') : textAt(account, 'mail')
  const button = (action: string, label: string, style: string) =>
    html`<button class="button small ${style}" name="do" value="${action}">${label}<span class="vh"> ${name}</span></button>`
  const revoke = state === 'invited' ? 'take-back' : kind === 'user' ? 'block-here' : 'revoke'
  const isBlocked = state === 'revoked'
  const form = sessionForm(
    context,
    pathTo('desk', 'people'),
    html`<input type="hidden" name="id" value="${id}">
      ${kind !== 'user' && html`<a class="button small quiet" href="?edit=${id}#new">${t('edit')}<span class="vh"> ${name}</span></a>`}
      ${isBlocked ? button('permit', t('permit'), 'quiet') : button('revoke', t(revoke), 'danger')}`,
  )
  return [
    html`${name}<br><span class="soft small">${about}</span>`,
    permissionList(context, listed(valueAt(account, 'permissions')), titles),
    state === 'active'
      ? prefix !== undefined && html`<code>${prefix}…</code>`
      : stateBadge('idle', t(`account-${state}`)),
    formats.day(textAt(account, 'lastUsed')) ?? t('never'),
    endOf(context, account),
    id === steward.id ? t('you') : kind !== 'configured' && form,
  ]
}

/** End of an account, marked where it is near; of an invitation its own. */
function endOf({ t, formats }: PageContext, account: unknown): HtmlContent {
  const invited = textAt(account, 'invitedUntil')
  if (invited !== undefined) return html`${t('invitation')}: ${formats.day(invited)}`
  const day = formats.day(textAt(account, 'ends'))
  return isEndingSoon(account) ? stateBadge('warn', day) : day
}

/** Permissions in words: role and catalogue; others as they are. */
const permissionList = (
  { t }: PageContext,
  permissions: readonly unknown[],
  titles: ReadonlyMap<string, HtmlContent>,
): HtmlContent =>
  joinHtml(
    permissions.map((permission) => {
      const grant = grantOf(String(permission))
      if (!grant) return html`<code>${String(permission)}</code>`
      const { role, catalogue } = grant
      const place = catalogue === '*' ? t('all-catalogues') : (titles.get(catalogue) ?? catalogue)
      return html`<strong>${t(`role-${role}`)}</strong>: ${place}`
    }),
    html`<br>`,
  )

/** Form for a new account, or for the change of one. */
function accountForm(
  context: StewardContext,
  catalogues: readonly (readonly [id: string, title: HtmlContent])[],
  edited: unknown,
  field: FormFields = () => '',
): HtmlMarkup {
  const { t, pathTo } = context
  const id = textAt(edited, 'id')
  const grant = mainGrant(listed(valueAt(edited, 'permissions')).map(String))
  const role = field('role') || (grant?.role ?? 'publisher')
  const isTicked = (catalogue: string) =>
    field(`in-${catalogue}`) !== '' || grant?.catalogues.includes(catalogue) === true
  const checked = (isChecked: boolean) => isChecked && html` checked`
  const roles = roleNames.map(
    (
      name,
    ) => html`<label class="choice"><input type="radio" name="role" value="${name}"${checked(name === role)}>
      <b>${t(`role-${name}`)}</b> <span class="soft">${t(`role-${name}-means`)}</span></label>`,
  )
  const places = [['*', t('all-catalogues')] as const, ...catalogues].map(
    ([
      catalogue,
      title,
    ]) => html`<label class="check"><input type="checkbox" name="in-${catalogue}" value="yes"${checked(isTicked(catalogue))}>
      <span>${title}</span></label>`,
  )
  const text = (key: string, label: string, type: string) =>
    html`<div class="field"><label for="${key}">${label}</label>
      <input id="${key}" name="${key}" type="${type}" autocomplete="off" maxlength="200" value="${field(key) || (textAt(edited, key) ?? '').slice(0, type === 'date' ? 10 : 200)}"${key === 'name' && html` required`}></div>`
  const buttons =
    id === undefined
      ? html`<button class="button primary" name="do" value="person">${t('make-invitation')}</button>
      <button class="button" name="do" value="program">${t('make-program-key')}</button>`
      : html`<input type="hidden" name="id" value="${id}"><button class="button primary" name="do" value="change">${t('save')}</button>`
  const body = html`<p class="soft">${t('invite-lead')}</p><div class="split">${text('name', t('name'), 'text')} ${text('mail', t('mail-optional'), 'email')}</div>
    <fieldset class="stack"><legend class="label">${t('may')}</legend><div class="choices two-up">${roles}</div></fieldset>
    <fieldset class="stack"><legend class="label">${t('in-catalogues')}</legend><div class="split">${places}</div></fieldset>
    ${text('ends', t('until-two-years'), 'date')} <p class="row">${buttons}</p>`
  const heading =
    id === undefined ? t('invite') : t('change-account', { name: textAt(edited, 'name') ?? '' })
  return pageSection(
    'new',
    heading,
    sessionForm(context, pathTo('desk', 'people'), body, 'stack account'),
  )
}

/** Page of the own key. After a renewal, `renewed` is the new one. */
export async function ownPage(context: StewardContext, renewed?: unknown): Promise<PageContent> {
  const { t, formats, pathTo, steward } = context
  const [account, catalogues] = await Promise.all([
    context.ask('deskRepository', '/account'),
    context.optional(cataloguesOf(context)),
  ])
  const key = textAt(renewed, 'key')
  const hasKey = ['person', 'program'].includes(textAt(account, 'kind') ?? '')
  const button = html`<button class="button" name="do" value="renew">${t('new-key')}</button>`
  const until = formats.day(textAt(renewed, 'oldUntil'))
  const ready = html`<p>${t('key-once')} ${t('old-key-until')} ${until}.</p>`
  const result =
    key !== undefined &&
    notice('good', t('key-ready', { name: steward.name }), [
      ready,
      keyForm(context, steward.name, key),
    ])
  return stewardPage(context, {
    tab: 'me',
    title: steward.name,
    body: html`${result} ${isEndingSoon(account) && notice('warn', t('key-ending'))}
      ${pairList([
        [t('may'), permissionList(context, steward.permissions, new Map(catalogues))],
        [t('key'), html`<code>${textAt(account, 'prefix') ?? ''}</code>`],
        [t('ends'), formats.day(textAt(account, 'ends'))],
      ])}
      ${hasKey && sessionForm(context, pathTo('desk', 'me'), html`<p class="soft">${t('new-key-lead')}</p>${button}`, 'stack')}`,
  })
}

/** Makes a new key for the session. Rejects with `Failure`. */
export const renewKey = (context: StewardContext): Promise<unknown> =>
  send(context, 'POST', '/account/key')

/** Form of sign-in with a new key, in the form that password managers keep. */
const keyForm = ({ t, pathTo }: PageContext, name: string, key: string): HtmlMarkup =>
  html`${secret(t, key)}<form method="post" action="${pathTo('sign-in')}" class="stack">
    <input type="text" name="username" value="${name}" autocomplete="username" hidden>
    <div class="field"><label for="key">${t('api-key')}</label>
      <input type="password" id="key" name="key" value="${key}" autocomplete="new-password" required></div>
    <button class="button primary">${t('sign-in')}</button></form>`

/** State of an invitation: before it is accepted, its key, or why there is none. */
export type Acceptance = {
  readonly made?: unknown
  readonly refusal?: string
  readonly status?: PageStatus
}

/** Page of an invitation. It gives the key on request only, so that a filter that follows the links of mails does not use it up. */
export function invitationPage(
  context: PageContext,
  token: string,
  { made, refusal }: Acceptance = {},
): PageContent {
  const { t, pathTo } = context
  const key = textAt(made, 'key')
  const name = textAt(valueAt(made, 'account'), 'name') ?? ''
  const form = html`<p class="prose">${t('invitation-lead')}</p>
    <form method="post" action="${pathTo('invitation', token)}"><button class="button primary">${t('show-key')}</button></form>`
  const body =
    key === undefined
      ? form
      : [
          notice('good', t('key-ready', { name }), html`<p>${t('key-once')}</p>`),
          keyForm(context, name, key),
        ]
  return {
    title: t('invitation'),
    isIndexed: false,
    body: html`<div class="narrow stack"><h1>${t('invitation')}</h1>
      ${refusal === undefined ? body : html`<div role="alert">${notice('bad', t(refusal))}</div>`}</div>`,
  }
}
