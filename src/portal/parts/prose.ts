/** Descriptions as sources send them, HTML or Markdown, made harmless. */

import { marked } from 'marked'
import sanitizeHtml from 'sanitize-html'
import { raw } from 'hono/html'
import { html, type HtmlMarkup } from '../html.ts'

/** Characters of a description that are read. */
const longest = 50_000

const rules: sanitizeHtml.IOptions = {
  allowedTags: ['p', 'br', 'ul', 'ol', 'li', 'strong', 'em', 'code', 'pre', 'blockquote', 'a'],
  allowedAttributes: { a: ['href', 'rel'] },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowProtocolRelative: false,
  nestingLimit: 50,
  transformTags: {
    b: 'strong',
    i: 'em',
    ...Object.fromEntries(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, 'strong'])),
    a: sanitizeHtml.simpleTransform('a', { rel: 'nofollow ugc noopener' }),
  },
}

/** HTML of a description: paragraphs, lists, links that search engines do not follow; no images, no headings. */
export function proseOf(text: string): HtmlMarkup {
  const source = text.slice(0, longest)
  try {
    return raw(sanitizeHtml(marked.parse(source, { async: false, gfm: true }), rules))
  } catch (error) {
    // Quotes within thousands of quotes: more than the parser's stack holds.
    if (!(error instanceof RangeError)) throw error
    return html`<p>${source}</p>`
  }
}

/** HTML of a page of the operator, who may use headings and images of the portal's own folder. */
export function operatorPage(text: string): HtmlMarkup {
  const markdown = marked.parse(text, { async: false, gfm: true })
  return raw(
    sanitizeHtml(markdown, {
      ...rules,
      allowedTags: [
        ...(rules.allowedTags || []),
        'h2',
        'h3',
        'h4',
        'img',
        'table',
        'thead',
        'tbody',
        'tr',
        'th',
        'td',
        'hr',
      ],
      allowedAttributes: { a: ['href', 'rel'], img: ['src', 'alt'], th: ['scope'] },
      transformTags: {},
    }),
  )
}
