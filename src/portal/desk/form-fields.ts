/** Fields of a form as HTML: name, need, points, help, what is wrong, and the control of each editor; described values inside. */

import type { FormField } from '../../profile/form-model.ts'
import { fold } from '../../text/fold.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup, icon, withFocusable } from '../html.ts'
import { pageList } from '../parts/blocks.ts'
import { countryBox } from '../parts/map.ts'
import {
  addButton,
  areaControl,
  chip,
  choiceControl,
  choicesOf,
  conceptControl,
  type FieldContext,
  fieldLabel,
  helpOf,
  idOf,
  isChip,
  keywordsControl,
  licenceControl,
  lineControls,
  lineInput,
  marks,
  message,
  nameOfValue,
  removeButton,
  textsControl,
} from './form-controls.ts'
import { labelOfConcept } from './concepts.ts'
import { offeredKind } from './catalogue-values.ts'
import { type FormRow, type FormRows, rowTitle } from './form-rows.ts'

/** Described values of one page of a list. */
const pageRows = 50

/** Field with all its rows. */
export function fieldHtml(form: FieldContext, rows: FormRows): HtmlMarkup {
  const { field, name } = rows
  const label = rows.copy ? form.page.t('form-copy') : fieldLabel(form, field)
  const help = helpOf(form, field)
  const wrong = rows.rows.filter(({ message }) => message !== undefined)
  const fix = form.fix?.name === name ? form.fix : undefined
  const described = [describedBy(rows, help !== undefined), fix?.words && `x-${name}`]
    .filter(Boolean)
    .join(' ')
  return html`<fieldset class="f${wrong.length > 0 && ' wrong'}" id="${fix ? 'g' : 'f'}-${name}"${described && html` aria-describedby="${described}"`}>
    <legend class="vh">${label}</legend>
    <div class="f-head"><span class="f-name">${label}</span>${marks(form, rows)}</div>
    ${help !== undefined && html`<p class="hint" id="h-${name}">${help}</p>`}
    ${fix?.words}${wrong.map((row) => message(form, rows, row))}
    <div class="control">${focusable(form, rows, control(form, rows, label))}</div></fieldset>`
}

/** Content of a field; of the one to correct, with its id on the first control. */
const focusable = ({ fix }: FieldContext, { name }: FormRows, content: HtmlContent): HtmlContent =>
  fix?.name === name ? withFocusable(content, `f-${name}`) : content

const describedBy = ({ name, rows }: FormRows, hasHelp: boolean) =>
  [hasHelp && `h-${name}`, ...rows.map((row) => row.message !== undefined && `e-${idOf(row.name)}`)]
    .filter(Boolean)
    .join(' ')

function control(form: FieldContext, rows: FormRows, label: string): HtmlContent {
  const { field } = rows
  if (rows.copy) return copyControl(form, rows)
  if (field.nested && field.editor !== 'place') return nestedControl(form, rows, label)
  switch (field.editor) {
    case 'texts':
    case 'prose':
      return textsControl(form, rows)
    case 'keywords':
      return keywordsControl(form, rows, label)
    case 'licence':
      return licenceControl(form, rows)
    case 'concept':
      return conceptControl(form, rows, label)
    case 'place':
      return [
        conceptControl(
          form,
          { ...rows, rows: rows.rows.filter(({ parts, text }) => !parts || text) },
          label,
        ),
        placeAreas(form, rows),
      ]
    case 'boolean':
    case 'choice':
      return choicesOf(rows).map((row) => choiceControl(form, rows, row, label))
    default:
      return lineControls(form, rows, label)
  }
}

/** Choice whether a field has the value of the one that it copies, with a control for another value. */
function copyControl(
  form: FieldContext,
  { field, name, rows, copy = 'open' }: FormRows,
): HtmlContent {
  const { t } = form.page
  const control = `${name}.=${copy}`
  const chosen = form.sent?.get(control) ?? (copy === 'open' ? 'data' : copy)
  const choices = ['data', 'page'].map(
    (value) =>
      html`<label class="choice"><input type="radio" name="${control}" value="${value}"${value === chosen && html` checked`}> <b>${t(`form-copy-${value}`)}</b></label>`,
  )
  const other = rows.find(({ term }) => !term) ?? { name: `${name}.+0`, text: '', language: '' }
  return [
    html`<div class="choices two-up">${choices}</div>`,
    html`<details${other.text !== '' && html` open`}><summary>${t('form-copy-other')}</summary>${lineInput(field, other, fieldLabel(form, field))}</details>`,
  ]
}

