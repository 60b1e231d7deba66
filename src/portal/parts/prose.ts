/** Descriptions as sources send them, HTML or Markdown, made harmless. */

import { marked } from 'marked'
import sanitizeHtml from 'sanitize-html'
import { raw } from 'hono/html'
import { html, type HtmlMarkup } from '../html.ts'

/** Characters of a description that are read. */
const longest = 50_000

const elements = 'p br ul ol li strong em code pre blockquote a'.split(' ')
const headings = 'h1 h2 h3 h4 h5 h6'.split(' ')
/** Those of the operator beside. */
const furtherElements = 'h2 h3 h4 img table thead tbody tr th td hr'.split(' ')

const rules: sanitizeHtml.IOptions = {
  allowedTags: elements,
  allowedAttributes: { a: ['href', 'rel'] },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowProtocolRelative: false,
  nestingLimit: 50,
  transformTags: {
    b: 'strong',
    i: 'em',
    ...Object.fromEntries(headings.map((name) => [name, 'strong'])),
    a: sanitizeHtml.simpleTransform('a', { rel: 'nofollow ugc noopener' }),
  },
}

const operatorRules: sanitizeHtml.IOptions = {
  ...rules,
  allowedTags: [...elements, ...furtherElements],
  allowedAttributes: { a: ['href', 'rel'], img: ['src', 'alt'], th: ['scope'] },
  transformTags: {},
}

const harmless = (text: string, allowed: sanitizeHtml.IOptions): HtmlMarkup =>
  raw(sanitizeHtml(marked.parse(text, { async: false, gfm: true }), allowed))

/** HTML of a description: paragraphs, lists, links that search engines do not follow; no images, no headings. */
export function proseOf(text: string): HtmlMarkup {
  const source = text.slice(0, longest)
  try {
    return harmless(source, rules)
  } catch (error) {
    // Quotes within thousands of quotes: more than the parser's stack holds.
    if (!(error instanceof RangeError)) throw error
    return html`<p>${source}</p>`
  }
}

/** HTML of a page of the operator, who may use headings and images of the portal's own folder. */
export const operatorPage = (text: string): HtmlMarkup => harmless(text, operatorRules)
