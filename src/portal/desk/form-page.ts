/** Pages of the form of a draft: one section, or one described value such as a file, with its place among the others. */

import type { Quad, Quad_Subject } from '@rdfjs/types'
import type { FormField, FormModel } from '../../profile/form-model.ts'
import { graphOf, instances, keyOf } from '../../rdf/read.ts'
import { blankNode, namedNode } from '../../rdf/terms.ts'
import { shortText } from '../../text/code-points.ts'
import type { Fields } from '../../text/json.ts'
import type { StewardContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup, icon } from '../html.ts'
import type { PageContent } from '../layout.ts'
import { breadcrumbs, panel } from '../parts/blocks.ts'
import { typedWords } from '../parts/fault-words.ts'
import type { ShaclResult } from '../parts/findings.ts'
import { mostPoints } from '../parts/quality.ts'
import { type CatalogueValues, noValues } from './catalogue-values.ts'
import type { Concepts } from './concepts.ts'
import { deskFrame } from './desk-frame.ts'
import { type FieldContext, fieldLabel, pointsOf } from './form-controls.ts'
import { fixIn, fixQuery, gained, pointsBefore } from './fix.ts'
import { fieldHtml, isLong, listQuery } from './form-fields.ts'
import { firstSection, type Typed } from './form-names.ts'
import { type FormRow, type FormRows, rowsOf, rowTitle } from './form-rows.ts'

/** Rules of a catalogue that forms follow: languages of texts, and IRIs of properties that must have a value. */
export type FormRules = {
  readonly languages: readonly string[]
  readonly required: readonly string[]
}

/** Draft as its form shows it. */
export type Draft = {
  readonly type: string
  readonly id: string
  readonly catalogue: string
  readonly title: string
  readonly state: string
  readonly revision: string
  readonly score: number | undefined
  readonly typed: readonly Typed[]
  readonly quads: readonly Quad[]
  readonly model: FormModel
  readonly rules: FormRules
  /** Actions that the person may take now, as the repository names them. */
  readonly may: readonly string[]
  /** Draft as the repository answers it. */
  readonly about: Fields
}

/** Languages that forms offer beside those of the portal. */
export const moreLanguages = 'en de fr it es nl pl pt rm cs da sv hu sl hr'.split(' ')

/** Resource that a draft is about. */
export function nodeOf({ quads, model }: Pick<Draft, 'quads' | 'model'>): Quad_Subject {
  const nodes = instances(graphOf(quads), model.class)
  const key = nodes.find((node) => !node.startsWith('_:')) ?? nodes[0]
  if (key === undefined) return namedNode('urn:x-draft:record')
  return key.startsWith('_:') ? blankNode(key.slice(2)) : namedNode(key)
}

type Place = Pick<Draft, 'type' | 'id' | 'catalogue'>

/** Section that has the field which a name leads to, at its root. */
export const sectionWith = ({ sections }: FormModel, name: string): Section | undefined =>
  sections.find(({ fields }) => fields.some((field) => field.name === name.split('.')[0]))

/** All fields of a form. */
export const fieldsOfModel = ({ sections }: FormModel): readonly FormField[] =>
  sections.flatMap(({ fields }) => fields)

/** Draft with what its pages are made of. */
export type View = {
  readonly context: StewardContext
  readonly draft: Draft
  readonly concepts: Concepts
  /** Values of the catalogue that its forms offer; absent where no fields are shown. */
  readonly values?: CatalogueValues
  /** Names of fields with a further empty row. */
  readonly added: readonly string[]
  /** Texts that were sent and not saved, by the name of their control. */
  readonly sent?: ReadonlyMap<string, string> | undefined
  /** Results of the validation of the published record, for a correction that is asked for. */
  readonly results?: readonly ShaclResult[]
}

/** Rows of all fields of a draft. */
export function rowsOfDraft({
  context,
  draft,
  added,
  sent,
}: Pick<View, 'context' | 'draft' | 'added' | 'sent'>): readonly FormRows[] {
  const graph = graphOf(draft.quads)
  const node = nodeOf(draft)
  const isRuled = draft.rules.languages.length > 0
  const languages = isRuled ? draft.rules.languages : [context.language]
  const { typed } = draft
  const source = { graph, typed, pageLanguage: context.language, languages, isRuled, added, sent }
  return rowsOf(source, node, fieldsOfModel(draft.model))
}

/** Path of a page of the draft. */
export const formPath = (
  { context, draft }: Pick<View, 'context'> & { readonly draft: Place },
  ...steps: readonly string[]
): string =>
  `${context.pathTo('desk', draft.type, draft.id, ...steps)}?catalogue=${encodeURIComponent(draft.catalogue)}`