/** Areas of places, each with a map and its four sides. */
function placeAreas(form: FieldContext, place: FormRows): HtmlContent {
  const { name, field, rows } = place
  const described = rows.filter(({ parts, term }) => parts && term)
  const empty = emptyArea(name, field)
  const parts = described.length > 0 ? described : [empty]
  const boxes = described.length > 0 ? [] : boxButtons(form, place, empty.parts?.[0]?.rows[0]?.name)
  return html`<details${described.length > 0 && html` open`}><summary>${form.page.t('form-area')}</summary>${boxes}${parts.flatMap(
    (row) =>
      (row.parts ?? []).flatMap((part) => part.rows.map((area) => areaControl(form, part, area))),
  )}${described.map((row) => html`<p class="row">${removeButton(form, row.name, form.page.t('form-area'))}</p>`)}</details>`
}

/** Buttons that fill the sides of a box, which have a name in the form, with those of the chosen countries. */
const boxButtons = (form: FieldContext, { field, rows }: FormRows, name = ''): HtmlContent =>
  form.concepts.list(field.vocabulary).map((concept) => {
    if (!rows.some(({ term }) => term?.value === concept.iri)) return false
    const box = countryBox(concept.extensions.iso_31661_alpha2 ?? '')
    const place = labelOfConcept(concept, form.page.language)
    return (
      box &&
      html`<p class="row"><button class="button small" name="do" value="use:${name}=${box.join(' ')}" formnovalidate>${form.page.t('form-box-of', { place })}</button></p>`
    )
  })

/** Row of a place that has no area yet; its number differs from that of the field for a name. */
function emptyArea(name: string, field: FormField): FormRow {
  const row = { name: `${name}.+9`, text: '', language: '' }
  const [part] = field.nested?.fields ?? []
  return part
    ? {
        ...row,
        parts: [
          {
            field: part,
            name: `${row.name}.${part.name}`,
            rows: [{ ...row, name: `${row.name}.${part.name}.+0` }],
          },
        ],
      }
    : row
}

/** Described values: links to their pages, or their parts side by side. */
function nestedControl(form: FieldContext, rows: FormRows, label: string): HtmlContent {
  const { field, name } = rows
  const { t } = form.page
  const filled = rows.rows.filter(({ term }) => term !== undefined)
  const values = filled.filter(({ parts }) => !parts)
  const chips =
    values.length > 0 &&
    html`<div class="values">${values.map((row) => chip(form, row, nameOfValue(form, row), row.text))}</div>`
  if (form.pagePath('files', name) !== '' && isLong(field))
    return [
      chips,
      nestedList(
        form,
        name,
        filled.filter(({ parts }) => parts),
      ),
      html`<p class="row"><a class="button" href="${form.pagePath('files', `${name}.+0`)}">${icon('plus')} ${t('form-add-one')}</a></p>`,
    ]
  const groups = rows.rows.filter(({ parts }) => parts)
  const offers = filled.length === 0 ? offersFor(form, rows) : []
  const inputs = groups.map(
    (row) =>
      html`<div class="control"><div class="split">${(row.parts ?? []).map((part) => partControl(form, part))}</div>${row.term && html`<p class="row">${removeButton(form, row.name, label)}</p>`}</div>`,
  )
  return [
    chips,
    offers,
    offers.length === 0
      ? inputs
      : html`<details${isTyped(rows) && html` open`}><summary>${t(`form-another-${offeredKind(field) ?? ''}`)}</summary>${inputs}</details>`,
    !field.single && filled.length > 0 && html`<p class="row">${addButton(form, name)}</p>`,
    field.single && values.length > 0 && html``,
  ]
}

/** Whether a part of a value has a text that is no value. */
const isTyped = ({ rows }: FormRows): boolean =>
  rows.some(
    ({ text, message, parts }) => text !== '' || message !== undefined || parts?.some(isTyped),
  )

