/** Page of the rules of a catalogue: review, languages, required fields, points, and what new datasets begin with. */

import type { FormField } from '../../profile/form-model.ts'
import { dcat } from '../../rdf/namespaces.ts'
import { graphOf } from '../../rdf/read.ts'
import { shortText } from '../../text/code-points.ts'
import { textAt } from '../../text/json.ts'
import type { StewardContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup, icon } from '../html.ts'
import type { PageContent } from '../layout.ts'
import { sessionForm, stewardPage } from '../pages/steward/steward-parts.ts'
import { breadcrumbs, notice, panel } from '../parts/blocks.ts'
import { typedWords } from '../parts/fault-words.ts'
import { mostPoints } from '../parts/quality.ts'
import { isStewardOf } from './catalogues-page.ts'
import { noValues } from './catalogue-values.ts'
import { conceptsOfForm } from './concepts.ts'
import { deskHead } from './desk-frame.ts'
import { listDrafts, ownCatalogues } from './desk-lists.ts'
import { type FieldContext, fieldLabel, pointsOf } from './form-controls.ts'
import { fieldHtml } from './form-fields.ts'
import { readModel } from './drafts.ts'
import { fieldsOfModel, moreLanguages } from './form-page.ts'
import { type FormRows, rowsOf } from './form-rows.ts'
import {
  defaultFields,
  newDataset,
  pointsIn,
  type RulesForm,
  rulesIn,
  rulesPath,
  type SentRules,
  statementText,
} from './rules-form.ts'

/** Ways of review, from the least. */
const reviews = ['none', 'new', 'every'] as const
/** Points of a field up to which it is offered with the others only. */
const fewPoints = 5

/** Page of the rules; `undefined` for who is no steward of the catalogue. Rejects with `unknown-catalogue`, and with `Failure`. */
export async function rulesPage(
  context: StewardContext,
  id: string,
  sent?: SentRules,
): Promise<PageContent | undefined> {
  const { t, pathTo, steward } = context
  if (!isStewardOf(context, id)) return undefined
  const [answer, titles, drafts] = await Promise.all([
    context.ask('deskRepository', rulesPath(id)),
    ownCatalogues(context),
    listDrafts(context, { catalogue: id, limit: 1 }),
  ])
  const list = `${pathTo('desk', 'datasets')}?${new URLSearchParams({ catalogue: id }).toString()}`
  const edit = html`<input type="hidden" name="of" value="${id}"><button class="button">${t('catalogue-edit')}</button>`
  const above = { href: pathTo('desk', 'catalogues'), label: t('steward-catalogues') }
  return stewardPage(context, {
    tab: 'catalogues',
    title: titles.get(id) ?? id,
    above: breadcrumbs(context, above),
    actions: sessionForm(context, pathTo('desk', 'catalogues'), edit),
    head: deskHead(context),
    body: html`<p class="soft"><a href="${list}">${t('rules-drafts', { count: drafts.count('') })}</a> · <a href="${pathTo('catalogues', id)}">${t('rules-public')}</a></p>
      <div class="form-page"><div class="side">${partList(context)}</div>
      <form method="post" action="${pathTo('desk', 'catalogues', id, 'rules')}" novalidate><input type="hidden" name="_csrf" value="${steward.token}">${await formBody(context, answer, sent)}</form>
      <aside aria-label="${t('rules-now')}">${panel(t('rules-now'), html`<p class="small">${t('rules-now-means')}</p>`)}</aside></div>`,
  })
}

/** Fields of the form: those of the rules as they are, or as they were sent. */
async function formBody(
  context: StewardContext,
  answer: unknown,
  sent?: SentRules,
): Promise<HtmlMarkup> {
  const { t, query, config } = context
  const model = await readModel(context, 'datasets')
  const concepts = await conceptsOfForm(context, model)
  const fields = fieldsOfModel(model)
  // After a conflict the next save is about the present rules, which the page names.
  const isConflict = sent?.error?.kind === 'precondition-failed'
  const present = rulesIn(answer)
  const { revision } = isConflict || !sent ? present : sent.rules
  const rules = { ...(sent?.rules ?? present), revision }
  const form: FieldContext = {
    page: context,
    concepts,
    values: noValues,
    builtIn: model.builtIn,
    languages: [...new Set([...rules.languages, ...config.languages, ...moreLanguages])],
    pagePath: () => '',
    // Fields of no record earn nothing.
    class: '',
  }
  const rows = defaultRows(context, fields, rules)
  const isSaved = query.has('saved') && !sent
  return html`<input type="hidden" name="revision" value="${revision}">
    <button class="vh" name="do" value="save" tabindex="-1">${t('rules-save')}</button>
    ${errors(form, rules, rows, sent)} <h2>${t('rules-title')}</h2><p class="soft">${t('rules-lead')}</p>
    ${reviewField(context, rules)} ${languageField(context, rules)} ${requiredField(form, fields, rules)} ${pointsField(context, rules)}
    <h2 id="filled" class="section">${t('rules-filled')}</h2><p class="soft">${t('rules-filled-lead')}</p>${filledFields(form, fields, rules, rows)}
    <div class="savebar"><button class="button primary" name="do" value="save">${t('rules-save')}</button>
    <span class="saved" role="status">${isSaved ? html`${icon('check')} ${t('form-saved')}` : changedBy(context, answer)}</span></div>`
}

