/** Controls of single values in a form as HTML, and the words around them. */

import { hash } from 'node:crypto'
import type { FormField } from '../../profile/form-model.ts'
import { lastName } from '../../rdf/iri.ts'
import { termIn } from '../../rdf/lines.ts'
import type { BoundingBox } from '../../vocabularies/geometry.ts'
import { authorityBase } from '../../vocabularies/concept.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup, icon } from '../html.ts'
import { typedWords } from '../parts/fault-words.ts'
import { areaMap, boxText, geometryText } from '../parts/map.ts'
import { pageIndicators } from '../parts/quality.ts'
import { type CatalogueValues } from './catalogue-values.ts'
import { type Concepts, labelOfConcept } from './concepts.ts'
import { type Fix, isMendedBy } from './fix.ts'
import { authoredTag, sides } from './form-names.ts'
import type { FormRow, FormRows } from './form-rows.ts'
import { boxOf } from './form-terms.ts'

const licenceTable = `${authorityBase}licence/`

/** Licences that are offered with what they permit; the words are the texts `form-licence-…`. */
const licencesInWords: ReadonlyMap<string, string> = new Map(
  Object.entries({
    by: ['CC_BY_4_0', 'CC_BY_3_0', 'DLDE_BY_2_0', 'ETALAB_2_0', 'OGL_3_0', 'IODL_2_0', 'ODC_BY'],
    free: ['CC0', 'ODC_PDDL', 'DLDE_ZERO_2_0'],
    alike: ['CC_BYSA_4_0', 'CC_BYSA_3_0'],
    private: ['CC_BYNC_4_0', 'CC_BYND_4_0'],
  }).flatMap(([words, codes]) =>
    codes.map((code) => [licenceTable + code, `form-licence-${words}`] as const),
  ),
)

/** Licences that the form offers as cards where the catalogue uses none. */
const suggestedLicences = ['CC_BY_4_0', 'CC0', 'CC_BYSA_4_0'].map((code) => licenceTable + code)

/** Context of all fields of a page. */
export type FieldContext = {
  readonly page: PageContext
  /** Class of the resource that has the fields. */
  readonly class: string
  /** Field that is to be corrected. */
  readonly fix?: Fix | undefined
  readonly concepts: Concepts
  /** Values of the catalogue that need not be typed again. */
  readonly values: CatalogueValues
  /** Whether the profile ships with the platform: the portal has words of its own for its fields. */
  readonly builtIn: boolean
  /** Languages that a text may be added in. */
  readonly languages: readonly string[]
  /** Path of the page of one value, or of the concepts, of a field; `''` where there is none. */
  readonly pagePath: (kind: 'files' | 'pick', name: string) => string
  /** Texts that were sent and not saved, by the name of their control. */
  readonly sent?: ReadonlyMap<string, string> | undefined
}

/** Most concepts of a list in the page; longer vocabularies have a page to choose from. */
const mostOptions = 300
/** Most options of a field with one value that are a list to open. */
const mostChoices = 12

/** Text of the portal by its key; `undefined` where there is none. */
const wordsFor = ({ t }: PageContext, key: string) => (t(key) === key ? undefined : t(key))

const inPageLanguage = (texts: Readonly<Record<string, string>> | undefined, language: string) =>
  texts?.[language] ?? texts?.['']

/** Name of a field: that of the profile, else of the portal, else its name in words. */
export function fieldLabel(
  { page, class: cls = '' }: Pick<FieldContext, 'page'> & { readonly class?: string },
  { label, name }: Pick<FormField, 'name' | 'label'>,
): string {
  const own = inPageLanguage(label, page.language)
  const special = wordsFor(page, `form-${lastName(cls)}-${name}`)
  const words = special ?? wordsFor(page, `form-${name}`) ?? wordsFor(page, `field-${name}`)
  return own ?? words ?? label?.['en'] ?? capital(name.replaceAll(/[_-]/g, ' '))
}

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)

/** Classes of resources inside of datasets: what is said of the title of a dataset is not true of theirs. */
const insideDatasets = /#(?:Distribution|DataService)$/