/** Buttons that take a value of another dataset of the catalogue. */
function offersFor(form: FieldContext, { field, name }: FormRows): readonly HtmlMarkup[] {
  const { t, formats } = form.page
  const kind = offeredKind(field)
  const offers = kind && !name.includes('.') ? form.values.offers[kind] : []
  if (offers.length === 0) return []
  const buttons = offers.map(({ id, label, count }) => {
    const words = t(`form-as-${kind ?? ''}`, { label })
    return html`<button class="button small" name="do" value="copy:${name}=${id}" formnovalidate><bdi>${words}</bdi>${count !== undefined && html` <span class="soft">${formats.number(count)}</span>`}</button>`
  })
  return [
    html`<div class="values" role="group" aria-label="${t('form-in-catalogue')}">${buttons}</div>`,
  ]
}

/** Whether values of a field have pages of their own: they are resources with more than four properties. */
export const isLong = ({ nested }: FormField): boolean => (nested?.fields.length ?? 0) > 4

/** Described values by their links: of many, those that a search finds, a page at a time. */
function nestedList(form: FieldContext, name: string, rows: readonly FormRow[]): HtmlContent {
  const { t, query } = form.page
  const typed = query.get('q')?.trim() ?? ''
  const words = fold(typed).split(/\s+/).filter(Boolean)
  const isFound = (row: FormRow) => words.every((word) => fold(textsOf(row)).includes(word))
  const found = words.length > 0 ? rows.filter(isFound) : rows
  const last = Math.max(1, Math.ceil(found.length / pageRows))
  const page = Math.min(Math.max(1, Math.trunc(Number(query.get('page'))) || 1), last)
  const pathOf = (number: string) => {
    const own = new URLSearchParams(query)
    own.set('page', number)
    own.delete('saved')
    return `?${own.toString()}#f-${name}`
  }
  const search =
    rows.length > pageRows &&
    html`<div class="add-row"><label class="vh" for="find">${t('form-find')}</label><input type="search" id="find" name="find" value="${typed}" autocomplete="off"><button class="button" name="do" value="find:${name}" formnovalidate>${icon('search')} ${t('form-find')}</button></div>
      <p class="soft">${t('form-answered', { count: found.length, all: rows.length })}</p>`
  const items = found
    .slice((page - 1) * pageRows, page * pageRows)
    .map((row) => nestedLink(form, row))
  return html`${search}<ul class="states" role="list">${items}</ul>${pageList(form.page, pathOf, { page, last })}`
}

/** Query by which an address has the same part of a list, after other parameters. */
export const listQuery = ({ query }: PageContext): string =>
  ['q', 'page']
    .flatMap((name) => query.getAll(name).map((text) => `&${name}=${encodeURIComponent(text)}`))
    .join('')

/** Texts of a described value, and of what it has inside. */
const textsOf = ({ text, parts = [] }: FormRow): string =>
  [text, ...parts.flatMap(({ rows }) => rows.map(textsOf))].join(' ')

function nestedLink(form: FieldContext, row: FormRow): HtmlMarkup {
  const format = (row.parts ?? [])
    .find(({ field }) => field.editor === 'concept')
    ?.rows.find(isChip)
  const title = rowTitle(row) ?? row.term?.value ?? ''
  return html`<li><span class="no" aria-hidden="true">·</span><div><a href="${form.pagePath('files', row.name)}"><strong>${title.slice(0, 120)}</strong></a></div><span>${format && html`<span class="tag format">${nameOfValue(form, format)}</span>`}${removeButton(form, row.name, title)}</span></li>`
}

/** Part of a described value: a label and its control. */
function partControl(form: FieldContext, part: FormRows): HtmlMarkup {
  const label = fieldLabel(form, part.field)
  const [first] = part.rows
  const isLine =
    first &&
    part.rows.length === 1 &&
    !['texts', 'prose', 'concept', 'choice', 'boolean'].includes(part.field.editor)
  const wrong = part.rows.filter(({ message: key }) => key !== undefined)
  const inside =
    isLine && first.term?.termType !== 'BlankNode'
      ? lineInput(part.field, first, label)
      : control(form, part, label)
  const fix = form.fix?.name === part.name ? form.fix : undefined
  return html`<div class="field" id="${fix ? 'g' : 'f'}-${part.name}" role="group" aria-label="${label}"><span class="label" aria-hidden="true">${label}</span>${fix?.words}${wrong.map((row) => message(form, part, row))}${focusable(form, part, inside)}</div>`
}
