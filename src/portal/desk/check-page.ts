/** Page on which a draft is checked and published: what blocks that, its points, what will be public, and what one may do with it. */

import type { FormField } from '../../profile/form-model.ts'
import { locn, rdfs, skos, xsd } from '../../rdf/namespaces.ts'
import { shortText } from '../../text/code-points.ts'
import { type Fields, textAt, valueAt } from '../../text/json.ts'
import type { StewardContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup, icon, joinHtml } from '../html.ts'
import type { PageContent } from '../layout.ts'
import { sessionForm } from '../pages/steward/steward-parts.ts'
import { breadcrumbs, notice, pageSection, panel } from '../parts/blocks.ts'
import { typedWords } from '../parts/fault-words.ts'
import { resultWords } from '../parts/findings.ts'
import { dimensionBars, scoreText } from '../parts/quality.ts'
import { fieldsAt, listAt } from '../record.ts'
import { deskFrame } from './desk-frame.ts'
import { draftPath } from './drafts.ts'
import { fieldLabel, helpOf, nameOfValue, pointsOf } from './form-controls.ts'
import { controlPath, type FieldPlace, placeOfFinding, placesOf } from './field-links.ts'
import {
  fieldAt,
  fieldContext,
  formPath,
  isAnswered,
  keptStatements,
  rowNamed,
  rowsOfDraft,
  sectionList,
  type View,
} from './form-page.ts'
import { firstSection } from './form-names.ts'
import { propertyLabels } from './history-page.ts'
import { othersNotice, outcome, type Posted } from './outcome.ts'
import { type FormRow, type FormRows, rowTitle } from './form-rows.ts'

/** Milliseconds for a check: the first one of a process loads its shapes. */
const checkMs = 15_000

/** Page of the check of a draft. Rejects with `Failure` where the repository cannot check it. */
export async function checkPage(view: View, posted?: Posted): Promise<PageContent> {
  const { context, draft } = view
  const { t, steward } = context
  const checked = await context.ask('deskRepository', draftPath(draft, '/findings'), {
    signal: AbortSignal.timeout(checkMs),
  })
  const rows = rowsOfDraft(view)
  const findings = findingLists(view, rows, listAt(checked, 'findings'))
  const mayWrite = draft.may.includes('write')
  const title = draft.title || t('untitled')
  const first = formPath(view, firstSection)
  const kinds: Readonly<Record<string, string>> = {
    review: 'review',
    returned: 'gone',
    away: 'gone',
  }
  return deskFrame(context, {
    title: `${t('form-check')}: ${title}`,
    body: html`${breadcrumbs(context, steward.hasDesk && { href: context.pathTo('desk'), label: t('desk') }, mayWrite && { href: first, label: title })}
      <div class="form-title"><h1>${title}</h1><span class="flag ${kinds[draft.state] ?? 'draft'}">${t(`form-state-${draft.state}`)}</span></div>
      <div class="form-page"><div class="side">${mayWrite && sectionList(view, rows, 'check')}</div>
      <div><h2>${t('publish-heading')}</h2>${outcome(context, posted, draft)}${othersNotice(context, draft)}${noteOf(view)}${findings}
      ${pageSection('answers', t('publish-answers'), [answerList(view, rows, mayWrite), keptStatements(view)])}${actions(view, posted)}${throwAway(view)}</div>
      <aside aria-label="${t('publish-points')}">${points(context, checked)}${pagePanel(view, posted)}${textLinks(view, mayWrite)}</aside></div>`,
  })
}

/** Word of the author to the reviewer or back, and the time at which it is published, or was to be. */
function noteOf({
  context: { t, formats, pathTo },
  draft: { about, type, id },
}: View): HtmlContent {
  const [note, by = '', at, base] = ['note', 'notedBy', 'publishAt', 'baseTag'].map((name) =>
    textAt(about, name),
  )
  // The platform sends back what it cannot publish at its time; its note is for programs.
  const isFailed = textAt(about, 'state') === 'returned' && by === ''
  const merge =
    base !== undefined &&
    html`<p><a href="${pathTo('desk', type, id, 'merge')}">${t('merge-decide')}</a></p>`
  const heading = by === '' ? t('publish-note') : t('publish-note-by', { by })
  return [
    at !== undefined && notice('run', html`${t('publish-at')} ${formats.moment(at)}`),
    isFailed &&
      notice('warn', t('publish-failed'), html`<p>${t('publish-failed-means')}</p>${merge}`),
    note !== undefined &&
      !isFailed &&
      notice('idle', heading, html`<p class="note"><bdi>${note}</bdi></p>`),
  ]
}

