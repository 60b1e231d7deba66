/**
 * Corrections in forms: an address such as `…/essentials?fix=keywordAvailability#f-keywords` leads to the field that mends an
 * indicator (`fix` is its key) or a value that the search left out (`fix` is the reason). Where `fix` does not determine the field,
 * `field` names it. The field says what is wrong, its first control has the focus, and after saving the page says what it earned.
 */

import type { FormField } from '../../profile/form-model.ts'
import { shortNames } from '../../rdf/namespaces.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup, icon, joinHtml } from '../html.ts'
import { notice } from '../parts/blocks.ts'
import { resultWords, type ShaclResult } from '../parts/findings.ts'
import { type PageIndicator, pageIndicators } from '../parts/quality.ts'
import type { FormRows } from './form-rows.ts'

/** Field of a page that is to be corrected: its name, and what it says until it was saved. */
export type Fix = { readonly name: string; readonly words?: HtmlMarkup }

const shortIri = shortNames()

/** Whether a field is that of an indicator. `cls` is the class of the resource that has the field; `''` for none. */
export const isMendedBy = (
  { class: own, property, mends }: PageIndicator,
  cls: string,
  { path, eachOf }: FormField,
): boolean =>
  (eachOf === undefined ? shortIri.shorten(cls) === own : cls !== '') &&
  path.some((iri) => shortIri.shorten(iri) === (property ?? mends))

/** Indicator that an address asks to mend; `undefined` where it asks for none, or for another correction. */
const indicatorIn = ({ query }: PageContext) =>
  pageIndicators.find(({ key }) => key === query.get('fix'))

/**
 * Field that the address of a page asks to correct. `fields` are those of the page, for resources of a class; `results` are of the
 * validation of the published record. `undefined` where none is asked for, or none of this page.
 */
export function fixIn(
  context: PageContext,
  {
    cls,
    fields,
    results,
  }: {
    readonly cls: string
    readonly fields: readonly FormRows[]
    readonly results: readonly ShaclResult[]
  },
): Fix | undefined {
  const { t, query } = context
  const [indicator, reason] = [indicatorIn(context), `reason-${query.get('fix') ?? ''}`]
  if (!indicator && t(reason) === reason) return undefined
  const named = query.get('field')
  const target = withParts(fields).find(({ name, field }) =>
    named === null ? indicator && isMendedBy(indicator, cls, field) : name === named,
  )
  if (!target) return undefined
  const { field, name } = target
  if (query.has('from')) return { name }
  const faults = results
    .filter(({ path }) => field.path.includes(path))
    .map((result) => resultWords(context, result, field.editor))
  const words = indicator
    ? html`<strong>${t(`fix-${indicator.key}`)}</strong> (+ ${t('form-points', { points: indicator.most })}). ${faults.length > 0 ? joinHtml([...new Set(faults)].slice(0, 3), ' ') : t(`fix-${indicator.key}-text`)}`
    : html`<strong>${t('values-left-out')}</strong>: ${t(reason)}`
  return {
    name,
    words: html`<p class="message soft-warning" id="x-${name}">${icon('wrench')}<span>${words}</span></p>`,
  }
}

/** Fields with those of described values, which the page may show inside. */
const withParts = (fields: readonly FormRows[]): readonly FormRows[] =>
  fields.flatMap((rows) => [
    rows,
    ...rows.rows.flatMap(({ parts }) => (parts ? withParts(parts) : [])),
  ])

/** Query of the address after which the same correction is asked for; empty where none is. */
export function fixQuery({ query }: PageContext): string {
  const own = new URLSearchParams()
  for (const name of ['fix', 'field']) {
    const value = query.get(name)
    if (value !== null) own.set(name, value)
  }
  return own.size > 0 ? `&${own.toString()}` : ''
}

/** Hidden input with the points before a correction, which its first saving finds out; nothing where none is asked for. */
export const pointsBefore = ({ query }: PageContext): HtmlContent =>
  query.has('fix') && html`<input type="hidden" name="from" value="${query.get('from') ?? ''}">`

/** Notice with the points before and after a correction was saved; `score` are those of now. */
export function gained({ t, query }: PageContext, score: number | undefined): HtmlContent {
  const from = query.get('from')
  if (score === undefined || from === null || !/^\d{1,3}$/.test(from)) return false
  const words = t('form-gained', { from: Number(from), to: score })
  return html`<div role="status">${notice(score > Number(from) ? 'good' : 'idle', words)}</div>`
}