/** Help of a field: the words of its profile, for the built-in one those of the portal. */
export function helpOf(
  { page, builtIn, class: cls }: FieldContext,
  { help, name }: FormField,
): string | undefined {
  const special = wordsFor(page, `help-${lastName(cls)}-${name}`)
  const words = special ?? (insideDatasets.test(cls) ? undefined : wordsFor(page, `help-${name}`))
  return builtIn ? words : (inPageLanguage(help, page.language) ?? words)
}

/** Id of an element for a name of a control. */
export const idOf = (name: string) => `c-${hash('sha256', name, 'hex').slice(0, 10)}`

/** Whether one of the rows shows a value. */
const hasValue = (rows: readonly FormRow[]) => rows.some(({ term }) => term !== undefined)

/** Points that the indicators of a field give; `cls` is the class of the resource that has it. */
export const pointsOf = (cls: string, field: FormField): number =>
  pageIndicators
    .filter((indicator) => indicator.property !== undefined && isMendedBy(indicator, cls, field))
    .reduce((sum, { most }) => sum + most, 0)

/** Need and points of a field. */
export function marks(form: FieldContext, { field, rows }: FormRows): HtmlContent {
  const { t } = form.page
  const points = pointsOf(form.class, field)
  return html`<span class="marks">${
    field.need === 'required' && html`<span class="need">${t('form-required')}</span>`
  }${
    points > 0 &&
    (hasValue(rows)
      ? html`<span class="earn got">✓ ${t('form-points', { points })}</span>`
      : html`<span class="earn">+ ${t('form-points', { points })}</span>`)
  }</span>`
}

/** Message about a typed text, with a button that takes what may have been meant. */
export function message(
  { page, concepts }: FieldContext,
  { field }: FormRows,
  row: FormRow,
): HtmlMarkup {
  const { t, language } = page
  const meant =
    row.message === 'no-concept' ? concepts.near(field.vocabulary, row.text, language) : undefined
  const use =
    meant &&
    html` <button class="button quiet small" name="do" value="use:${row.name}=${meant.iri}" formnovalidate>${t('form-did-you-mean', { label: meant.label })}</button>`
  return html`<p class="message" id="e-${idOf(row.name)}">${icon('circle-x')}<span>${typedWords(page, field, row)}${use}</span></p>`
}

/** Button that removes the value of a row. */
export const removeButton = (
  { page: { t } }: FieldContext,
  name: string,
  what: string,
): HtmlMarkup =>
  html`<button class="remove" name="do" value="remove:${name}" formnovalidate aria-label="${t('form-remove', { what: what.slice(0, 60) })}">${icon('x')}</button>`

/** Button that adds an empty row to a field. */
export const addButton = (
  { page: { t } }: FieldContext,
  name: string,
  key = 'form-add',
): HtmlMarkup =>
  html`<button class="button small" name="do" value="add:${name}" formnovalidate>${icon(key === 'form-add' ? 'plus' : 'languages')} ${t(key)}</button>`

/** Attributes that a control with a message needs. */
const invalid = (row: FormRow) =>
  row.message !== undefined && html` aria-invalid="true" aria-describedby="e-${idOf(row.name)}"`

/** Name of a language in that of the page; of a text without language, that it has none. */
const languageLabel = ({ page: { t, formats } }: FieldContext, tag: string) =>
  tag === '' ? t('form-no-language') : capital(formats.languageName(tag))