const points = (context: StewardContext, checked: unknown): HtmlContent => {
  const score = valueAt(checked, 'score')
  const bars = fieldsAt(checked, 'dimensions')
  return (
    typeof score === 'number' &&
    panel(context.t('publish-points'), [scoreText(context, score), dimensionBars(context, bars)])
  )
}

/** Links to the page as it would be, for the person and for others. */
function pagePanel(view: View, posted?: Posted): HtmlContent {
  const { context, draft } = view
  const { t, formats, root, language } = context
  const token = textAt(posted?.answer, 'token')
  const path = [draft.type, draft.id, token ?? ''].map(encodeURIComponent).join('/')
  const made =
    token !== undefined &&
    html`<div role="status" class="stack"><div class="field"><label for="share">${t('share-address')}</label><input id="share" readonly value="${root}${language}/preview/${path}"></div>
    <p class="small">${t('share-ends')} ${formats.moment(textAt(posted?.answer, 'ends'))}</p>
    <p class="row"><button class="button small" type="button" data-copy="share" hidden>${icon('copy')} ${t('copy')}</button></p></div>`
  const buttons = html`<p class="small">${t('share-hint')}</p><p class="row"><button class="button small" name="do" value="link">${t('share-make')}</button><button class="button quiet small" name="do" value="revoke">${t('share-revoke')}</button></p>`
  const links =
    draft.may.includes('links') &&
    sessionForm(context, `${formPath(view, 'check')}#share`, buttons, 'stack')
  return panel(
    t('draft-preview-page'),
    html`<div class="stack"><p class="row"><a class="button small" href="${formPath(view, 'preview')}">${t('draft-preview-see')}</a></p>${made}${links}</div>`,
  )
}

function textLinks(view: View, mayWrite: boolean): HtmlContent {
  const { context, draft } = view
  const { t, pathTo } = context
  const turtle = mayWrite && html`<a href="${formPath(view, 'turtle')}">Turtle</a>`
  const isChange = textAt(draft.about, 'baseTag') !== undefined
  const history =
    isChange &&
    html`<a href="${pathTo('desk', draft.type, draft.id, 'history')}">${t('versions')}</a>`
  return (
    (mayWrite || isChange) &&
    panel(t('publish-as-data'), html`<p class="formats">${turtle}${history}</p>`)
  )
}

// Findings.

function findingLists(
  view: View,
  rows: readonly FormRows[],
  findings: readonly Fields[],
): HtmlContent {
  const { t } = view.context
  const form = { rows, places: placesOf(view, rows) }
  const all = findings.map((finding) => placedFinding(view, form, finding))
  // A warning about a property that the form does not ask for cannot be heeded in it.
  const shown = all.filter(({ blocks, path, place }) => blocks || place || path === undefined)
  const groups = [...Map.groupBy(shown, ({ key }) => key).values()]
  const [blocking, others] = [true, false].map((blocks) =>
    groups.filter(([first]) => first?.blocks === blocks),
  )
  const most = others?.toSorted(([a], [b]) => (b?.points ?? 0) - (a?.points ?? 0))
  const count = others?.length ?? 0
  return [
    blocking && blocking.length > 0
      ? html`<div class="errors close"><h3>${t('publish-blocked', { count: blocking.length })}</h3><ul class="close">${blocking.map((group) => findingItem(view, group))}</ul></div>`
      : notice('good', t('publish-ready')),
    count > 0 &&
      html`<section class="section" aria-labelledby="better"><h3 id="better">${t('publish-better', { count })}</h3><ol class="fixes" role="list">${most?.map((group) => findingItem(view, group))}</ol></section>`,
  ]
}

/** Finding with its field: that of its node, else one of the same property. Findings with the same `key` say the same. */
function placedFinding(
  view: View,
  { rows, places }: { readonly rows: readonly FormRows[]; readonly places: readonly FieldPlace[] },
  finding: Fields,
) {
  const { context, draft } = view
  const [node, path] = [textAt(finding, 'node'), textAt(finding, 'path')]
  const place = placeOfFinding(places, { node, path })
  const named = path === undefined ? draft.title : propertyLabels({ page: context }, [])(path)
  const form = fieldContext(view, place?.class)
  const own = place ? fieldLabel(form, place.rows.field) : named
  const within = place?.rows.name.split('.').slice(0, -1).join('.') ?? ''
  const parent = within === place?.page ? undefined : fieldAt(view, within)
  const label = parent ? `${fieldLabel({ page: context }, parent)} · ${own}` : own
  const points = place && !isAnswered(place.rows) ? pointsOf(place.class, place.rows.field) : 0
  const words = wordsOf(context, finding, place?.rows.field)
  const file = place?.page === undefined ? undefined : rowNamed(rows, place.page)
  const name = file && (rowTitle(file.row) ?? fieldLabel({ page: context }, file.field))
  const blocks = finding['blocks'] === true
  const key = JSON.stringify([blocks, label, points, words, name === undefined && node])
  const help = place && helpOf(form, place.rows.field)
  return { blocks, path, place, label, points, words, help, name, key }
}