/** Makes the context of the fields of a draft, for those of a described value with its class. */
export const fieldContext = (view: View, cls = view.draft.model.class): FieldContext => ({
  page: view.context,
  class: cls,
  concepts: view.concepts,
  values: view.values ?? noValues,
  builtIn: view.draft.model.builtIn,
  languages: [
    ...new Set([...view.draft.rules.languages, ...view.context.config.languages, ...moreLanguages]),
  ],
  pagePath: (kind, name) =>
    formPath(view, kind, name) + (kind === 'pick' ? fixQuery(view.context) : ''),
  sent: view.sent,
})

/** Context of the fields of a page, of which one may be to correct. */
function pageFields(view: View, fields: readonly FormRows[], cls?: string): FieldContext {
  const form = fieldContext(view, cls)
  const { context, results = [] } = view
  return { ...form, fix: fixIn(context, { cls: form.class, fields, results }) }
}

/** Page of one section; `undefined` where the form has no such section. */
export function sectionPage(view: View, name: string): PageContent | undefined {
  const { sections } = view.draft.model
  const first = name === firstSection ? sections[0] : undefined
  const section = sections.find((one) => one.id === name) ?? first
  if (!section) return undefined
  const rows = rowsOfDraft(view)
  const names = new Set(section.fields.map((field) => field.name))
  const own = rows.filter(({ field }) => names.has(field.name))
  const form = pageFields(view, own)
  const [heading, { id }] = [sectionLabel(view, section), section]
  const body = html`<h2>${heading}</h2>${id === firstSection && html`<p class="soft">${view.context.t('form-essentials')}</p>`}
    ${own.map((field) => fieldHtml(form, field))} ${id === 'rest' && keptStatements(view)}`
  return pageOf(view, { rows, own, current: id, heading, body, action: formPath(view, id) })
}

/** Page of a described value, which `name` leads to: `distributions.~…`; `undefined` where there is none. */
export function valuePage(view: View, name: string): PageContent | undefined {
  const isNew = /\.\+\d+$/.test(name)
  const parent = name.slice(0, name.lastIndexOf('.'))
  const rows = rowsOfDraft(isNew ? { ...view, added: [...view.added, parent] } : view)
  const found = rowNamed(rows, name)
  const section = sectionWith(view.draft.model, name)
  if (!found?.row.parts || !section) return undefined
  const form = pageFields(view, found.row.parts, found.field.nested?.class)
  const { t } = view.context
  const label = fieldLabel(form, found.field)
  const title = rowTitle(found.row)
  const heading = title === undefined ? t('form-new', { what: label }) : shortText(title, 120)
  const isFirst = ({ name: own, field, rows: filled }: FormRows) =>
    own === form.fix?.name ||
    field.need !== 'optional' ||
    ['title', 'download_url', 'media_type'].includes(field.name) ||
    filled.some(({ term, message }) => term ?? message)
  const [first, others] = [
    found.row.parts.filter(isFirst),
    found.row.parts.filter((part) => !isFirst(part)),
  ]
  const names = others
    .slice(0, 4)
    .map(({ field }) => fieldLabel(form, field))
    .join(', ')
  const body = html`<h2>${heading}</h2>${first.map((field) => fieldHtml(form, field))}
    ${others.length > 0 && html`<details class="f"><summary>${t('form-more', { names, count: Math.max(0, others.length - 4) })}</summary>${others.map((field) => fieldHtml(form, field))}</details>`}`
  const end =
    !isNew &&
    html`<p class="row close"><button class="button danger small" name="do" value="remove:${name}" formnovalidate>${icon('trash-2')} ${t('form-remove-this')}</button></p>`
  return pageOf(view, {
    rows,
    own: found.row.parts,
    cls: form.class,
    current: section.id,
    heading,
    body,
    end,
    action: formPath(view, 'files', name),
  })
}

/** Field that a name leads to in the form of a draft. */
export function fieldAt({ draft }: Pick<View, 'draft'>, name: string): FormField | undefined {
  const steps = name.split('.').filter((_, index) => index % 2 === 0)
  let fields: readonly FormField[] = fieldsOfModel(draft.model)
  let found: FormField | undefined
  for (const step of steps) {
    found = fields.find((field) => field.name === step)
    fields = found?.nested?.fields ?? []
  }
  return found
}

