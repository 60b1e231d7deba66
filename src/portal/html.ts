/**
 * Markup as tagged templates (`hono/html`): every value is escaped, lists are joined, `false` and `undefined` are nothing. `raw` is
 * used in this file, in maps and for JSON-LD only.
 */

import { readFileSync } from 'node:fs'
import { html, raw } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'

export { html }
export type HtmlMarkup = HtmlEscapedString | Promise<HtmlEscapedString>
/** What may stand in a template. */
export type HtmlContent = HtmlMarkup | string | number | false | undefined | readonly HtmlContent[]

const icons: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('assets/icons.json', import.meta.url), 'utf8'),
)

/** An icon (Lucide, ISC licence) that says nothing by itself. */
export const icon = (name: string): HtmlMarkup =>
  raw(`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${icons[name] ?? ''}</svg>`)

/** JSON within a script element: no text in it can end the element. */
export const jsonScript = (value: unknown): HtmlMarkup =>
  raw(JSON.stringify(value).replaceAll('<', String.raw`\u003c`))

/** An address that a link may lead to: http, https, mailto and tel; `undefined` for every other text. */
export function safeAddress(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const url = URL.parse(value.trim())
  return url && /^(?:https?|mailto|tel):$/.test(url.protocol) ? url.href : undefined
}

/** An address that can be fetched. */
export function webAddress(value: unknown): string | undefined {
  const address = safeAddress(value)
  return address?.startsWith('http') ? address : undefined
}

/** A link where the address may be one, else the text alone. */
export function linkTo(address: unknown, content: HtmlContent, rel?: string): HtmlMarkup {
  const safe = safeAddress(address)
  if (safe === undefined) return html`<bdi>${content}</bdi>`
  return html`<a href="${safe}" ${rel === undefined ? '' : html` rel="${rel}"`}>${content}</a>`
}

/** Whether there is nothing to show. */
export const isEmpty = (value: HtmlContent): boolean =>
  value === undefined ||
  value === false ||
  value === '' ||
  (Array.isArray(value) && value.every(isEmpty))

/** Members of a list with something between them. */
export const joinHtml = (parts: readonly HtmlContent[], between: HtmlContent): HtmlContent =>
  parts
    .filter((part) => !isEmpty(part))
    .flatMap((part, at) => (at === 0 ? [part] : [between, part]))
