/**
 * Page on which a draft and what others published meanwhile come together: where both changed the same, the person decides field by
 * field; all else is kept.
 */

import type { Quad, Term } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import type { FormFields } from '../../http/form.ts'
import { fromLines, joinLines, toLine } from '../../rdf/lines.ts'
import { dct, shortNames, xsd } from '../../rdf/namespaces.ts'
import { keyOf } from '../../rdf/read.ts'
import { literal, quad } from '../../rdf/terms.ts'
import { shortText } from '../../text/code-points.ts'
import { type Fields, listed, textAt, valueAt } from '../../text/json.ts'
import type { StewardContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup, joinHtml } from '../html.ts'
import type { PageContent } from '../layout.ts'
import { sessionForm } from '../pages/steward/steward-parts.ts'
import { breadcrumbs, notice, pageSection, pairList } from '../parts/blocks.ts'
import { listAt, numberAt } from '../record.ts'
import { outcome, type Posted } from './outcome.ts'
import { deskFrame } from './desk-frame.ts'
import { draftPath, type RecordPlace, repositoryPath } from './drafts.ts'
import { fieldsOfModel, formPath, nodeOf, type View } from './form-page.ts'
import {
  authorLine,
  changedPart,
  marked,
  propertyLabels,
  valueName,
  versionTime,
  wordsOf,
} from './history-page.ts'

/** Values that both sides set differently; `node` is the key of their subject. */
type Conflict = {
  readonly node: string
  readonly path: string
  readonly language: string
  readonly base: readonly Quad[]
  readonly current: readonly Quad[]
  readonly mine: readonly Quad[]
}

/** Merge as the repository answers it; `theirs` and `mine` are the statements that each side changed. */
type Merge = {
  /** Hash of the published record. */
  readonly baseTag: string
  readonly conflicts: readonly Conflict[]
  readonly theirs: readonly Quad[]
  readonly mine: readonly Quad[]
}

const quadsAt = (value: unknown, name: string): readonly Quad[] =>
  fromLines(joinLines(listed(valueAt(value, name)).map(String)))

/** Reads the merge of a draft. Rejects with `conflict` where its published record is gone, or new. */
export async function readMerge(context: StewardContext, place: RecordPlace): Promise<Merge> {
  const answer = await context.ask('deskRepository', draftPath(place, '/merge'))
  const changed = (side: string) => [
    ...quadsAt(answer, `${side}.removed`),
    ...quadsAt(answer, `${side}.added`),
  ]
  return {
    baseTag: textAt(answer, 'baseTag') ?? '',
    conflicts: listAt(answer, 'conflicts').map(conflictIn),
    theirs: changed('theirs'),
    mine: changed('mine'),
  }
}

const conflictIn = (entry: Fields): Conflict => ({
  node: textAt(entry, 'node') ?? '',
  path: textAt(entry, 'path') ?? '',
  language: textAt(entry, 'language') ?? '',
  base: quadsAt(entry, 'base'),
  current: quadsAt(entry, 'current'),
  mine: quadsAt(entry, 'mine'),
})

/** Short names of the properties of statements, separated by spaces, for an address. */
export const shortProperties = (properties: Iterable<string>): string =>
  [...new Set(properties)]
    .map((property) => shortNames().shorten(property) ?? property)
    .slice(0, 30)
    .join(' ')

// Decisions.

/** Text in one language, which can be written anew, of a conflict whose sides have one such text at most. */
function textOf({ base, current, mine }: Conflict): Term | undefined {
  const isText = ({ object }: Quad) =>
    object.termType === 'Literal' &&
    (object.language !== '' || object.datatype.equals(xsd('string')))
  const isOne = [base, current, mine].every((side) => side.length <= 1 && side.every(isText))
  return isOne ? [...mine, ...current][0]?.object : undefined
}

/** Statements to remove and to add for the choices of a form. Throws `invalid-parameter` for a text that is not written. */
export function decisions({ conflicts }: Merge, field: FormFields) {
  const chosen = conflicts.map((conflict, index): readonly Quad[] => {
    const choice = field(`c${index}`)
    if (choice === 'mine') return conflict.mine
    if (choice === 'before') return conflict.base
    const [first] = [...conflict.mine, ...conflict.current]
    if (choice !== 'both' || !first || !textOf(conflict)) return conflict.current
    const text = field(`t${index}`).replaceAll('\r\n', '\n').trim()
    if (text === '') throw new Failure('invalid-parameter', 'write the text')
    const { object } = first
    const kind = object.termType === 'Literal' ? object.language || object.datatype : xsd('string')
    return [quad(first.subject, first.predicate, literal(text, kind))]
  })
  const change = (side: readonly Quad[], other: readonly Quad[]) => {
    const kept = new Set(other.map(toLine))
    return side.map(toLine).filter((line) => !kept.has(line))
  }
  return {
    remove: conflicts.flatMap(({ current }, index) => change(current, chosen[index] ?? [])),
    add: conflicts.flatMap(({ current }, index) => change(chosen[index] ?? [], current)),
  }
}

