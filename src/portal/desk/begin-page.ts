/** Page on which a dataset is begun: with a title, with metadata as Turtle, or as the draft of a published one. */

import { Failure } from '../../errors.ts'
import type { FormFields } from '../../http/form.ts'
import { problemOf } from '../../http/problem.ts'
import { hasRole } from '../../http/roles.ts'
import { termText } from '../../rdf/lines.ts'
import { dcat, dct } from '../../rdf/namespaces.ts'
import { literal } from '../../rdf/terms.ts'
import { hasHiddenCharacters, hiddenNames } from '../../text/hidden-characters.ts'
import { textAt } from '../../text/json.ts'
import type { StewardContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup } from '../html.ts'
import type { MaybePage } from '../layout.ts'
import { sessionForm, stewardPage } from '../pages/steward/steward-parts.ts'
import { notice } from '../parts/blocks.ts'
import { deskHead } from './desk-frame.ts'
import { ownCatalogues } from './desk-lists.ts'
import { readModel } from './drafts.ts'

/** Most characters of a title. */
const longestTitle = 500
/** Statuses of answers that say what is wrong with what was sent. */
const refusals: ReadonlySet<number> = new Set([400, 409, 413, 422])

/** Form that began nothing: its fields, and what is wrong. */
export type Refused = {
  readonly field: FormFields
  /** Key of the message about the title. */
  readonly title?: string
  /** Detail of the answer of the repository. */
  readonly detail?: string
}

/** Begins a draft; resolves with the path of its first section, or with what is wrong. Rejects with `Failure`. */
export async function beginDraft(
  context: StewardContext,
  field: FormFields,
  type: 'datasets' | 'catalogues' = 'datasets',
): Promise<string | Refused> {
  const [of, title] = [field('of'), field('title').trim()]
  const isTurtle = field('do') === 'turtle'
  if (of === '' && !isTurtle) {
    if (title === '' || title.length > longestTitle) return { field, title: 'desk-title-missing' }
    if (hasHiddenCharacters(title)) return { field, title: 'form-hidden-characters' }
  }
  const body = isTurtle ? field('turtle') : emptyRecord(title, context.language, type)
  const headers = { 'Content-Type': 'text/turtle' }
  const query = new URLSearchParams(of === '' ? { catalogue: field('catalogue') } : { of })
  if (query.get('catalogue') === '') query.delete('catalogue')
  try {
    const draft = await context.ask('deskRepository', `/drafts/${type}?${query.toString()}`, {
      method: 'POST',
      ...(of === '' && { headers, body }),
    })
    const section = (await readModel(context, type)).sections[0]?.id ?? ''
    const path = context.pathTo('desk', type, textAt(draft, 'id') ?? '', section)
    return `${path}?${new URLSearchParams({ catalogue: textAt(draft, 'catalogue') ?? '' }).toString()}`
  } catch (error) {
    const isRefusal = error instanceof Failure && refusals.has(problemOf(error, '').status)
    if (!isRefusal || of !== '') throw error
    return { field, detail: error.message }
  }
}

/** Record with a title and nothing else, as Turtle. */
const emptyRecord = (title: string, language: string, type: string): string =>
  `<> a ${termText(dcat(type === 'catalogues' ? 'Catalog' : 'Dataset'))} ; ${termText(dct('title'))} ${termText(literal(title, language))} .`

/** Page of the ways to begin. `undefined` for who may publish nowhere. Rejects with `Failure`. */
export async function beginPage(context: StewardContext, refused?: Refused): MaybePage {
  if (!context.steward.hasDesk) return undefined
  const body = beginBlock(context, await ownCatalogues(context), refused)
  const head = deskHead(context)
  return stewardPage(context, { tab: 'desk', title: context.t('desk-new'), head, body })
}

/** Both ways to begin, in a form. */
export function beginBlock(
  context: StewardContext,
  catalogues: ReadonlyMap<string, string>,
  refused: Partial<Refused> = {},
): HtmlMarkup {
  const { field = () => '' } = refused
  const { t, pathTo, query, steward } = context
  if (catalogues.size === 0)
    return html`<p class="close">${t('desk-no-catalogue')}</p>${
      hasRole(steward.permissions, 'administrator', undefined) &&
      html`<p class="row close"><a class="button primary" href="${pathTo('desk', 'catalogues')}#new">${t('catalogue-new')}</a></p>`
    }`
  const options = catalogueOptions([...catalogues], field('catalogue') || query.get('catalogue'))
  const block = (id: string, body: HtmlContent) =>
    html`<section aria-labelledby="${id}"><h2 id="${id}">${t(id)}</h2><p class="soft">${t(`${id}-means`)}</p>
      <div class="stack">${body}</div></section>`
  const empty = html`${titleField(context, refused)}
    <p class="row"><button class="button primary">${t('desk-begin')}</button></p>`
  const turtle = html`<div class="field"><label for="turtle">${t('desk-turtle')}</label>
      <textarea id="turtle" name="turtle" rows="8" spellcheck="false">
${field('turtle')}</textarea></div>
    <p class="row"><button class="button" name="do" value="turtle">${t('desk-begin-turtle')}</button></p>`
  const form = html`<div class="field"><label for="catalogue">${t('facet-catalog')}</label><select id="catalogue" name="catalogue">${options}</select></div>
    <div class="begin">${block('desk-empty-form', empty)} ${block('desk-metadata', turtle)}</div>`
  return html`${refusalNotice(context, refused)}
    ${sessionForm(context, pathTo('desk', 'new'), form, 'close')}`
}

/** Field for the title of a new record. */
export function titleField(
  { t, formats, language }: StewardContext,
  { field = () => '', title }: Partial<Refused>,
): HtmlMarkup {
  const wrong =
    title !== undefined &&
    html`<p class="message" id="wrong">${t(title, { text: hiddenNames(field('title')) })}</p>`
  return html`<div class="field"><label for="title">${t('form-title')}</label>
      <p class="hint" id="hint">${t('desk-title-hint', { language: formats.languageName(language) })}</p>
      <input id="title" name="title" value="${field('title')}" maxlength="${longestTitle}" aria-describedby="hint${wrong && ' wrong'}"${wrong && html` aria-invalid="true" autofocus`}>${wrong}</div>`
}

/** Notice with the reason why the repository began nothing. */
export const refusalNotice = ({ t }: StewardContext, { detail }: Partial<Refused>): HtmlContent =>
  detail !== undefined &&
  html`<div role="alert">${notice('bad', t('desk-refused'), html`<p lang="en"><bdi>${detail}</bdi></p>`)}</div>`

/** Options of catalogues by id and title. */
export const catalogueOptions = (
  catalogues: readonly (readonly [id: string, title: string])[],
  chosen: string | null,
): HtmlContent =>
  catalogues.map(
    ([id, title]) =>
      html`<option value="${id}"${id === chosen && html` selected`}>${title}</option>`,
  )