/** Findings that say the same, with links to their fields for those who may write. */
function findingItem(
  view: View,
  findings: readonly ReturnType<typeof placedFinding>[],
): HtmlContent {
  const { draft, context } = view
  const [first] = findings
  if (!first) return false
  const { blocks, label, words, help, points, name } = first
  const linked = (place: FieldPlace | undefined, text: string) => {
    const href = place ? controlPath(view, place) : formPath(view, firstSection)
    return draft.may.includes('write')
      ? html`<a href="${href}"><bdi>${shortText(text, 80)}</bdi></a>`
      : html`<bdi>${shortText(text, 80)}</bdi>`
  }
  const files =
    name !== undefined &&
    joinHtml(
      findings.map((one) => linked(one.place, one.name ?? '')),
      ', ',
    )
  const heading = files === false ? linked(first.place, label) : label
  const earns = points > 0 && html`+ ${context.t('form-points', { points })}`
  return blocks
    ? html`<li><strong>${heading}</strong>${files && html` (${files})`}${context.t('colon')}${words} ${earns}</li>`
    : html`<li><h4>${heading}</h4>${earns && html`<span class="gain">${earns}</span>`}<p>${words} ${files || help}</p></li>`
}

function wordsOf(context: StewardContext, finding: Fields, field?: FormField): HtmlContent {
  const { t, formats } = context
  const [kind, value = '', language = '', component = '', message] = [
    'kind',
    'value',
    'language',
    'component',
    'message',
  ].map((name) => textAt(finding, name))
  if (kind === 'typed') return typedWords(context, field ?? {}, { message, text: value })
  if (kind !== 'shape')
    return t(`publish-finding-${kind}`, {
      points: value,
      language: language === '' ? '' : formats.languageName(language),
    })
  const [path = '', messages] = [textAt(finding, 'path'), fieldsAt(finding, 'messages')]
  const words = resultWords(context, { path, component, messages, value }, field?.editor)
  const isQuoted = ['“', '„', '«', '« '].some(
    (mark) => typeof words === 'string' && words.includes(mark + shortText(value, 80)),
  )
  return isQuoted || value === '' || value.startsWith('_:')
    ? words
    : html`${words} <code><bdi>${shortText(value, 160)}</bdi></code>`
}

// Answers.

/** List of what will be public, field by field, and of what is asked for and has no answer. */
function answerList(view: View, rows: readonly FormRows[], mayWrite: boolean): HtmlMarkup {
  const { t } = view.context
  const form = fieldContext(view)
  const shown = rows.filter((one) => isAnswered(one) || one.field.need !== 'optional')
  const items = shown.map((one) => {
    const label = fieldLabel(form, one.field)
    const values = isAnswered(one)
      ? html`<dd>${joinHtml(
          one.rows.filter(({ term }) => term).map((row) => answer(view, row)),
          html`<br>`,
        )}</dd>`
      : html`<dd class="none">${t('form-not-said')}</dd>`
    const verb = t(isAnswered(one) ? 'publish-change' : 'form-add')
    const link =
      mayWrite &&
      html`<dd><a href="${controlPath(view, { rows: one, page: undefined })}">${verb}<span class="vh"> ${label}</span></a></dd>`
    return html`<div><dt>${label}</dt>${values}${link}</div>`
  })
  return html`<dl class="answers close">${items}</dl>`
}

const dateTypes = new Set(['date', 'dateTime', 'gYear', 'gYearMonth'].map((one) => xsd(one).value))

/** Name of a described place, which no field shows. */
function placeName({ context, draft }: View, { parts = [], term }: FormRow): HtmlContent {
  if (!parts.some(({ field }) => field.editor === 'area')) return false
  const names = draft.quads.flatMap(({ subject, predicate, object }) =>
    term?.equals(subject) && nameProperties.has(predicate.value) && object.termType === 'Literal'
      ? [[object.language, object.value] as const]
      : [],
  )
  const name = context.textOf(Object.fromEntries(names))
  return name && context.inLanguage(name)
}

const nameProperties = new Set(
  [skos('prefLabel'), rdfs('label'), locn('geographicName')].map(({ value }) => value),
)

