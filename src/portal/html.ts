/**
 * HTML as tagged templates (`hono/html`): every value is escaped, lists are joined, `false` and `undefined` write nothing. Only
 * this file, maps and sanitized prose use `raw`.
 */

import { readFileSync } from 'node:fs'
import { html, raw } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'

export { html }
/** Escaped HTML. */
export type HtmlMarkup = HtmlEscapedString | Promise<HtmlEscapedString>
/** Values that a template accepts. */
export type HtmlContent = HtmlMarkup | string | number | false | undefined | readonly HtmlContent[]

const icons: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('assets/icons.json', import.meta.url), 'utf8'),
)

/** Icon (Lucide, ISC licence), hidden from screen readers. */
export const icon = (name: string): HtmlMarkup =>
  raw(`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${icons[name] ?? ''}</svg>`)

/** JSON for a script element, in which no text can end the element. */
export const jsonScript = (value: unknown): HtmlMarkup =>
  raw(JSON.stringify(value).replaceAll('<', String.raw`\u003c`))

/** Normalised URL with the scheme http, https, mailto or tel; `undefined` for every other value. */
export function safeAddress(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const url = URL.parse(value.trim())
  return url && /^(?:https?|mailto|tel):$/.test(url.protocol) ? url.href : undefined
}

/** Normalised URL with the scheme http or https; `undefined` for every other value. */
export function webAddress(value: unknown): string | undefined {
  const address = safeAddress(value)
  return address?.startsWith('http') ? address : undefined
}

/** Link to an address; only the content where `safeAddress` refuses the address. */
export function linkTo(address: unknown, content: HtmlContent, rel?: string): HtmlMarkup {
  const href = safeAddress(address)
  if (href === undefined) return html`<bdi>${content}</bdi>`
  return html`<a href="${href}" ${rel === undefined ? '' : html` rel="${rel}"`}>${content}</a>`
}

/** Moves an id to the first control of a piece of HTML, or gives it one, so that an address with that fragment focuses it. */
export function withFocusable(content: HtmlContent, id: string): HtmlMarkup {
  // oxlint-disable-next-line typescript/no-base-to-string -- pages have no promises in their markup, so it is a string
  const text = String(html`${content}`)
  const [control] =
    /<(?:input|select|textarea)(?= )(?![^>]* type="hidden")[^>]*>/.exec(text) ??
    /<(?:button|a)(?= )[^>]*>/.exec(text) ??
    []
  if (control === undefined) return raw(text)
  const former = / id="([^"]+)"/.exec(control)?.[1]
  return raw(
    former === undefined
      ? text.replace(control, () => control.replace(/^<\w+/, `$& id="${id}"`))
      : text.replaceAll(`"${former}"`, () => `"${id}"`),
  )
}

/** Whether a value writes nothing. */
export const isEmpty = (value: HtmlContent): boolean =>
  value === undefined ||
  value === false ||
  value === '' ||
  (Array.isArray(value) && value.every(isEmpty))

/** Joins the parts that are not empty with a separator. */
export const joinHtml = (parts: readonly HtmlContent[], separator: HtmlContent): HtmlContent =>
  parts
    .filter((part) => !isEmpty(part))
    .flatMap((part, i) => (i === 0 ? [part] : [separator, part]))