/** Texts, each with its language. */
export function textsControl(form: FieldContext, { field, name, rows }: FormRows): HtmlContent {
  const { t, formats } = form.page
  const taken = new Set(rows.map(({ language }) => language))
  const free = form.languages.filter((language) => !taken.has(language))
  const textBox = (row: FormRow) => {
    const label = languageLabel(form, authoredTag(row.language))
    const lang = row.language !== '' && html` lang="${row.language}"`
    const box =
      field.editor === 'prose'
        ? html`<textarea id="${idOf(row.name)}" name="${row.name}" rows="4"${lang}${invalid(row)}>
${row.text}</textarea>`
        : html`<input id="${idOf(row.name)}" name="${row.name}" value="${row.text}"${lang}${invalid(row)}>`
    return html`<div class="text"><label for="${idOf(row.name)}">${label}</label>${box}${row.text !== '' && removeButton(form, row.name, label)}</div>`
  }
  const isTranslated = ({ language }: FormRow) => authoredTag(language) !== language
  const translated = rows.filter(isTranslated)
  const texts = rows.filter((row) => !isTranslated(row)).map(textBox)
  const more =
    free.length > 0 &&
    html`<div class="add-row"><label class="vh" for="${idOf(`${name}@`)}">${t('form-language-to-add')}</label>
    <select id="${idOf(`${name}@`)}" name="${name}.@" class="short">${free.map((tag) => html`<option value="${tag}">${capital(formats.languageName(tag))}</option>`)}</select>${addButton(form, name, 'form-add-language')}</div>`
  const folded =
    translated.length > 0 &&
    html`<details><summary>${t('form-translated', { count: translated.length })}</summary>${translated.map(textBox)}</details>`
  return [texts, more, folded]
}

/** Input in one line; addresses are text fields for the browser, so that it does not refuse what is to be kept. */
export const lineInput = (field: FormField, row: FormRow, label: HtmlContent): HtmlMarkup => {
  const { editor } = field
  const mode =
    editor === 'address'
      ? 'url'
      : editor === 'email'
        ? 'email'
        : editor === 'telephone'
          ? 'tel'
          : editor === 'number'
            ? 'decimal'
            : 'text'
  const example = editor === 'date' ? '2026-05-04' : editor === 'address' ? 'https://' : undefined
  return html`<label class="vh" for="${idOf(row.name)}">${label}</label><input id="${idOf(row.name)}" name="${row.name}" value="${row.text}" inputmode="${mode}"${example !== undefined && html` placeholder="${example}"`}${invalid(row)}>`
}
/** Values in one line each. */
export function lineControls(
  form: FieldContext,
  { field, name, rows }: FormRows,
  label: string,
): HtmlContent {
  return [
    rows.map(
      (row) =>
        html`<div class="add-row">${row.term?.termType === 'BlankNode' ? keptValue(form, row) : [lineInput(field, row, label), row.text !== '' && removeButton(form, row.name, row.text)]}</div>`,
    ),
    !field.single && hasValue(rows) && html`<p class="row">${addButton(form, name)}</p>`,
  ]
}

/** Value that no editor can show. */
const keptValue = (form: FieldContext, row: FormRow): HtmlMarkup =>
  html`<span class="value">${form.page.t('form-kept')}${removeButton(form, row.name, form.page.t('form-kept'))}</span>`

/** Value with its name and a button that removes it. */
export const chip = (
  form: FieldContext,
  row: FormRow,
  text: HtmlContent,
  plain: string,
): HtmlMarkup => html`<span class="value">${text}${removeButton(form, row.name, plain)}</span>`

/** Name of the value of a row: that of its concept, the degrees of an area, else the value. */
export const nameOfValue = (
  { concepts, page }: Pick<FieldContext, 'concepts' | 'page'>,
  row: Pick<FormRow, 'term' | 'text'>,
) =>
  (row.term?.termType === 'NamedNode' && concepts.label(row.term.value, page.language)) ||
  (row.term?.termType === 'Literal' && geometryText(page, row.term)) ||
  row.text ||
  lastName(row.text)

/** Rows that are chips, and the others, which are inputs. */
export const isChip = ({ term }: FormRow) => term !== undefined

/** Keywords with their languages, and an input for several new ones. */
export function keywordsControl(
  form: FieldContext,
  { name, rows }: FormRows,
  label: string,
): HtmlContent {
  const { page } = form
  const { t, formats } = page
  const inputs = rows.filter((row) => !isChip(row))
  const open = inputs.find(({ text }) => text !== '') ??
    inputs[0] ?? { name: `${name}.+0`, text: '', language: '' }
  const language = form.sent?.get(`${name}.@`) ?? page.language
  const chips = rows.filter(isChip).map((row) => {
    const lang =
      row.language !== '' &&
      html` <abbr class="lang" title="${formats.languageName(row.language) ?? row.language}">${row.language}</abbr>`
    return chip(
      form,
      row,
      html`<span${row.language !== '' && html` lang="${row.language}"`}>${row.text}</span>${lang}`,
      row.text,
    )
  })
  return [
    chips.length > 0 && html`<div class="values">${chips}</div>`,
    html`<div class="add-row"><label class="vh" for="${idOf(open.name)}">${label}</label>
      <input id="${idOf(open.name)}" name="${open.name}" value="${open.text}" placeholder="${t('form-commas')}" data-chips${invalid(open)}>
      <label class="vh" for="${idOf(`${name}@`)}">${t('form-language-of-new')}</label>
      <select id="${idOf(`${name}@`)}" name="${name}.@">${form.languages.map((tag) => html`<option value="${tag}"${tag === language && html` selected`}>${capital(formats.languageName(tag))}</option>`)}</select>${addButton(form, name)}</div>`,
  ]
}

