/** Page of the versions of a record: who wrote them, what a version changed by field and language, and ways back. */

import type { Quad, Term } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import type { FormField } from '../../profile/form-model.ts'
import { lastName } from '../../rdf/iri.ts'
import { fromLines, joinLines } from '../../rdf/lines.ts'
import { type Fields, listed, textAt, valueAt } from '../../text/json.ts'
import type { StewardContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup, icon } from '../html.ts'
import type { PageContent } from '../layout.ts'
import { sessionForm } from '../pages/steward/steward-parts.ts'
import { shippedConcepts } from './concepts.ts'
import { deskFrame, publishedTitle } from './desk-frame.ts'
import { readModel, repositoryPath, type VersionPlace } from './drafts.ts'
import { type FieldContext, fieldLabel, nameOfValue } from './form-controls.ts'
import { fieldsOfModel } from './form-page.ts'
import { breadcrumbs, notice } from '../parts/blocks.ts'
import { scrollRegion } from '../parts/table.ts'
import { listAt, numberAt } from '../record.ts'

/** Page of the history; the query has the version (`version`) and the one that it is compared with (`with`). */
export async function historyPage(
  context: StewardContext,
  place: VersionPlace,
): Promise<PageContent> {
  const { t, pathTo, query } = context
  const path = repositoryPath(place)
  const history = await context.ask('deskRepository', `${path}/versions`)
  const versions = listAt(history, 'versions')
  const numbers = versions.map((version) => numberAt(version, 'number'))
  const chosen = (name: string, other: number | undefined) => {
    const number = Number(query.get(name))
    return numbers.includes(number) ? number : other
  }
  const newest = chosen('version', numbers[0])
  const former = chosen(
    'with',
    numbers.find((number) => number < (newest ?? 0)),
  )
  const version = versions.find((one) => numberAt(one, 'number') === newest)
  const isPublisher = context.steward.hasDesk
  const name = await publishedTitle(context, place)
  const title = t('history-of', { title: name })
  const own = place.type === 'datasets' ? pathTo('datasets', place.id) : undefined
  return deskFrame(context, {
    title,
    body: html`${breadcrumbs(context, { href: pathTo(isPublisher ? 'desk' : 'harvest'), label: t(isPublisher ? 'desk' : 'steward-pages') }, own !== undefined && { href: own, label: name })}
      <h1>${title}</h1><p class="soft">${t('history-hint')}</p>
      ${valueAt(history, 'mayWithdraw') === true && html`<p><a href="${pathTo('desk', place.type, place.id, 'check')}">${t('history-actions')}</a></p>`}${refusal(context, place)}
      <div class="with-aside section"><div>${
        version && newest !== undefined && former !== undefined
          ? await comparison(context, place, { version, newest, former, history })
          : html`<p>${t('history-first')}</p>`
      }</div>
      <aside aria-label="${t('versions')}"><div class="panel"><h2>${t('versions')}</h2>${versionList(context, history, { newest, former })}</div></aside></div>`,
  })
}

/** Notice that there is a draft already, which the last action would have replaced. */
const refusal = ({ t, query, pathTo }: StewardContext, { type, id }: VersionPlace): HtmlContent =>
  query.get('did') === 'draft' &&
  html`<div role="alert">${notice('warn', t('history-draft'), html`<p><a href="${pathTo('desk', type, id, 'check')}">${t('form-check')}</a></p>`)}</div>`

/** Names of the ways by which versions are written. */
function wayOf({ t }: StewardContext, by: string | undefined): string {
  const isNamed = by !== undefined && ['console', 'desk', 'harvest', 'job'].includes(by)
  return t(isNamed ? `by-${by}` : 'by-program')
}

/** Way by which a version was written, its writer and note. */
export const authorLine = (context: StewardContext, version: Fields): HtmlContent => {
  const note = textAt(version, 'note')
  const who = textAt(version, 'name') ?? textAt(version, 'who')
  const parts = [wayOf(context, textAt(version, 'by')), who, note]
  return parts.filter(Boolean).join(' · ')
}