/** Parts of the page, as links. */
function partList({ t }: StewardContext): HtmlMarkup {
  const parts = ['review', 'languages', 'required', 'points', 'filled']
  const items = parts.map(
    (part) =>
      html`<li><a href="#${part}">${icon('circle-dashed')}<span>${t(`rules-${part}`)}</span><span class="n"></span></a></li>`,
  )
  return html`<nav aria-label="${t('form-sections')}"><details class="sections"><summary>${icon('sliders-horizontal')} ${t('form-sections')}</summary><ol role="list">${items}</ol></details></nav>`
}

function changedBy({ t, formats }: StewardContext, answer: unknown): HtmlContent {
  const [by, at] = ['changedBy', 'changedAt'].map((name) => textAt(answer, name))
  return by !== undefined && html`${t('rules-changed-by', { by })} ${formats.moment(at)}`
}

/** Field of the form: its name, a hint, and its controls. */
const fieldset = (id: string, label: string, hint: HtmlContent, body: HtmlContent): HtmlMarkup =>
  html`<fieldset class="f" id="${id}"${hint && html` aria-describedby="h-${id}"`}><legend class="vh">${label}</legend>
    <div class="f-head"><span class="f-name" aria-hidden="true">${label}</span></div>${hint && html`<p class="hint" id="h-${id}">${hint}</p>`}${body}</fieldset>`

const checked = (isChecked: boolean) => isChecked && html` checked`

function reviewField({ t }: StewardContext, { review }: RulesForm): HtmlMarkup {
  const choices = reviews.map(
    (
      one,
    ) => html`<label class="choice"><input type="radio" name="review" value="${one}"${checked(one === review)}>
      <b>${t(`rules-review-${one}`)}</b><span></span><span class="soft">${t(`rules-review-${one}-means`)}</span></label>`,
  )
  return fieldset('review', t('rules-review'), false, html`<div class="choices">${choices}</div>`)
}

const box = (name: string, value: string, isChecked: boolean, label: HtmlContent): HtmlMarkup =>
  html`<label class="check"><input type="checkbox" name="${name}" value="${value}"${checked(isChecked)}><span>${label}</span></label>`

function languageField(context: StewardContext, { languages }: RulesForm): HtmlMarkup {
  const { t, formats, config } = context
  const boxes = (tags: readonly string[]) =>
    tags.map((tag) =>
      box('language', tag, languages.includes(tag), formats.languageName(tag) ?? tag),
    )
  const first = [...new Set([...languages, ...config.languages])]
  const others = moreLanguages.filter((tag) => !first.includes(tag))
  return fieldset('languages', t('rules-languages'), t('rules-languages-hint'), [
    html`<div class="split">${boxes(first)}</div>`,
    html`<details><summary>${t('rules-more-languages')}</summary><div class="split close">${boxes(others)}</div></details>`,
  ])
}

const datasetClass = dcat('Dataset').value

/** Fields that the profile does not require already; the properties of other fields stay as they are. */
function requiredField(
  form: FieldContext,
  fields: readonly FormField[],
  { required, programs }: RulesForm,
): HtmlMarkup {
  const { t } = form.page
  const isChosen = ({ path }: FormField) => path.some((one) => required.includes(one))
  const open = fields.filter((field) => field.need !== 'required' || isChosen(field))
  const isFirst = (field: FormField) =>
    isChosen(field) || field.need === 'recommended' || pointsOf(datasetClass, field) > fewPoints
  const boxes = (some: readonly FormField[]) =>
    some.map((field) => {
      const chosen = field.path.find((one) => required.includes(one))
      return box(
        'required',
        chosen ?? field.path[0] ?? '',
        chosen !== undefined,
        fieldLabel(form, field),
      )
    })
  const known = new Set(fields.flatMap(({ path }) => path))
  const foreign = required.filter((path) => !known.has(path))
  return fieldset('required', t('rules-required'), t('rules-required-hint'), [
    html`<div class="split">${boxes(open.filter(isFirst))}${foreign.map((path) => box('required', path, true, html`<code>${path}</code>`))}</div>`,
    html`<details><summary>${t('rules-more-fields')}</summary><div class="split close">${boxes(open.filter((field) => !isFirst(field)))}</div></details>`,
    html`<div class="close">${box('programs', 'yes', programs, t('rules-programs'))}</div>`,
  ])
}