/** Chosen concepts, and an input that takes a label, a code or an address. */
export function conceptControl(form: FieldContext, rows: FormRows, label: string): HtmlContent {
  const { field, name } = rows
  const { page, concepts } = form
  const list = concepts.list(field.vocabulary)
  const [first] = rows.rows
  if (field.single && first && list.length > 0 && list.length <= mostChoices && !first.message)
    return choicesOf(rows).map((row) => choiceControl(form, rows, row, label))
  const chips = rows.rows.filter(isChip)
  const isFull = field.single && chips.length > 0
  const open = rows.rows.filter((row) => !isChip(row) && (row.text !== '' || !isFull)).slice(0, 20)
  const listId = `l-${name}`
  const options =
    list.length <= mostOptions &&
    html`<datalist id="${listId}">${list.map((concept) => html`<option value="${labelOfConcept(concept, page.language)}"></option>`)}</datalist>`
  const pick = form.pagePath('pick', name)
  const link =
    list.length > 0 &&
    pick !== '' &&
    html`<a href="${pick}">${page.t('form-see-all', { count: list.length })}<span class="vh"> ${label}</span></a>`
  return [
    chips.length > 0 &&
      html`<div class="values">${chips.map((row) => chip(form, row, row.term?.termType === 'BlankNode' ? page.t('form-kept') : nameOfValue(form, row), nameOfValue(form, row)))}</div>`,
    open.map(
      (row) =>
        html`<div class="add-row"><label class="vh" for="${idOf(row.name)}">${label}</label><input id="${idOf(row.name)}" name="${row.name}" value="${row.text}" data-chips${list.length <= mostOptions && html` list="${listId}"`}${invalid(row)}>${addButton(form, name)}${link}</div>`,
    ),
    open.length > 0 && options,
  ]
}

/** Rows with a list to open: of a field with one value the first, and choices that are not saved. */
export const choicesOf = ({ field, rows }: FormRows): readonly FormRow[] =>
  rows.filter((row, index) => !field.single || index === 0 || (!isChip(row) && row.text !== ''))

/** List to open with the permitted values; a value that is none of them stays the chosen one. */
export function choiceControl(
  form: FieldContext,
  { field }: FormRows,
  row: FormRow,
  label: string,
): HtmlMarkup {
  const { page, concepts } = form
  const options =
    field.editor === 'boolean'
      ? ['true', 'false'].map((value) => [value, page.t(`form-${value}`)] as const)
      : field.in
        ? field.in.map((value) => [value, termIn(value)?.value ?? value] as const)
        : concepts
            .list(field.vocabulary)
            .map((concept) => [concept.iri, labelOfConcept(concept, page.language)] as const)
  const isChosen = ([value, text]: readonly [string, string]) =>
    row.text !== '' && (value === row.text || (field.in !== undefined && text === row.text))
  const other =
    row.text !== '' &&
    !options.some(isChosen) &&
    html`<option value="${row.text}" selected>${row.text}</option>`
  return html`<label class="vh" for="${idOf(row.name)}">${label}</label><select class="short" id="${idOf(row.name)}" name="${row.name}"${invalid(row)}>
    <option value="">${page.t('form-not-said')}</option>${other}${options.map((option) => html`<option value="${isChosen(option) ? row.text : option[0]}"${isChosen(option) && html` selected`}>${option[1]}</option>`)}</select>`
}

