/** Descriptions as sources send them, HTML or Markdown, made harmless. */

import { hash } from 'node:crypto'
import MarkdownIt from 'markdown-it'
import sanitizeHtml from 'sanitize-html'
import { raw } from 'hono/html'
import { BoundedCache } from '../../workers/bounded-cache.ts'
import type { HtmlMarkup } from '../html.ts'

/** Characters of a description that are shown, and those before them whose Markdown is read: the time grows with these alone. */
const [longest, longestMarkdown] = [50_000, 20_000]

/** CommonMark with tables and bare addresses as links; its time is linear in the length of the text, whatever that holds. */
const markdown = new MarkdownIt({ html: true, linkify: true })

const rendered = new BoundedCache<string>('prose', 200)

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

const sanitizedHtml = (text: string, allowed: sanitizeHtml.IOptions): string =>
  sanitizeHtml(markdown.render(text), allowed)

/** HTML of a description: paragraphs, lists, links that search engines do not follow; no images, no headings. */
export function sanitizedProse(text: string): HtmlMarkup {
  const key = hash('sha256', text.slice(0, longest), 'base64')
  const known = rendered.get(key)
  if (known !== undefined) return raw(known)
  const rest = text.slice(longestMarkdown, longest)
  const markup =
    described(text.slice(0, longestMarkdown)) + (rest === '' ? '' : plainParagraph(rest))
  rendered.set(key, markup)
  return raw(markup)
}

function described(source: string): string {
  try {
    return sanitizedHtml(source, rules)
  } catch (error) {
    // Quotes within thousands of quotes: more than the parser's stack holds.
    if (!(error instanceof RangeError)) throw error
    return plainParagraph(source)
  }
}

const plainParagraph = (text: string): string => `<p>${markdown.utils.escapeHtml(text)}</p>`

/** HTML of a page of the operator, who may use headings and images of the portal's own folder. */
export const operatorProse = (text: string): HtmlMarkup => raw(sanitizedHtml(text, operatorRules))