/** Row of a name with its field. */
export function rowNamed(
  rows: readonly FormRows[],
  name: string,
): { readonly field: FormField; readonly row: FormRow } | undefined {
  for (const { field, rows: own } of rows)
    for (const row of own) {
      if (row.name === name) return { field, row }
      if (row.parts && name.startsWith(`${row.name}.`)) return rowNamed(row.parts, name)
    }
  return undefined
}

type Section = FormModel['sections'][number]

const sectionLabel = (
  { context: { t, language } }: View,
  { id, label, fields }: Section,
): string => {
  const words = t(`form-section-${id}`)
  const own = label?.[language] ?? label?.['en'] ?? label?.['']
  const [field] = fields
  return (
    own ??
    (words === `form-section-${id}`
      ? field && id === field.name
        ? id.replaceAll('_', ' ')
        : id
      : words)
  )
}

type FormParts = {
  readonly rows: readonly FormRows[]
  /** Fields of this page. */
  readonly own: readonly FormRows[]
  /** Class of the described value whose fields they are; absent for those of the record. */
  readonly cls?: string
  readonly current: string
  readonly heading: string
  readonly body: HtmlContent
  readonly end?: HtmlContent
  readonly action: string
}

/** Page around a form: title, list of sections, figure, what is wrong, and how the record is found. */
function pageOf(
  view: View,
  { rows, own, cls, current, heading, body, end, action }: FormParts,
): PageContent {
  const { context, draft } = view
  const { t, steward } = context
  const added = view.added.map((name) => `&add=${encodeURIComponent(name)}`).join('')
  const saved = context.query.get('saved')
  const savedText = t(saved === 'merged' ? 'form-saved-merged' : 'form-saved')
  const form = html`<form method="post" action="${action}${added}${listQuery(context)}${fixQuery(context)}" novalidate data-autosave>
    <input type="hidden" name="_csrf" value="${steward.token}"><input type="hidden" name="revision" value="${draft.revision}">${pointsBefore(context)}
    <button class="vh" name="do" value="save" tabindex="-1">${t('form-save')}</button>
    ${gained(context, draft.score)}${errorSummary(view, own)} ${body}
    <div class="savebar"><button class="button primary" name="do" value="next">${t('form-next')}</button>
    <button class="button" name="do" value="save" formnovalidate>${t('form-save')}</button>
    <span class="saved" role="status">${saved !== null && html`${icon('check')} ${savedText}`}</span></div>${end}</form>`
  const title = draft.title || t('untitled')
  return deskFrame(context, {
    title: `${heading}: ${title}`,
    body: html`${breadcrumbs(context, { href: context.pathTo('desk'), label: t('desk') }, { href: formPath(view, firstSection), label: title })}
      <div class="form-title"><h1>${title}</h1><span class="flag draft">${t(`form-state-${draft.state}`)}</span></div>
      <div class="form-page"><div class="side">${sectionList(view, rows, current)}${figure(view, own, cls)}</div>${form}${asFound(view, rows)}</div>`,
  })
}

/** Typed texts of a page that are no value, with links to their fields. */
function errorSummary(view: View, own: readonly FormRows[]): HtmlContent {
  const { t } = view.context
  const wrong = wrongRows(own)
  if (wrong.length === 0) return false
  const form = fieldContext(view)
  return html`<div class="errors" role="alert" tabindex="-1" id="errors" aria-labelledby="errors-h">
    <h2 id="errors-h">${t('form-errors', { count: wrong.length })}</h2><p>${t('form-errors-lead')}</p><ul class="close">${wrong.map(
      ({ rows, row }) =>
        html`<li><a href="#f-${rows.name}">${fieldLabel(form, rows.field)}${t('colon')}${typedWords(view.context, rows.field, row)}</a></li>`,
    )}</ul></div>`
}

function wrongRows(
  fields: readonly FormRows[],
): readonly { readonly rows: FormRows; readonly row: FormRow }[] {
  return fields.flatMap((rows) =>
    rows.rows.flatMap((row) => [
      ...(row.message === undefined ? [] : [{ rows, row }]),
      ...(row.parts ? wrongRows(row.parts) : []),
    ]),
  )
}

/** Whether a field has a value. */
export const isAnswered = ({ rows }: FormRows) => rows.some(({ term }) => term !== undefined)

