/** A feed in the Atom Syndication Format (RFC 4287). */

import type { Entry } from './entries.ts'
import type { Feed } from './feed.ts'
import type { Chosen } from './reading.ts'
import { declaration, element, escaped, textElement } from './xml.ts'

export const atomType = 'application/atom+xml'

export function atomText(feed: Feed): string {
  const { pages, language } = feed
  const link = (rel: string, href: string | undefined, type: string) =>
    href === undefined ? '' : element('link', { rel, href, type })
  const parts = [
    textElement('id', pages.feed),
    textElement('title', feed.title),
    textElement('updated', feed.updated.toISOString()),
    element('author', {}, textElement('name', feed.author)),
    link('self', pages.self, atomType),
    link('alternate', feed.site, 'text/html'),
    link('first', pages.first, atomType),
    link('previous', pages.previous, atomType),
    link('next', pages.next, atomType),
    link('last', pages.last, atomType),
    ...feed.entries.map((entry) => entryText(entry, language)),
  ]
  const attributes = { xmlns: 'http://www.w3.org/2005/Atom', 'xml:lang': language }
  return declaration + element('feed', attributes, parts.join(''))
}

function entryText(entry: Entry, language: string): string {
  const { author } = entry
  const parts = [
    textElement('id', entry.iri),
    element('link', {
      rel: 'alternate',
      href: entry.page,
      type: entry.isHtml ? 'text/html' : undefined,
    }),
    spoken('title', entry.title, language),
    spoken('summary', entry.summary, language),
    textElement('published', entry.published?.toISOString()),
    textElement('updated', entry.updated.toISOString()),
    author === undefined
      ? ''
      : element(
          'author',
          {},
          textElement('name', author.name) +
            textElement('uri', author.uri) +
            textElement('email', author.email),
        ),
    ...entry.categories.map(({ term, label }) => element('category', { term, label })),
    ...entry.files.map(({ href, title, type, length }) =>
      element('link', { rel: 'enclosure', href, title, type, length }),
    ),
  ]
  return element('entry', {}, parts.join(''))
}

/** A text in a language other than the feed's says so. */
function spoken(name: string, chosen: Chosen | undefined, language: string): string {
  if (chosen === undefined) return ''
  const other = chosen.language === language ? undefined : chosen.language
  return element(name, { 'xml:lang': other }, escaped(chosen.text))
}
