/** Actions on several records of a list: the ticks, the form below the list, and what became of each record. */

import { Failure } from '../../errors.ts'
import { textField } from '../../http/form.ts'
import { hasRole } from '../../http/roles.ts'
import { shortText } from '../../text/code-points.ts'
import { type Fields, listed, textAt } from '../../text/json.ts'
import type { StewardContext } from '../context.ts'
import { html, type HtmlContent, icon } from '../html.ts'
import { notice } from '../parts/blocks.ts'
import { numberAt } from '../record.ts'
import { sendStep, stepOf } from './check-endpoints.ts'
import { formPath } from './form-page.ts'
import { refusalOf } from './outcome.ts'

/** Most records of one action; more are the work of a batch. */
const mostPicked = 20
/** Most characters of a title that a tick keeps, to name the record once it is gone. */
const longestShown = 120

/** Actions in the order of their buttons; those on drafts, and the withdrawal of what is published. */
const allActions = ['submit', 'publish', 'return', 'delete', 'restore', 'withdraw']

/** Record that was ticked, as it was shown; without revision it is a published one. */
type Picked = {
  readonly type: string
  readonly id: string
  readonly catalogue: string
  readonly revision: string
  readonly title: string
}

/** Form that was sent, and what became of its records; `refusal` is the key of the reason why nothing was tried. */
export type BulkResult = {
  readonly picked: ReadonlySet<string>
  readonly note: string
  readonly action: string
  readonly refusal?: string
  readonly done: readonly Picked[]
  readonly refused: readonly { readonly record: Picked; readonly reason: string }[]
}

/** Action → style and icon of its button. */
const looks: Readonly<Record<string, { readonly style?: string; readonly sign?: string }>> = {
  publish: { style: 'primary', sign: 'check' },
  return: { sign: 'rotate-ccw' },
  delete: { style: 'danger' },
  withdraw: { style: 'danger' },
}

/** Value of the tick of a record. */
function tickOf(record: Fields, title: string): string {
  const catalogue = textAt(record, 'catalogue') ?? textAt(record, 'catalog.id') ?? ''
  const [revision, type] = [numberAt(record, 'revision'), textAt(record, 'type') ?? 'datasets']
  const path = `${type === 'datasets' ? '' : `${type}/`}${textAt(record, 'id')}`
  return [path, catalogue, revision || '-', shortText(title, longestShown)].join(' ')
}

function pickedIn(value: string): Picked | undefined {
  const [, type = 'datasets', id, catalogue, revision, title = ''] =
    /^(?:([\w-]+)\/)?([^\s/]+) (\S+) (\d+|-) ([^]*)$/.exec(value) ?? []
  if (id === undefined || catalogue === undefined || revision === undefined) return undefined
  return { type, id, catalogue, revision: revision === '-' ? '' : revision, title }
}

/** Takes the action of a form on each ticked record, one after the other. Rejects with what is no refusal of a record. */
export async function runBulk(context: StewardContext, form: FormData): Promise<BulkResult> {
  const values = form.getAll('pick').map(String)
  const [action, note] = [textField(form, 'do'), textField(form, 'note').trim()]
  const shown = { picked: new Set(values), note, action, done: [], refused: [] }
  if (action === '') return shown
  const records = [...shown.picked].flatMap((value) => pickedIn(value) ?? [])
  if (records.length === 0) return { ...shown, refusal: 'bulk-none' }
  if (records.length > mostPicked) return { ...shown, refusal: 'bulk-many' }
  const done: Picked[] = []
  const refused: { record: Picked; reason: string }[] = []
  for (const record of records) {
    const reason = await refusalFor(context, record, { action, note })
    if (reason === undefined) done.push(record)
    else refused.push({ record, reason })
  }
  const picked = new Set(
    values.filter((value) => !done.some(({ id }) => pickedIn(value)?.id === id)),
  )
  return { ...shown, picked, done, refused }
}

/** Takes an action on a record; resolves with the key of the reason where the repository refuses it. */
async function refusalFor(
  context: StewardContext,
  { revision, ...place }: Picked,
  { action, note }: Pick<BulkResult, 'action' | 'note'>,
): Promise<string | undefined> {
  const field = (name: string) =>
    name === 'do' ? action : ['note', 'reason'].includes(name) ? note : ''
  const step = stepOf(place, field, context.config.timeZone)
  if (!step) return 'publish-refused-role'
  try {
    await sendStep(context, step, revision)
    return undefined
  } catch (error) {
    if (error instanceof Failure) return refusalOf(error, action)
    throw error
  }
}