/** Licences with what they permit, then all others. */
export function licenceControl(form: FieldContext, { field, name, rows }: FormRows): HtmlContent {
  const { page, concepts } = form
  const chosen = rows.find(isChip)
  const typed = rows.find(({ message }) => message !== undefined)
  const other = typed?.name ?? `${name}.+1`
  // Beside what others chose meanwhile.
  const unsaved = rows.find((one) => !isChip(one) && one.name !== other && one.text !== '')
  const row = unsaved ?? chosen ?? { name: `${name}.+0`, text: '', language: '' }
  const own = chosen?.term?.termType === 'NamedNode' ? chosen.text : undefined
  const current = unsaved?.text ?? own ?? (chosen ? undefined : form.sent?.get(row.name))
  const known = current === undefined ? undefined : concepts.find(field.vocabulary, current)
  const used = form.values.licences.flatMap((iri) => concepts.find(field.vocabulary, iri) ?? [])
  const offered = [...new Set([...used, ...suggestedLicences])].slice(0, suggestedLicences.length)
  const cards = [
    ...new Set([current, own].filter((iri) => iri !== undefined)),
    ...offered.filter((iri) => iri !== known && iri !== current && iri !== own),
  ]
  return [
    html`<div class="choices">${cards.map((iri) => {
      const words = licencesInWords.get(concepts.find(field.vocabulary, iri) ?? iri)
      return html`<label class="choice"><input type="radio" name="${row.name}" value="${iri}"${iri === current && html` checked`}>
        <b>${concepts.label(concepts.find(field.vocabulary, iri) ?? iri, page.language) ?? iri}</b><span></span>${words !== undefined && html`<span class="soft">${page.t(words)}</span>`}</label>`
    })}</div>`,
    html`<details${typed && html` open`}><summary>${page.t('form-other-licences')}</summary><div class="control close">
      <label for="${idOf(other)}" class="label">${page.t('form-other-licence')}</label>
      <div class="add-row"><input id="${idOf(other)}" name="${other}" value="${typed?.text ?? form.sent?.get(other) ?? ''}" list="l-${name}"${typed && invalid(typed)}>
      ${chosen && removeButton(form, chosen.name, chosen.text)}</div>
      <datalist id="l-${name}">${concepts
        .list(field.vocabulary)
        .slice(0, mostOptions)
        .map(
          (concept) => html`<option value="${labelOfConcept(concept, page.language)}"></option>`,
        )}</datalist></div></details>`,
  ]
}

/** Map, four sides and text of an area. */
export function areaControl(form: FieldContext, rows: FormRows, row: FormRow): HtmlMarkup {
  const { t, formats } = form.page
  const shown = form.sent?.get(row.name) ?? row.text
  const box = shown === '' ? undefined : boxOf(shown)
  const [west = 0, south = 0, east = 0, north = 0] = box ?? []
  const area: BoundingBox = [west, south, east, north]
  const drawing = {
    isEdited: true,
    label: t('form-map', { box: boxText({ t, formats }, area) }),
    width: 560,
    height: 320,
  }
  const isOther = shown !== '' && !box
  const sideOf = (side: string, index: number) =>
    form.sent?.get(`${row.name}.${side}`) ?? (box ? String(box[index]) : '')
  return html`<div class="control close">${box && areaMap(form.page, [area], drawing)}
    ${row.message !== undefined && message(form, rows, row)}
    <div class="bbox-inputs">${sides.map((side, index) => html`<div class="field"><label for="${idOf(row.name + side)}">${t(`form-${side}`)}</label><input id="${idOf(row.name + side)}" name="${row.name}.${side}" inputmode="decimal" value="${sideOf(side, index)}"></div>`)}</div>
    <p class="row"><button class="button small" name="do" value="save:${row.name.split('.')[0]}" formnovalidate>${t('form-show-map')}</button></p>
    <details${isOther && html` open`}><summary>${t('form-other-shape')}</summary><div class="field close"><label for="${idOf(row.name)}">GeoJSON, WKT</label><textarea class="code" id="${idOf(row.name)}" name="${row.name}" rows="4" spellcheck="false"${invalid(row)}>
${isOther ? shown : ''}</textarea></div></details></div>`
}
