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
import { firstSection } from './form-names.ts'
import { formPath } from './form-page.ts'

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
    const [id = '', catalogue = ''] = [textAt(draft, 'id'), textAt(draft, 'catalogue')]
    return formPath({ context, draft: { type, id, catalogue } }, firstSection)
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
  const body = beginForm(context, await ownCatalogues(context), refused)
  const head = deskHead(context)
  return stewardPage(context, { tab: 'desk', title: context.t('desk-new'), head, body })
}

type Catalogues = ReadonlyMap<string, string>

/** Notice in place of a form: there is no catalogue to begin in. */
const noCatalogue = ({ t, pathTo, steward }: StewardContext): HtmlMarkup =>
  html`<p class="close">${t('desk-no-catalogue')}</p>${
    hasRole(steward.permissions, 'administrator', undefined) &&
    html`<p class="row close"><a class="button primary" href="${pathTo('desk', 'catalogues')}#new">${t('catalogue-new')}</a></p>`
  }`

const block = ({ t }: StewardContext, id: string, body: HtmlContent) =>
  html`<section aria-labelledby="${id}"><h2 id="${id}">${t(id)}</h2><p class="soft">${t(`${id}-means`)}</p>
    <div class="stack">${body}</div></section>`

/** Choice of the catalogue, and title and button of an empty form. */
function emptyForm(context: StewardContext, catalogues: Catalogues, refused: Partial<Refused>) {
  const { t, query } = context
  const chosen = refused.field?.('catalogue') || query.get('catalogue')
  const options = catalogueOptions([...catalogues], chosen)
  return [
    html`<div class="field"><label for="catalogue">${t('facet-catalog')}</label><select id="catalogue" name="catalogue">${options}</select></div>`,
    html`${titleField(context, refused)}
    <p class="row"><button class="button primary">${t('desk-begin')}</button></p>`,
  ]
}

/** Beginning on the desk: the empty form, and links to the other ways; a change only where something is published. */
export function beginBlock(
  context: StewardContext,
  catalogues: Catalogues,
  isEmpty: boolean,
): HtmlMarkup {
  const { t, pathTo } = context
  if (catalogues.size === 0) return noCatalogue(context)
  const others = [
    ['desk-metadata', `${pathTo('desk', 'new')}#desk-metadata`],
    ...(isEmpty ? [] : [['desk-change', `${pathTo('desk', 'datasets')}?state=published`]]),
  ].map(
    ([key, href]) =>
      html`<li><a href="${href}">${t(key ?? '')}</a><p>${t(`${key}-means`)}</p></li>`,
  )
  const form = sessionForm(
    context,
    pathTo('desk', 'new'),
    emptyForm(context, catalogues, {}),
    'stack',
  )
  return html`<div class="begin${!isEmpty && ' bare'}">${block(context, 'desk-empty-form', form)}
    <section class="other" aria-labelledby="desk-otherwise"><h2 id="desk-otherwise">${t('desk-otherwise')}</h2><ul role="list">${others}</ul></section></div>`
}

/** Both ways to begin, in a form. */
function beginForm(
  context: StewardContext,
  catalogues: Catalogues,
  refused: Partial<Refused> = {},
): HtmlMarkup {
  const { field = () => '' } = refused
  const { t, pathTo } = context
  if (catalogues.size === 0) return noCatalogue(context)
  const [place, empty] = emptyForm(context, catalogues, refused)
  const turtle = html`<div class="field"><label for="turtle">${t('desk-turtle')}</label>
      <textarea id="turtle" name="turtle" rows="8" spellcheck="false">
${field('turtle')}</textarea></div>
    <p class="row"><button class="button" name="do" value="turtle">${t('desk-begin-turtle')}</button></p>`
  const form = html`${place}
    <div class="begin">${block(context, 'desk-empty-form', empty)} ${block(context, 'desk-metadata', turtle)}</div>`
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