/** Actions that the person may take on a record of a list. */
const actionsOn = ({ steward }: StewardContext, record: Fields): readonly string[] => {
  const may = listed(record['may'])
  const isPublished = record['state'] === undefined
  if (!isPublished) return allActions.filter((action) => may.includes(action))
  return hasRole(steward.permissions, 'publisher', textAt(record, 'catalog.id')) ? ['withdraw'] : []
}

/** Makes the ticks of a list, for the records on which the person may act; those of `picked` are set. */
export const bulkTick =
  (context: StewardContext, picked: ReadonlySet<string> = new Set()) =>
  (record: Fields, title: string): HtmlContent => {
    const value = tickOf(record, title)
    const name = context.t('bulk-choose', { title })
    return (
      actionsOn(context, record).length > 0 &&
      html`<input type="checkbox" form="bulk" name="pick" value="${value}" aria-label="${name}"${picked.has(value) && html` checked`}>`
    )
  }

type Offered = {
  readonly result: BulkResult | undefined
  /** By default all actions. */
  readonly offered?: readonly string[]
}

/** Form below a list with the actions that some of its records permit; nothing where there is none. */
export function bulkForm(
  context: StewardContext,
  path: string,
  records: readonly Fields[],
  { result, offered = allActions }: Offered,
): HtmlContent {
  const { t, steward } = context
  const open = new Set(records.flatMap((record) => actionsOn(context, record)))
  const all = offered.filter((action) => open.has(action))
  if (all.length === 0) return false
  const label = all.includes('withdraw') ? 'withdraw-reason' : 'bulk-note'
  const isWrong = result?.refused.some(
    ({ reason }) => reason === `publish-refused-${result.action}`,
  )
  const hasNote = all.some((action) => ['submit', 'return', 'withdraw'].includes(action))
  const note =
    hasNote &&
    html`<div class="field"><label for="note">${t(label)}</label><input id="note" name="note" value="${result?.note ?? ''}" maxlength="2000"${isWrong && html` aria-invalid="true" aria-describedby="bulk-result"`}></div>`
  const buttons = all.map((action) => {
    const { style = '', sign } = looks[action] ?? {}
    return html`<button class="button ${style}" name="do" value="${action}">${sign !== undefined && icon(sign)} ${t(`bulk-${action}`)}</button>`
  })
  // The first button, which Enter presses in a field, only shows the page again.
  const body = html`<button class="vh" name="do" value="" tabindex="-1">${t('publish-again')}</button>
    ${note}<p class="row">${buttons}</p><p class="hint">${t('bulk-means', { most: mostPicked })}</p>`
  return html`<form id="bulk" class="close" method="post" action="${path}"><input type="hidden" name="_csrf" value="${steward.token}">
    <fieldset class="stack"><legend class="label">${t('bulk')}</legend>${body}</fieldset></form>`
}

/** Notice with what became of each record of a form. */
export function bulkOutcome(
  context: StewardContext,
  { refusal, action, done, refused }: BulkResult,
): HtmlContent {
  const { t } = context
  if (refusal !== undefined)
    return html`<div role="alert" id="bulk-result">${notice('bad', t('publish-refused'), html`<p>${t(refusal, { most: mostPicked })}</p>`)}</div>`
  if (done.length + refused.length === 0) return false
  const items = [
    ...refused.map(
      ({ record, reason }) =>
        html`<li><a href="${formPath({ context, draft: record }, 'check')}"><bdi>${record.title}</bdi></a>: ${t(reason)}</li>`,
    ),
    ...done.map(({ title }) => html`<li><bdi>${title}</bdi>: ${t(`publish-did-${action}`)}</li>`),
  ]
  const heading = t('bulk-did', { done: done.length, refused: refused.length })
  const kind = refused.length === 0 ? 'good' : 'bad'
  return html`<div role="${kind === 'good' ? 'status' : 'alert'}" id="bulk-result">${notice(kind, heading, html`<ul>${items}</ul>`)}</div>`
}