/** Sections of the form, with how many of their fields are answered; `current` is the id of one, or `check`. */
export function sectionList(view: View, rows: readonly FormRows[], current: string): HtmlMarkup {
  const { context, draft } = view
  const { t, formats } = context
  const { sections } = draft.model
  const items = sections.map((section) => {
    const own = rows.filter(({ field }) => section.fields.some(({ name }) => name === field.name))
    const answered = own.filter(isAnswered).length
    const wrong = wrongRows(own).length
    const [only] = own
    const isList = own.length === 1 && only !== undefined && isLong(only.field)
    const count =
      wrong > 0
        ? t('form-to-correct', { count: wrong })
        : isList
          ? formats.number(only.rows.filter(({ term }) => term).length)
          : t('form-answered', { count: answered, all: own.length })
    const state = wrong > 0 ? 'bad' : answered === own.length ? 'good' : 'idle'
    const image = { bad: 'circle-x', good: 'circle-check', idle: 'circle-dashed' }[state]
    const here = section.id === current && html` aria-current="step"`
    return html`<li><a href="${formPath(view, section.id)}"${here}><span class="${state}">${icon(image)}</span><span>${sectionLabel(view, section)}</span><span class="n">${count}</span></a></li>`
  })
  const index = sections.findIndex(({ id }) => id === current)
  const section = sections[index]
  const summary = section
    ? t('form-section', {
        number: index + 1,
        all: sections.length,
        name: sectionLabel(view, section),
      })
    : t('form-check')
  const checkHere = !section && html` aria-current="step"`
  const check = html`<li class="last"><a href="${formPath(view, 'check')}"${checkHere}>${icon('circle-dashed')}<span>${t('form-check')}</span><span class="n"></span></a></li>`
  return html`<nav aria-label="${t('form-sections')}"><details class="sections"><summary>${icon('sliders-horizontal')} ${summary}</summary><ol role="list">${items}${check}</ol></details></nav>`
}

/** Points of the draft, with those that this page could add; nothing before it was measured. */
function figure({ context, draft }: View, own: readonly FormRows[], cls = draft.model.class) {
  const { t, formats } = context
  if (draft.score === undefined) return false
  const open = own
    .filter((rows) => !isAnswered(rows))
    .reduce((sum, { field }) => sum + pointsOf(cls, field), 0)
  const could = Math.min(mostPoints, draft.score + open)
  return html`<div class="gain"><p class="score"><strong>${formats.number(draft.score)}</strong> <span class="soft">${t('form-of-points', { points: mostPoints })}</span></p>
    <svg class="bar" viewBox="0 0 ${mostPoints} 8" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="${mostPoints}" height="8"/><rect class="could" width="${could}" height="8"/><rect class="fill" width="${draft.score}" height="8"/></svg>
    ${open > 0 && html`<p class="soft">${t('form-open-points', { points: open })}</p>`}</div>`
}

/** The record as a hit of a search. */
function asFound(view: View, rows: readonly FormRows[]): HtmlMarkup {
  const { t, language } = view.context
  const prose = rows.find(({ field }) => field.editor === 'prose')?.rows ?? []
  const texts = prose.filter(({ term }) => term)
  const text = texts.find((row) => row.language === language) ?? texts[0]
  return html`<aside aria-label="${t('form-as-found')}">${panel(
    t('form-as-found'),
    html`<div class="as-hit close"><h3>${shortText(view.draft.title || t('untitled'), 160)}</h3><p>${shortText(text?.text ?? '', 160)}</p></div>${
      view.draft.revision !== '' &&
      html`<p class="row close"><a class="button small" href="${formPath(view, 'preview')}">${t('draft-preview-see')}</a></p>`
    }`,
  )}</aside>`
}

const pathsOf = (fields: readonly FormField[]): readonly string[] =>
  fields.flatMap(({ path, nested }) => [...path, ...pathsOf(nested?.fields ?? [])])

/** Statements of the record, and typed texts, that no field shows. */
export function keptStatements({ context: { t }, draft }: View): HtmlContent {
  const shown = new Set(fieldsOfModel(draft.model).flatMap(({ path }) => path))
  const known = new Set(pathsOf(fieldsOfModel(draft.model)))
  const kept = draft.quads.filter(
    ({ subject, predicate }) =>
      keyOf(subject) === keyOf(nodeOf(draft)) &&
      !shown.has(predicate.value) &&
      !predicate.value.endsWith('#type'),
  )
  const typed = draft.typed.filter(({ path }) => !known.has(path))
  const entries = [
    ...kept.map(({ predicate, object }) => [predicate.value, object.value] as const),
    ...typed.map(({ path, text }) => [path, text] as const),
  ]
  return (
    entries.length > 0 &&
    html`<details class="f"><summary>${t('form-kept-statements', { count: entries.length })}</summary><ul role="list">${entries
      .slice(0, 100)
      .map(
        ([path, text]) => html`<li><code>${path}</code> <bdi>${shortText(text, 200)}</bdi></li>`,
      )}</ul></details>`
  )
}