function pointsField({ t }: StewardContext, { points }: RulesForm): HtmlMarkup {
  const isWrong = pointsIn(points) === undefined
  const wrong =
    isWrong &&
    html`<p class="message" id="e-points">${icon('circle-x')}<span>${t('rules-points-wrong', { most: mostPoints })}</span></p>`
  return html`<div class="f${isWrong && ' wrong'}" id="points"><div class="f-head"><label for="mark">${t('rules-points')}</label></div>
    <p class="hint" id="h-points">${t('rules-points-hint')}</p>${wrong}
    <input id="mark" name="points" inputmode="numeric" value="${points}" maxlength="20" class="short" aria-describedby="h-points${isWrong && ' e-points'}"${isWrong && html` aria-invalid="true"`}></div>`
}

/** Rows of the fields with a first value, or with a control for one. */
function defaultRows(
  { language }: StewardContext,
  fields: readonly FormField[],
  { defaults, typed, shown, added, languages }: RulesForm,
): readonly FormRows[] {
  const used = new Set(defaults.map(({ predicate }) => predicate.value))
  const isShown = ({ name, path: [first = ''], path }: FormField) =>
    shown.includes(name) ||
    path.some((one) => used.has(one)) ||
    typed.some((one) => one.path === first)
  const source = {
    graph: graphOf([...defaults]),
    typed,
    pageLanguage: language,
    languages: languages.length > 0 ? languages : [language],
    added,
  }
  return rowsOf(source, newDataset, defaultFields(fields).filter(isShown))
}

function filledFields(
  form: FieldContext,
  fields: readonly FormField[],
  { defaults, typed }: RulesForm,
  rows: readonly FormRows[],
): HtmlContent {
  const { t } = form.page
  const names = new Set(rows.map(({ field }) => field.name))
  const open = fields.filter(({ need }) => need !== 'required')
  const others = defaultFields(open).filter(({ name }) => !names.has(name))
  const known = new Set(fields.flatMap(({ path }) => path))
  const kept = defaults.filter(({ predicate }) => !known.has(predicate.value))
  return [
    html`<input type="hidden" name="defaults" value="${statementText(defaults)}"><input type="hidden" name="typed" value="${JSON.stringify(typed)}">`,
    rows.map((row) => [
      html`<input type="hidden" name="shown" value="${row.field.name}">`,
      fieldHtml(form, row),
    ]),
    kept.length > 0 &&
      html`<ul class="close" role="list">${kept.map(({ predicate, object }) => html`<li><code>${predicate.value}</code> <bdi>${shortText(object.value, 200)}</bdi></li>`)}</ul>`,
    html`<div class="f"><div class="f-head"><label for="fill">${t('rules-fill')}</label></div><div class="add-row"><select id="fill" name="fill" class="short">${others.map((field) => html`<option value="${field.name}">${fieldLabel(form, field)}</option>`)}</select>
      <button class="button small" name="do" value="fill">${icon('plus')} ${t('form-add')}</button></div></div>`,
  ]
}

/** Reasons why the rules were not saved, first on the page. */
function errors(
  form: FieldContext,
  rules: RulesForm,
  rows: readonly FormRows[],
  sent?: SentRules,
): HtmlContent {
  const { t } = form.page
  if (!sent || sent.isEdited) return false
  if (sent.error?.kind === 'precondition-failed')
    return html`<div role="alert">${notice('bad', t('rules-refused'), html`<p>${t('rules-changed')} <a href="?">${t('rules-present')}</a></p>`)}</div>`
  const wrong = rows.flatMap((one) =>
    one.rows.flatMap((row) =>
      row.message === undefined
        ? []
        : html`<li><a href="#f-${one.name}">${fieldLabel(form, one.field)}${t('colon')}${typedWords(form.page, one.field, row)}</a></li>`,
    ),
  )
  const points =
    pointsIn(rules.points) === undefined &&
    html`<li><a href="#mark">${t('rules-points')}: ${t('rules-points-wrong', { most: mostPoints })}</a></li>`
  const other = sent.error && html`<li lang="en"><bdi>${sent.error.detail}</bdi></li>`
  return html`<div class="errors" role="alert" tabindex="-1" id="errors" aria-labelledby="errors-h"><h2 id="errors-h">${t('rules-refused')}</h2><ul class="close">${points}${wrong}${other}</ul></div>`
}