/** Value of a row; of a described value, those of its fields, of which a file or a link shows one address where it has no text. */
function answer(view: View, row: FormRow): HtmlContent {
  if (row.parts?.every(({ field }) => field.editor === 'date'))
    return joinHtml(
      row.parts.map(({ rows }) => html`${rows.map((part) => answer(view, part))}`),
      ' – ',
    )
  if (row.parts) {
    const parts = row.parts.flatMap(({ rows }) => rows.filter(({ term }) => term))
    const named = parts.filter((part) => !isMereAddress(view, part))
    const isNamed = named.some(({ term }) => term?.termType === 'Literal')
    const short = isNamed
      ? named
      : [...parts.filter((part) => !named.includes(part)).slice(0, 1), ...named]
    const shown = row.parts.length > 4 ? short : parts
    const values = shown.map((part) => answer(view, part))
    return joinHtml([placeName(view, row), ...values], ' · ')
  }
  if (row.term?.termType === 'Literal' && dateTypes.has(row.term.datatype.value))
    return view.context.formats.day(row.text) ?? html`<bdi>${row.text}</bdi>`
  const text = shortText(nameOfValue(fieldContext(view), row), 600)
  if (row.language === '') return html`<bdi>${text}</bdi>`
  const { language, formats } = view.context
  const name = formats.languageName(row.language)
  return html`<bdi lang="${row.language}">${text}</bdi>${row.language !== language && html` <abbr class="lang" title="${name}">${row.language}</abbr>`}`
}

/** Whether a row is the address of a web page or file, which no list gives a name. */
const isMereAddress = (view: View, row: FormRow): boolean =>
  row.term?.termType === 'NamedNode' && /^https?:/.test(nameOfValue(fieldContext(view), row))

// Actions.

/** Form with the actions that are open; `false` where there is none. */
function actions(view: View, posted?: Posted): HtmlContent {
  const { context, draft } = view
  const { t, steward, config } = context
  const may = (action: string) => draft.may.includes(action)
  const typed = (name: string) => posted?.field(name) ?? ''
  const isOwn = textAt(draft.about, 'authorId') === steward.id
  const button = (name: string, label: string, style = '') =>
    html`<button class="button ${style}" name="do" value="${name}">${label}</button>`
  if (!['publish', 'submit', 'return', 'schedule'].some(may)) return false
  const hasNote = may('submit') || (may('return') && !isOwn)
  const noteLabel = t(may('submit') ? 'publish-word' : 'publish-why')
  const note =
    hasNote &&
    html`<div class="field"><label for="note">${noteLabel} <span class="soft">(${t('publish-not-public')})</span></label><textarea id="note" name="note" rows="3" maxlength="2000">
${typed('note')}</textarea></div>`
  const day =
    may('schedule') &&
    html`<div class="field"><label for="at">${t('publish-day')} <span class="soft">(${config.timeZone})</span></label><div class="add-row"><input class="short" type="datetime-local" id="at" name="at" value="${typed('at')}">${button('schedule', t('publish-schedule'))}</div></div>`
  // The first button, which Enter presses in a field, only shows the page again.
  const body = html`<button class="vh" name="do" value="" tabindex="-1">${t('publish-again')}</button>
    <input type="hidden" name="revision" value="${draft.revision}">${note}
    <p class="row">${may('publish') && html`<button class="button primary" name="do" value="publish">${icon('check')} ${t('publish-now')}</button>`}${may('submit') && button('submit', t('publish-submit'), 'primary')}${may('return') && button('return', t(isOwn ? 'publish-take-back' : 'publish-send-back'))}</p>${day}`
  return pageSection('publish', t('publish-what-next'), [
    may('submit') && html`<p class="soft">${t('publish-reviewed')}</p>`,
    sessionForm(context, formPath(view, 'check'), body, 'stack close'),
  ])
}

/** Form that throws a draft away, after a second look, or that takes it back. */
function throwAway(view: View): HtmlContent {
  const { context, draft } = view
  const { t, formats } = context
  const form = (action: string, style: string) =>
    sessionForm(
      context,
      formPath(view, 'check'),
      html`<input type="hidden" name="revision" value="${draft.revision}"><button class="button ${style}" name="do" value="${action}">${t(`publish-${action}`)}</button>`,
    )
  if (draft.may.includes('restore'))
    return pageSection('away', t('publish-away'), [
      html`<p class="soft">${t('desk-deleted-on')} ${formats.day(textAt(draft.about, 'ends'))}</p>`,
      form('restore', 'primary'),
    ])
  return (
    draft.may.includes('delete') &&
    html`<details class="f"><summary>${t('publish-delete')} …</summary><p class="soft">${t('publish-delete-means')}</p>${form('delete', 'danger')}</details>`
  )
}
