/** Markup that cannot be forged: what stands in a template is text unless it is markup itself. */

import { escaped } from '../../../text/escaped.ts'

export type Markup = { readonly markup: string }

type Part = Markup | readonly Markup[] | string | number | undefined | false

/**
 * `` markup`<p>${title}</p>` ``: texts and numbers are escaped, for elements and for quoted attributes; absent parts leave nothing.
 * It is not called `html`: formatters would put blanks into such templates, and a style with blanks has another hash.
 */
export function markup(pieces: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const inner = pieces.map((piece, place) => piece + written(parts[place]))
  return { markup: inner.join('') }
}

function written(part: Part): string {
  if (part === undefined || part === false) return ''
  if (typeof part === 'string') return escaped(part)
  if (typeof part === 'number') return String(part)
  if ('markup' in part) return part.markup
  return part.map(({ markup }) => markup).join('')
}
