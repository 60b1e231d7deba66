/** Page on which a dataset is begun: with a title, with metadata as Turtle, or as the draft of a published one. */

import { Failure } from '../../errors.ts'
import type { FormFields } from '../../http/form.ts'
import { problemOf } from '../../http/problem.ts'
import { termText } from '../../rdf/lines.ts'
import { dcat, dct } from '../../rdf/namespaces.ts'
import { literal } from '../../rdf/terms.ts'
import { textAt } from '../../text/json.ts'
import type { StewardContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup } from '../html.ts'
import type { MaybePage } from '../layout.ts'
import { sessionForm, stewardPage } from '../pages/steward/steward-parts.ts'
import { notice } from '../parts/blocks.ts'
import { deskStyle } from './desk-frame.ts'
import { ownCatalogues } from './desk-lists.ts'
import { readModel } from './drafts.ts'
import { hasHiddenCharacters } from './form-terms.ts'

/** Most characters of a title. */
const longestTitle = 500
/** Statuses of answers that say what is wrong with what was sent. */
const refusals: ReadonlySet<number> = new Set([400, 409, 413, 422])

/** Form that began nothing: its fields, and what is wrong. */
export type Refused = {
  readonly field: FormFields
  /** Key of the message about the title. */
  readonly title?: string
  /** What the repository says. */
  readonly detail?: string
}

/** Begins a draft; resolves with the path of its first section, or with what is wrong. Rejects with `Failure`. */
export async function beginDraft(
  context: StewardContext,
  field: FormFields,
): Promise<string | Refused> {
  const title = field('title').trim()
  const [of, turtle] = [field('of'), field('turtle')]
  if (of === '' && turtle === '') {
    if (title === '' || title.length > longestTitle) return { field, title: 'desk-title-missing' }
    if (hasHiddenCharacters(title)) return { field, title: 'form-hidden-characters' }
  }
  const body = turtle || emptyRecord(title, context.language)
  const headers = { 'Content-Type': 'text/turtle' }
  const query = new URLSearchParams(of === '' ? { catalogue: field('catalogue') } : { of })
  try {
    const draft = await context.ask('deskRepository', `/drafts/datasets?${query.toString()}`, {
      method: 'POST',
      ...(of === '' && { headers, body }),
    })
    const section = (await readModel(context, 'datasets')).sections[0]?.id ?? ''
    const path = context.pathTo('desk', 'datasets', textAt(draft, 'id') ?? '', section)
    return `${path}?${new URLSearchParams({ catalogue: textAt(draft, 'catalogue') ?? '' }).toString()}`
  } catch (error) {
    const isRefusal = error instanceof Failure && refusals.has(problemOf(error, '').status)
    if (!isRefusal || of !== '') throw error
    return { field, detail: error.message }
  }
}

/** Dataset with a title and nothing else, as Turtle. */
const emptyRecord = (title: string, language: string): string =>
  `<> a ${termText(dcat('Dataset'))} ; ${termText(dct('title'))} ${termText(literal(title, language))} .`

/** Page of the ways to begin. `undefined` for who may publish nowhere. Rejects with `Failure`. */
export async function beginPage(context: StewardContext, refused?: Refused): MaybePage {
  if (!context.steward.hasDesk) return undefined
  const { t } = context
  const catalogues = await ownCatalogues(context)
  return stewardPage(context, {
    tab: 'desk',
    title: t('desk-new'),
    head: deskStyle(context),
    body: beginBlock(context, catalogues, refused),
  })
}

/** Both ways to begin, as forms. */
export function beginBlock(
  context: StewardContext,
  catalogues: ReadonlyMap<string, string>,
  { field = () => '', title, detail }: Partial<Refused> = {},
): HtmlMarkup {
  const { t, pathTo, language, formats } = context
  if (catalogues.size === 0) return html`<p class="close">${t('desk-no-catalogue')}</p>`
  const wrong = title !== undefined && html`<p class="message" id="title-wrong">${t(title)}</p>`
  const invalid = title !== undefined && html` aria-invalid="true" autofocus`
  const empty = html`<div class="field"><label for="title">${t('form-title')}</label>
      <p class="hint" id="title-hint">${t('desk-title-hint', { language: formats.languageName(language) })}</p>
      <input id="title" name="title" value="${field('title')}" maxlength="${longestTitle}" required aria-describedby="title-hint${wrong && ' title-wrong'}"${invalid}>${wrong}</div>
    ${catalogueField(context, catalogues, { id: 'catalogue', chosen: field('catalogue') })}
    <p class="row"><button class="button primary">${t('desk-begin')}</button></p>`
  const turtle = html`<div class="field"><label for="turtle">${t('desk-turtle')}</label>
      <textarea id="turtle" name="turtle" rows="8" spellcheck="false" required>
${field('turtle')}</textarea></div>
    ${catalogueField(context, catalogues, { id: 'catalogue-2', chosen: field('catalogue') })}
    <p class="row"><button class="button">${t('desk-begin-turtle')}</button></p>`
  const block = (id: string, body: HtmlContent) =>
    html`<section aria-labelledby="${id}"><h2 id="${id}">${t(id)}</h2><p class="soft">${t(`${id}-means`)}</p>
      ${sessionForm(context, pathTo('desk', 'new'), body, 'stack')}</section>`
  const refusal =
    detail !== undefined &&
    html`<div role="alert">${notice('bad', t('desk-refused'), html`<p lang="en"><bdi>${detail}</bdi></p>`)}</div>`
  return html`${refusal}<div class="begin">${block('desk-empty-form', empty)} ${block('desk-metadata', turtle)}</div>`
}

/** Catalogue of the new dataset; where there is one only, nothing to choose. */
function catalogueField(
  { t, query }: StewardContext,
  catalogues: ReadonlyMap<string, string>,
  { id, chosen }: { readonly id: string; readonly chosen: string },
): HtmlMarkup {
  const [first] = catalogues
  if (catalogues.size === 1 && first)
    return html`<input type="hidden" name="catalogue" value="${first[0]}"><p class="soft">${t('facet-catalog')}: ${first[1]}</p>`
  const current = chosen || query.get('catalogue')
  const options = [...catalogues].map(
    ([value, title]) =>
      html`<option value="${value}"${value === current && html` selected`}>${title}</option>`,
  )
  return html`<div class="field"><label for="${id}">${t('facet-catalog')}</label><select id="${id}" name="catalogue">${options}</select></div>`
}