/** Time at which a version was written. */
export const versionTime = ({ formats }: StewardContext, version: Fields): HtmlContent =>
  formats.moment(textAt(version, 'at'))

type Compared = {
  readonly version: Fields
  readonly newest: number
  readonly former: number
  readonly history: unknown
}

async function comparison(
  context: StewardContext,
  place: VersionPlace,
  { version, newest, former, history }: Compared,
): Promise<HtmlMarkup> {
  const { t, pathTo } = context
  const query = `revisionNumber1=${former}&revisionNumber2=${newest}`
  const change = await context
    .ask('deskRepository', `${repositoryPath(place)}/diff?${query}`)
    .catch((error: unknown) => {
      if (error instanceof Failure && error.kind === 'unknown-resource') return undefined
      throw error
    })
  const [heads, names] = [
    [t('version-n', { number: former }), t('version-n', { number: newest })],
    t('version-against', { newest, former }),
  ]
  const rows = change === undefined ? [] : await changedRows(context, place, change)
  const mayChange = valueAt(history, 'mayChange') === true
  return html`<section aria-labelledby="diff"><h2 id="diff">${names}</h2>
    <p class="soft">${versionTime(context, version)} · ${authorLine(context, version)}</p>
    ${
      change === undefined
        ? html`<p>${t('history-unreadable')}</p>`
        : scrollRegion(
            names,
            html`<table role="table" class="table stacks sides"><thead role="rowgroup"><tr role="row">
            <th scope="col" role="columnheader">${t('history-field')}</th>${heads.map((head) => html`<th scope="col" role="columnheader">${head}</th>`)}</tr></thead>
            <tbody role="rowgroup">${rows.map((row) => comparedRow(row, heads))}</tbody></table>`,
          )
    }
    ${mayChange && change !== undefined && wayBack(context, pathTo('desk', place.type, place.id, 'history'), { newest, former })}</section>`
}

/** Buttons that make a draft which takes a version back, or goes back to one. */
const wayBack = (
  context: StewardContext,
  path: string,
  { newest, former }: { readonly newest: number; readonly former: number },
): HtmlMarkup => {
  const { t } = context
  return html`${sessionForm(
    context,
    path,
    html`<input type="hidden" name="version" value="${newest}"><input type="hidden" name="former" value="${former}">
    <button class="button" name="do" value="undo">${icon('rotate-ccw')} ${t('history-undo', { number: newest })}</button>
    <button class="button quiet" name="do" value="restore">${t('history-restore', { number: former })}</button>`,
    'row close',
  )}<p class="hint close">${t('history-kept')}</p>`
}

