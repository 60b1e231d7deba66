/**
 * Typed text that is not saved yet: of a form whose session had ended, and of one that could not be saved. It is shown again, in its
 * own form where the page can be made, else as a list of what was typed.
 */

import { problemOf } from '../../http/problem.ts'
import type { AppContext } from '../../http/app.ts'
import type { Endpoint } from '../../http/endpoint.ts'
import type { PageContext, StewardContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup } from '../html.ts'
import type { PageContent, PageStatus } from '../layout.ts'
import { sessionForm } from '../pages/steward/steward-parts.ts'
import { notice } from '../parts/blocks.ts'
import type { PortalServices } from '../portal-services.ts'
import { sentFields, stewardContext } from '../steward-endpoints.ts'
import { deskFrame } from './desk-frame.ts'
import { fieldLabel, idOf } from './form-controls.ts'
import { isChoice, isUnchanged } from './form-names.ts'

/** Form that is shown again. */
export type Unsaved = {
  readonly fields: URLSearchParams
  /** Key of the text that says why it is not saved. */
  readonly why: string
  /** Whether the page lists the texts, because it has no control for them. */
  readonly isListed?: boolean
  /** Path of the page of the draft as Turtle, where that is what helps. */
  readonly turtle?: string
}

const mark = /[?&]restored=1$/

/** Form that was kept while its session had ended; `undefined` on all pages but that of the form, at the address for it. */
export function keptForm({ steward, language, pathInLanguage }: StewardContext) {
  if (!mark.test(pathInLanguage)) return undefined
  const fields = steward.kept.fields(`${language}/${pathInLanguage.replace(mark, '')}`)
  return fields && { fields, why: 'unsaved-restored' }
}

/** Kept or failed form as one that only shows its page again. */
export function withoutStep({ fields }: Unsaved): FormData {
  const form = new FormData()
  for (const [name, text] of fields) if (name !== 'do') form.append(name, text)
  return form
}

/** Kind of a failure → key of the text that says what to do. */
const reasons: Readonly<Record<string, string>> = {
  'too-large': 'unsaved-large',
  'store-full': 'unsaved-full',
  'not-found': 'unsaved-gone',
  'unknown-resource': 'unsaved-gone',
  conflict: 'unsaved-conflict',
  'precondition-failed': 'unsaved-both',
  'invalid-parameter': 'unsaved-refused',
}

/** Form of a request that failed, as it was sent. */
export function failedForm(form: FormData, error: unknown): Unsaved {
  const kind = problemOf(error, '').body.type.split(':').at(-1) ?? ''
  return { fields: sentFields(form), why: reasons[kind] ?? 'unsaved-later' }
}

/** Page with the sentence that its form is not saved; a page without such a form stays as it is. */
export function withUnsaved(
  context: StewardContext,
  page: PageContent | undefined,
  unsaved: Unsaved | undefined,
): PageContent | undefined {
  if (!page || !unsaved) return page
  return { ...page, body: html`${unsavedNotice(context, unsaved)}${page.body}` }
}

function unsavedNotice(
  context: StewardContext,
  { fields, why, isListed, turtle }: Unsaved,
): HtmlMarkup {
  const { t, base, steward, language, pathInLanguage } = context
  const texts = isListed ? [...fields] : []
  const list = texts.map(
    ([name, text]) => html`<li><strong>${labelOf(context, name)}</strong>: <bdi>${text}</bdi></li>`,
  )
  const self = `${language}/${pathInLanguage.replace(mark, '')}`
  const others = steward.kept.paths().filter((path) => path !== self)
  const link = turtle !== undefined && html` <a href="${turtle}">${t('unsaved-turtle')}</a>`
  const more = others.map(
    (path) =>
      html`<li><a href="${base}${path}${path.includes('?') ? '&' : '?'}restored=1">${path}</a></li>`,
  )
  const body = html`<p id="unsaved">${t(why)}${link}</p>${list.length > 0 && html`<ul>${list}</ul>`}${more.length > 0 && html`<p>${t('unsaved-others')}</p><ul>${more}</ul>`}`
  return html`<div class="unsaved" role="alert">${notice('bad', t('unsaved'), body)}</div>`
}

