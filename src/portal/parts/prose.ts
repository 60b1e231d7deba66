/** Sanitized HTML of descriptions, which sources write in HTML or Markdown, and of pages of the operator. */

import { hash } from 'node:crypto'
import MarkdownIt from 'markdown-it'
import sanitizeHtml from 'sanitize-html'
import { raw } from 'hono/html'
import { BoundedCache } from '../../workers/bounded-cache.ts'
import type { HtmlMarkup } from '../html.ts'

/**
 * Most characters of a description, and its first characters that are parsed as Markdown, which bounds the time; the rest is
 * plain text.
 */
const [longest, longestMarkdown] = [50_000, 20_000]

/** CommonMark parser with tables and bare URLs as links; its time is linear in the length of any text. */
const markdown = new MarkdownIt({ html: true, linkify: true })

const rendered = new BoundedCache<string>('prose', 200)

const elements = 'p br ul ol li strong em code pre blockquote a'.split(' ')
const headings = 'h1 h2 h3 h4 h5 h6'.split(' ')
/** Further elements in pages of the operator. */
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

/** HTML of Markdown with the allowed elements only. */
const sanitizedHtml = (text: string, allowed: sanitizeHtml.IOptions): string =>
  sanitizeHtml(markdown.render(text), allowed)

/** HTML of a description with paragraphs, lists and links that search engines do not follow; without images and headings. */
export function sanitizedProse(text: string): HtmlMarkup {
  const key = hash('sha256', text.slice(0, longest), 'base64')
  const cached = rendered.get(key)
  if (cached !== undefined) return raw(cached)
  const remainder = text.slice(longestMarkdown, longest)
  const markup =
    descriptionHtml(text.slice(0, longestMarkdown)) +
    (remainder === '' ? '' : plainParagraph(remainder))
  rendered.set(key, markup)
  return raw(markup)
}

function descriptionHtml(source: string): string {
  try {
    return sanitizedHtml(source, rules)
  } catch (error) {
    // Thousands of nested quotes overflow the stack of the parser.
    if (!(error instanceof RangeError)) throw error
    return plainParagraph(source)
  }
}

const plainParagraph = (text: string): string => `<p>${markdown.utils.escapeHtml(text)}</p>`

/** HTML of a page of the operator, which may have headings, tables and images. */
export const operatorProse = (text: string): HtmlMarkup => raw(sanitizedHtml(text, operatorRules))