// The page.

/** Draft with the names of properties. */
type MergeView = View & { readonly labelOf: (property: string) => string }

/** Page of the merge of a draft; after a form was refused, with its choices. */
export async function mergePage(view: View, posted?: Posted): Promise<PageContent> {
  const { context, draft } = view
  const { t } = context
  const merge = await readMerge(context, draft).catch((error: unknown) => {
    if (error instanceof Failure && error.kind === 'conflict') return undefined
    throw error
  })
  const title = draft.title || t('untitled')
  const baseTag = textAt(draft.about, 'baseTag')
  const gone = t(baseTag === undefined ? 'merge-taken' : 'merge-withdrawn')
  const check = formPath(view, 'check')
  const body = merge
    ? merge.baseTag === baseTag
      ? html`<p>${t('merge-current')}</p>`
      : await mergeForm(view, merge, posted)
    : html`<div role="alert">${notice('bad', gone, html`<p>${t('merge-kept')}</p>`)}</div>`
  return deskFrame(context, {
    title: `${t('merge-title')}: ${title}`,
    body: html`${breadcrumbs(context, { href: context.pathTo('desk'), label: t('desk') }, { href: check, label: title })}
      <h1>${t('merge-title')}</h1>${outcome(context, posted)}${body}
      <p class="close"><a href="${check}">${t('merge-later')}</a></p>`,
  })
}

async function mergeForm(given: View, merge: Merge, posted?: Posted): Promise<HtmlContent> {
  const { context, draft } = given
  const { t } = context
  const labelOf = propertyLabels({ page: context }, fieldsOfModel(draft.model))
  const view = { ...given, labelOf }
  const count = t('merge-count', { count: merge.conflicts.length })
  const lead = notice(
    'warn',
    t('merge-lead', { title: draft.title || t('untitled') }),
    html`<p>${count}</p>${await newestVersion(context, draft)}`,
  )
  const isSame = posted?.field('baseTag') === merge.baseTag
  const field: FormFields = isSame && posted ? posted.field : () => ''
  const form = html`<button class="vh" name="do" value="decide" tabindex="-1">${t('merge-take')}</button>
    <input type="hidden" name="baseTag" value="${merge.baseTag}"><input type="hidden" name="revision" value="${draft.revision}">
    ${merge.conflicts.map((conflict, index) => conflictField(view, conflict, index, field))}${keptOnes(view, merge)}
    <p class="row close"><button class="button primary" name="do" value="decide">${t('merge-take')}</button></p>`
  return [lead, sessionForm(context, formPath(view, 'merge'), form, 'section')]
}

/** Who wrote the newest version and when, with a link to the history; nothing where versions cannot be read. */
async function newestVersion(context: StewardContext, place: RecordPlace): Promise<HtmlContent> {
  const { t, pathTo } = context
  const history = await context.askOptional('deskRepository', `${repositoryPath(place)}/versions`)
  const [newest] = listAt(history, 'versions')
  if (!newest) return false
  const name = t('version-n', { number: numberAt(newest, 'number') })
  return html`<p><a href="${pathTo('desk', place.type, place.id, 'history')}">${name}</a> · ${versionTime(context, newest)} · ${authorLine(context, newest)}</p>`
}

/** Field whose value is to be decided, with the two sides and a third answer. */
function conflictField(
  view: MergeView,
  conflict: Conflict,
  index: number,
  field: FormFields,
): HtmlMarkup {
  const { t, formats } = view.context
  const { language, base, current, mine } = conflict
  const label = labelOfConflict(view, conflict)
  const name = language === '' ? undefined : (formats.languageName(language) ?? language)
  const tag = name !== undefined && html` <abbr class="lang" title="${name}">${language}</abbr>`
  const text = textOf(conflict)
  const typed = field(`c${index}`)
  const option = (value: string, heading: string, content: HtmlContent) =>
    html`<label class="choice"><input type="radio" name="c${index}" value="${value}"${value === (typed || 'mine') && html` checked`}><b>${heading}</b><span></span>${content}</label>`
  const side = (quads: readonly Quad[]) =>
    html`<span class="soft marked">${valuesOf(view, conflict, quads)}</span>`
  const both = text && field(`t${index}`)
  const written = both === '' && text ? writtenTogether(base, mine, current) : both
  return html`<fieldset class="section"><legend class="vh">${label}${name !== undefined && `, ${name}`}</legend><h2>${label}${tag}</h2><div class="choices close">
    ${option('mine', t('merge-mine'), side(mine))}${option('theirs', t('merge-theirs'), side(current))}${option('before', t('merge-before'), side(base))}${
      written !== undefined &&
      html`<div class="choice"><input type="radio" id="b${index}" name="c${index}" value="both"${typed === 'both' && html` checked`}><label for="b${index}"><b>${t('merge-both')}</b></label><span></span>
      <span class="soft"><label class="vh" for="t${index}">${t('merge-both')}: ${label}</label><textarea id="t${index}" name="t${index}" rows="3"${language !== '' && html` lang="${language}"`}>
${written}</textarea></span></div>`
    }</div></fieldset>`
}