/** Fields of forms that are no text. */
const notTyped: ReadonlySet<string> = new Set(['do', 'revision', 'of', 'attempt'])

/** Entries that were typed: with a text, and other than what the form had. */
const typedIn = (fields: URLSearchParams) =>
  [...fields].filter(
    ([name, text]) =>
      text.trim() !== '' && !notTyped.has(name) && !isChoice(name) && !isUnchanged(name, text),
  )

/** Page of what was typed, in a form that sends it once more. It needs no service. */
function typedPage(context: StewardContext, unsaved: Unsaved): PageContent {
  const { t, base, language, pathInLanguage } = context
  const typed = new Set(typedIn(unsaved.fields).map(([name]) => name))
  const controls = [...unsaved.fields].map(([name, text], index): HtmlContent => {
    if (name === 'do') return false
    if (!typed.has(name)) return html`<input type="hidden" name="${name}" value="${text}">`
    const id = idOf(`${name} ${index}`)
    const box =
      /\n/.test(text) || text.length > 80
        ? html`<textarea id="${id}" name="${name}" rows="${Math.min(24, text.split('\n').length + 2)}">
${text}</textarea>`
        : html`<input id="${id}" name="${name}" value="${text}">`
    return html`<div class="field"><label for="${id}">${labelOf(context, name)}</label>${box}</div>`
  })
  const button = html`<p class="row"><button class="button primary" name="do" value="${unsaved.fields.get('do') ?? 'save'}">${t('unsaved-again')}</button></p>`
  const action = `${base}${language}/${pathInLanguage.replace(mark, '')}`
  return deskFrame(context, {
    title: t('unsaved'),
    body: html`<h1>${t('unsaved-typed')}</h1>${unsavedNotice(context, unsaved)}${sessionForm(context, action, [controls, button], 'stack close')}`,
  })
}

/** Name of a control: that of its field, for `contact_point.~….email` of the last one. */
function labelOf(page: PageContext, name: string): string {
  const parts = name.split('.').filter((_, index) => index % 2 === 0)
  return fieldLabel({ page }, { name: parts.at(-1) ?? name })
}

/** Pages that show a kept form in their own form; all others show it as a list. */
const ownForms: ReadonlySet<string | undefined> = new Set([
  'getDraftSection',
  'getDraftValue',
  'getConceptsToPick',
  'getDraftCheck',
  'getDraftTurtle',
  'getCatalogueRules',
  'beginPage',
])

/**
 * Wraps an endpoint of the desk: where a form fails, whatever the reason, the answer has what was typed; a page without a form of
 * its own for it shows a kept one as a list.
 */
export function keepingTyped(endpoint: Endpoint<PortalServices>): Endpoint<PortalServices> {
  const { method, operationId } = endpoint.route
  const handle = async (c: AppContext, services: PortalServices): Promise<Response> => {
    if (method !== 'post') {
      const context = ownForms.has(operationId) ? undefined : await services.contextOf(c)
      const kept = context?.steward && keptForm(stewardContext(context))
      if (!kept || typedIn(kept.fields).length === 0) return endpoint.handle(c, services)
      return services.respond(c, async (page) => typedPage(stewardContext(page), kept))
    }
    try {
      return await endpoint.handle(c, services)
    } catch (error) {
      const form = c.get('form')
      const unsaved = form && failedForm(form, error)
      if (!unsaved || typedIn(unsaved.fields).length === 0) throw error
      const { status } = problemOf(error, '')
      const { log, requestId } = await services.contextOf(c)
      log.warn({ err: error, requestId }, 'portal.form-failed')
      return services.respond(c, async (page) => typedPage(stewardContext(page), unsaved), status)
    }
  }
  return { ...endpoint, handle }
}

/** Status of the page that shows a form again which failed. */
export const statusOf = (error: unknown): PageStatus => problemOf(error, '').status