/** Values of one property of a node, before and after. */
type ChangedRow = {
  readonly label: string
  readonly language: string
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/** Makes the function that names a property: as its first field in a form, else by its own name in words. */
export function propertyLabels(
  context: Pick<FieldContext, 'page'>,
  fields: readonly FormField[],
): (property: string) => string {
  const byPath = new Map<string, FormField>()
  const add = (list: readonly FormField[]) => {
    for (const field of list)
      for (const path of field.path) if (!byPath.has(path)) byPath.set(path, field)
    for (const { nested } of list) add(nested?.fields ?? [])
  }
  add(fields)
  return (property) => {
    const words = lastName(property).replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    return fieldLabel(context, byPath.get(property) ?? { name: words.toLowerCase() })
  }
}

/** Name of a value for people: that of its concept, for a described one a word, else the value. */
export const valueName = (form: Pick<FieldContext, 'concepts' | 'page'>, term: Term): string =>
  term.termType === 'BlankNode'
    ? form.page.t('form-kept')
    : nameOfValue(form, { term, text: term.value })

async function changedRows(
  context: StewardContext,
  { type }: VersionPlace,
  change: unknown,
): Promise<readonly ChangedRow[]> {
  const form = { page: context, concepts: await shippedConcepts() }
  const labelOf = propertyLabels(form, fieldsOfModel(await readModel(context, type)))
  const quadsAt = (name: string) => fromLines(joinLines(listed(valueAt(change, name)).map(String)))
  const [removed, added] = [quadsAt('removed'), quadsAt('added')]
  const languageOf = ({ object }: Quad) => (object.termType === 'Literal' ? object.language : '')
  const unit = (q: Quad) => [q.subject.value, q.predicate.value, languageOf(q)].join('\n')
  const valuesOf = (quads: readonly Quad[], key: string) =>
    quads.filter((q) => unit(q) === key).map(({ object }) => valueName(form, object))
  return [...Map.groupBy([...removed, ...added], unit)].map(([key, [first]]) => ({
    label: labelOf(first?.predicate.value ?? ''),
    language: first ? languageOf(first) : '',
    before: valuesOf(removed, key),
    after: valuesOf(added, key),
  }))
}

export const wordsOf = (text: string): readonly string[] => text.split(/(\s+)/)

/** Part of a text that is not in another one: all between the words that both begin and end with. */
export function changedPart(base: readonly string[], words: readonly string[]) {
  const shorter = Math.min(base.length, words.length)
  let start = 0
  while (start < shorter && base[start] === words[start]) start += 1
  let same = 0
  while (same < shorter - start && base.at(-1 - same) === words.at(-1 - same)) same += 1
  return { start, endInBase: base.length - same, end: words.length - same }
}

/** Text with the part marked, by an element, that another text does not have. */
export function marked(element: 'del' | 'ins', other: string, text: string): HtmlContent {
  const words = wordsOf(text)
  const { start, end } = changedPart(wordsOf(other), words)
  const part = (from: number, to?: number) => words.slice(from, to).join('')
  const changed = part(start, end)
  const mark = element === 'del' ? html`<del>${changed}</del>` : html`<ins>${changed}</ins>`
  return [part(0, start), start < end && mark, part(end)]
}

function comparedRow({ label, language, before, after }: ChangedRow, heads: readonly string[]) {
  const tag = language !== '' && html` <abbr class="lang" title="${language}">${language}</abbr>`
  const lang = language !== '' && html` lang="${language}"`
  const isText = before.length === 1 && after.length === 1
  const [former = '', present = ''] = isText ? [before[0], after[0]] : []
  const cell = (element: 'del' | 'ins', values: readonly string[], other: string) =>
    values.map((value) => html`${marked(element, other, value)} `)
  return html`<tr role="row"><th role="rowheader" scope="row" class="wide">${label}${tag}</th>
    <td role="cell" class="wide" data-label="${heads[0]}"${lang}>${cell('del', before, present)}</td>
    <td role="cell" class="wide" data-label="${heads[1]}"${lang}>${cell('ins', after, former)}</td></tr>`
}

/** Form with all versions, of which one is chosen to compare with the newest; each but the first leads to what it changed. */
function versionList(
  context: StewardContext,
  history: unknown,
  { newest, former }: { readonly newest: number | undefined; readonly former: number | undefined },
): HtmlContent {
  const { t } = context
  const outside = new Set(listed(valueAt(history, 'changedOutside')).map(Number))
  const versions = listAt(history, 'versions')
  const entries = versions.map((version, index) => {
    const number = numberAt(version, 'number')
    const isShown = number === newest
    const link =
      !isShown &&
      index < versions.length - 1 &&
      html` · <a href="?version=${number}">${t('history-show')}<span class="vh">: ${t('version-n', { number })}</span></a>`
    const id = `v${number}`
    const gap = outside.has(number) && html`<li class="soft">${t('changed-outside')}</li>`
    return html`${gap}<li><input type="radio" name="with" id="${id}" value="${number}"${number === former && html` checked`}>
      <div><label for="${id}"${isShown && html` aria-current="true"`}>${t('version-n', { number })} · ${versionTime(context, version)}</label>
      <p class="small">${authorLine(context, version)}${link}</p></div></li>`
  })
  return html`<form method="get"><fieldset><legend class="vh">${t('history-compare')}</legend><ol class="states" role="list">${entries}</ol></fieldset>
    <p class="row close"><button class="button small">${t('history-compare')}</button></p></form>`
}