/** Name of the field; of a described value also that one's name. */
function labelOfConflict(view: MergeView, { node, path, base, current, mine }: Conflict): string {
  const field = view.labelOf(path)
  if (node === keyOf(nodeOf(view.draft)).replace(/^_:/, '')) return field
  const known = [...view.draft.quads, ...base, ...current, ...mine]
  const own = known.filter(
    ({ subject, object }) => subject.value === node && object.termType === 'Literal',
  )
  const title = own.find(({ predicate }) => predicate.equals(dct('title'))) ?? own[0]
  if (!title) return field
  return view.context.t('merge-field-of', { field, name: shortText(title.object.value, 80) })
}

/** Values of one side as people read them, with what differs from the base marked. */
function valuesOf(view: MergeView, conflict: Conflict, quads: readonly Quad[]): HtmlContent {
  const { context, concepts } = view
  const form = { page: context, concepts }
  if (quads.length === 0) return context.t('merge-no-value')
  const isNode = quads.some(({ subject }) => subject.value !== conflict.node)
  if (isNode) return describedNode(view, quads)
  const [former] = conflict.base
  const shown = quads.slice(0, 20).map(({ object }) => {
    const lang = conflict.language !== '' && html` lang="${conflict.language}"`
    const text = shortText(valueName(form, object), 2000)
    const content =
      object.termType === 'Literal' && former && quads !== conflict.base
        ? marked('ins', former.object.value, text)
        : text
    return html`<bdi${lang}>${content}</bdi>`
  })
  return joinHtml(shown, html`<br>`)
}

/** Texts and addresses of a node that one side removed. */
function describedNode(view: MergeView, quads: readonly Quad[]): HtmlContent {
  const form = { page: view.context, concepts: view.concepts }
  const nodes = new Set(quads.map(({ subject }) => keyOf(subject)))
  const facts = quads.filter(
    ({ predicate, object }) =>
      !predicate.value.endsWith('#type') &&
      object.termType !== 'BlankNode' &&
      (object.termType === 'Literal' || !nodes.has(keyOf(object))),
  )
  const rows = facts
    .slice(0, 8)
    .map(
      ({ predicate, object }) =>
        html`${view.labelOf(predicate.value)}: <bdi>${shortText(valueName(form, object))}</bdi>`,
    )
  return joinHtml(rows, html`<br>`)
}

/** Fields that only one side changed, which need no decision. */
function keptOnes(view: MergeView, { conflicts, theirs, mine }: Merge): HtmlContent {
  const { t } = view.context
  const decided = conflicts.flatMap(({ base, current, mine: own }) => [...base, ...current, ...own])
  const lines = new Set(decided.map(toLine))
  const labels = (quads: readonly Quad[]) => {
    const others = quads.filter(
      (q) => !lines.has(toLine(q)) && !q.predicate.value.endsWith('#type'),
    )
    const names = new Set(others.map(({ predicate }) => predicate.value))
    return [...new Set([...names].map(view.labelOf))].slice(0, 30).join(', ')
  }
  const rows = [
    [t('merge-mine-kept'), labels(mine)] as const,
    [t('merge-theirs-kept'), labels(theirs)] as const,
  ]
  const list = pairList(rows, 'pairs close')
  return list && pageSection('kept', t('merge-nothing-to-decide'), list)
}

// Differences of texts, by words.

/** Text with the changes of both sides, where these do not touch; else one after the other. */
function writtenTogether(...sides: readonly (readonly Quad[])[]): string {
  const [base = '', mine = '', theirs = ''] = sides.map((quads) => quads[0]?.object.value ?? '')
  const [from, own, other] = [wordsOf(base), wordsOf(mine), wordsOf(theirs)]
  const [one, two] = [changedPart(from, own), changedPart(from, other)]
  const ofOwn = own.slice(one.start, one.end)
  const ofOther = other.slice(two.start, two.end)
  const [first, firstWords, second, secondWords] =
    one.start <= two.start ? [one, ofOwn, two, ofOther] : [two, ofOther, one, ofOwn]
  if (base === '' || first.endInBase > second.start)
    return [mine, theirs].filter(Boolean).join(/\n|.{200}/.test(mine + theirs) ? '\n' : ' ')
  return [
    ...from.slice(0, first.start),
    ...firstWords,
    ...from.slice(first.endInBase, second.start),
    ...secondWords,
    ...from.slice(second.endInBase),
  ].join('')
}
