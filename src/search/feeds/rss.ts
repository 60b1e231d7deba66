/** A feed in RSS 2.0. */

import type { Entry } from './entries.ts'
import type { Feed } from './feed.ts'
import { declaration, element, escaped, textElement } from './xml.ts'

export const rssType = 'application/rss+xml'

export function rssText(feed: Feed): string {
  const { pages } = feed
  const link = (rel: string, href: string | undefined) =>
    href === undefined ? '' : element('atom:link', { rel, href, type: rssType })
  const parts = [
    textElement('title', feed.title),
    textElement('link', feed.site),
    textElement('description', feed.description),
    textElement('language', feed.language),
    textElement('lastBuildDate', feed.updated.toUTCString()),
    link('self', pages.self),
    link('next', pages.next),
    ...feed.entries.map(itemText),
  ]
  const attributes = { version: '2.0', 'xmlns:atom': 'http://www.w3.org/2005/Atom' }
  return declaration + element('rss', attributes, element('channel', {}, parts.join('')))
}

function itemText(entry: Entry): string {
  const [file] = entry.files
  const parts = [
    element('guid', { isPermaLink: 'false' }, escaped(entry.iri)),
    textElement('link', entry.page),
    textElement('title', entry.title.text),
    textElement('description', asHtml(entry.summary?.text)),
    textElement('pubDate', entry.updated.toUTCString()),
    ...entry.categories.map(({ term, label }) => textElement('category', label ?? term)),
    file === undefined ? '' : enclosure(file),
  ]
  return element('item', {}, parts.join(''))
}

/** Readers take a description for HTML: what looks like a tag there must stay text when they show it. */
const asHtml = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : escaped(text)

/** All three attributes are mandatory; 0 stands for an unknown length. */
const enclosure = ({ href, type, length }: Entry['files'][number]): string =>
  element('enclosure', {
    url: href,
    length: length ?? '0',
    type: type ?? 'application/octet-stream',
  })
